#include "projfgd/core/require.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "projfgd/core/did_you_mean.hpp"
#include "projfgd/core/error.hpp"

namespace projfgd {

std::string either(std::vector<std::string> names, const std::string& more) {
  if (!more.empty()) names.push_back(more);
  if (names.size() < 2) return names.empty() ? "" : names.front();
  const std::string last = std::move(names.back());
  names.pop_back();
  return fmt::format("{} or {}", fmt::join(names, ", "), last);
}

void require_name(std::string_view what, std::string_view found,
                  const std::vector<std::string>& names) {
  if (std::ranges::find(names, found) != names.end()) return;
  throw InputError(unknown_name(what, found, names));
}

void require_size(const char* what, Index found, Index expected) {
  if (found != expected) {
    throw InputError(fmt::format("{}: found {}, expected {}", what, found, expected));
  }
}

void require_all(const char* what, bool holds, const char* expected) {
  if (!holds) throw InputError(fmt::format("{}: found other values, expected {}", what, expected));
}

void require_option(bool holds, std::string_view name, double found, std::string_view expected) {
  if (holds) return;
  throw InputError(fmt::format("{}: found {}, expected {}", name, found, expected));
}

}  // namespace projfgd
