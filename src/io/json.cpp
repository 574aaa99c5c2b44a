#include "projfgd/io/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "projfgd/core/error.hpp"
#include "projfgd/io/files.hpp"

namespace projfgd {
namespace {

constexpr int deepest = 256;

/// Refuses what the parser itself would accept: deep nesting and repeated keys.
class Guard {
 public:
  explicit Guard(const std::filesystem::path& path) : path_(path) {}

  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    if (depth > deepest) {
      throw InputError(
          fmt::format("{}: JSON nested deeper than {} levels", path_.string(), deepest));
    }
    if (event == Event::object_start) {
      keys_.emplace_back();
    } else if (event == Event::object_end) {
      keys_.pop_back();
    } else if (event == Event::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys_.back().insert(key).second) {
        throw InputError(fmt::format("{}: the key \"{}\" appears twice in the same object",
                                     path_.string(), key));
      }
    }
    return true;
  }

 private:
  const std::filesystem::path& path_;
  std::vector<std::set<std::string>> keys_;
};

/// "line 3, column 7" of a byte position that counts from 1.
std::string place(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t last = before.rfind('\n');
  const std::size_t column = before.size() - (last == std::string_view::npos ? 0 : last + 1);
  return fmt::format("line {}, column {}", lines + 1, column + 1);
}

[[noreturn]] void wrong_type(const std::string& key, const Json& found, const char* expected,
                             const std::filesystem::path& path) {
  throw InputError(fmt::format("{}: \"{}\": found {}, expected {}", path.string(), key,
                               found.is_structured() ? found.type_name() : found.dump(), expected));
}

}  // namespace

Json read_json(const std::filesystem::path& path) { return parse_json(read_file(path), path); }

Json parse_json(std::string_view text, const std::filesystem::path& path) {
  Guard guard(path);
  try {
    return Json::parse(text.begin(), text.end(), guard);
  } catch (const Json::parse_error& error) {
    throw InputError(fmt::format("{}: {}: not valid JSON", path.string(), place(text, error.byte)));
  } catch (const Json::exception&) {
    throw InputError(
        fmt::format("{}: JSON with a number too large for double precision", path.string()));
  }
}

std::string json_text(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

const Json& require_key(const Json& object, const std::string& key,
                        const std::filesystem::path& path) {
  if (!object.is_object()) {
    throw InputError(fmt::format("{}: found {}, expected an object with the key \"{}\"",
                                 path.string(), object.type_name(), key));
  }
  const auto found = object.find(key);
  if (found == object.end()) {
    throw InputError(fmt::format("{}: the key \"{}\" is missing", path.string(), key));
  }
  return *found;
}

std::string require_string(const Json& object, const std::string& key,
                           const std::filesystem::path& path) {
  const Json& value = require_key(object, key, path);
  if (!value.is_string()) wrong_type(key, value, "a string", path);
  return value.get<std::string>();
}

double require_number(const Json& object, const std::string& key,
                      const std::filesystem::path& path) {
  const Json& value = require_key(object, key, path);
  if (!value.is_number()) wrong_type(key, value, "a number", path);
  return value.get<double>();
}

std::ptrdiff_t require_integer(const Json& object, const std::string& key,
                               const std::filesystem::path& path) {
  const Json& value = require_key(object, key, path);
  if (!value.is_number_integer()) wrong_type(key, value, "an integer", path);
  return value.get<std::ptrdiff_t>();
}

void allow_keys(const Json& object, std::initializer_list<std::string_view> keys,
                const std::filesystem::path& path) {
  for (const auto& item : object.items()) {
    if (std::find(keys.begin(), keys.end(), item.key()) == keys.end()) {
      throw InputError(fmt::format("{}: unknown key \"{}\"", path.string(), item.key()));
    }
  }
}

}  // namespace projfgd
