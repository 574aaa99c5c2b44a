#include "projfgd/io/json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "projfgd/core/error.hpp"
#include "projfgd/io/file_kind.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/io/listening.hpp"
#include "projfgd/io/text.hpp"

namespace projfgd {
namespace {

constexpr int deepest = 256;

/// "line 3, column 7" of what stands behind `before`.
std::string place(std::string_view before) {
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t last = before.rfind('\n');
  const std::size_t column =
      character_count(before.substr(last == std::string_view::npos ? 0 : last + 1));
  return fmt::format("line {}, column {}", lines + 1, column + 1);
}

/// Of the word, number, string or other character that the parser had just read, where it begins
/// and how long it is. `at` is the last byte that was read: in a word or at the end of a string.
std::pair<std::size_t, std::size_t> token(std::string_view text, std::size_t at) {
  const auto in_word = [text](std::size_t k) {
    return std::isalnum(static_cast<unsigned char>(text[k])) != 0 ||
           std::string_view("+-._").find(text[k]) != std::string_view::npos;
  };
  std::size_t begin = at, end = at + 1;
  if (in_word(at)) {
    while (begin > 0 && in_word(begin - 1)) --begin;
    while (end < text.size() && in_word(end)) ++end;
  } else if (text[at] == '"' || text[at] == '\n') {
    const std::string_view before = text.substr(0, at);
    const std::size_t open = before.find_last_of("\"\n");
    if (open != std::string_view::npos && text[open] == '"') begin = open;
    if (text[at] == '\n' && begin < at) end = at;  // a string that does not end on its line
  } else {
    end = at + leading_character(text.substr(at)).size();
  }
  return {begin, end - begin};
}

/// What is wrong with a text that is no JSON, from the byte where that showed.
std::string wrong_text(std::string_view text, std::size_t byte) {
  const char first = first_character(text);
  const bool begins =
      first != '\0' && std::string_view("{[\"-0123456789tfn").find(first) != std::string_view::npos;
  if (!is_text(text) || !begins) return fmt::format("found {}, expected JSON", describe_file(text));
  if (byte > text.size()) {
    return fmt::format(
        "{}: found the end of the file, expected the rest of the JSON (was it truncated?)",
        place(text));
  }
  const auto [begin, length] = token(text, byte > 0 ? byte - 1 : 0);
  return fmt::format("{}: found {}, expected valid JSON", place(text.substr(0, begin)),
                     quote(text.substr(begin, length)));
}

/// The number that a message of the parser quotes.
std::string number_of(const std::string& message) {
  const std::size_t from = message.find('\''), to = message.rfind('\'');
  return from < to ? message.substr(from + 1, to - from - 1) : "a number";
}

/// Puts a document together from the events of the parser. The parser's own way looks through all
/// keys of an object for each one that comes, which takes the square of their number. Refuses what
/// the parser would accept: deep nesting and repeated keys.
class Builder : public nlohmann::json_sax<Json> {
 public:
  Builder(std::string_view text, const std::filesystem::path& path) : text_(text), path_(path) {}

  Json take() && { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(Json::number_integer_t value) override { return add(value); }
  bool number_unsigned(Json::number_unsigned_t value) override { return add(value); }
  bool number_float(double value, const std::string&) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(Json::binary_t&) override { return false; }  // not in text
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string& value) override {
    if (!open_.back().keys.insert(value).second) {
      throw InputError(
          fmt::format("{}: found the key {} twice in the same object, expected it once",
                      path_.string(), quote(value)));
    }
    key_ = std::move(value);
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const Json::exception& error) override {
    if (const auto* wrong = dynamic_cast<const Json::parse_error*>(&error)) {
      throw InputError(fmt::format("{}: {}", path_.string(), wrong_text(text_, wrong->byte)));
    }
    throw InputError(
        fmt::format("{}: found {}, too large for double precision, expected numbers below 1.8e308",
                    path_.string(), quote(number_of(error.what()))));
  }

 private:
  struct Open {
    Json* container;
    std::unordered_set<std::string> keys = {};  ///< of an object
  };

  /// Where it went. An object or array does not grow while one inside it is open, so that the
  /// places of those that are open stay theirs.
  Json& place(Json value) {
    Listening::look();
    if (open_.empty()) return root_ = std::move(value);
    Json& container = *open_.back().container;
    if (container.is_array()) {
      container.push_back(std::move(value));
      return container.back();
    }
    auto& entries = container.get_ref<Json::object_t&>();
    return static_cast<Json::object_t::Container&>(entries)
        .emplace_back(std::move(key_), std::move(value))
        .second;
  }
  bool add(Json value) {
    place(std::move(value));
    return true;
  }
  bool open(Json container) {
    if (std::ssize(open_) >= deepest) {
      throw InputError(
          fmt::format("{}: found JSON nested deeper than {} levels, expected at most {}",
                      path_.string(), deepest, deepest));
    }
    open_.push_back({&place(std::move(container))});
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::string_view text_;
  const std::filesystem::path& path_;
  Json root_;
  std::vector<Open> open_;
  std::string key_;
};

std::string keys_of(const Json& object) {
  if (object.empty()) return "an empty object";
  std::string text;
  for (const auto& item : object.items()) text += (text.empty() ? "" : ", ") + item.key();
  return "an object with the keys " + quote(text);
}

[[noreturn]] void wrong_value(const std::string& key, const Json& found, std::string_view expected,
                              const std::filesystem::path& path) {
  throw InputError(fmt::format("{}: \"{}\": found {}, expected {}", path.string(), key,
                               found.is_structured() ? found.type_name() : found.dump(), expected));
}

}  // namespace

Json read_json(const std::filesystem::path& path) { return parse_json(read_file(path), path); }

Json parse_json(std::string_view text, const std::filesystem::path& path) {
  Builder builder(text, path);
  Json::sax_parse(text.begin(), text.end(), &builder);
  return std::move(builder).take();
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
    throw InputError(
        fmt::format("{}: found {}, expected the key \"{}\"", path.string(), keys_of(object), key));
  }
  return *found;
}

std::string require_string(const Json& object, const std::string& key,
                           const std::filesystem::path& path) {
  const Json& value = require_key(object, key, path);
  if (!value.is_string()) wrong_value(key, value, "a string", path);
  return value.get<std::string>();
}

std::string require_file_name(const Json& object, const std::string& key,
                              const std::filesystem::path& path) {
  std::string name = require_string(object, key, path);
  if (name.empty()) wrong_value(key, name, "the name of a file", path);
  return name;
}

double require_number(const Json& object, const std::string& key,
                      const std::filesystem::path& path) {
  const Json& value = require_key(object, key, path);
  if (!value.is_number()) wrong_value(key, value, "a number", path);
  return value.get<double>();
}

std::ptrdiff_t require_integer(const Json& object, const std::string& key,
                               const std::filesystem::path& path) {
  const Json& value = require_key(object, key, path);
  if (!value.is_number_integer()) wrong_value(key, value, "an integer", path);
  constexpr auto most = std::numeric_limits<std::ptrdiff_t>::max();
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{most}) {
    wrong_value(key, value, fmt::format("an integer up to {}", most), path);
  }
  return value.get<std::ptrdiff_t>();
}

void allow_keys(const Json& object, std::initializer_list<std::string_view> keys,
                const std::filesystem::path& path) {
  for (const auto& item : object.items()) {
    if (std::find(keys.begin(), keys.end(), item.key()) == keys.end()) {
      throw InputError(fmt::format("{}: found the key {}, expected one of {}", path.string(),
                                   quote(item.key()), fmt::join(keys, ", ")));
    }
  }
}

}  // namespace projfgd
