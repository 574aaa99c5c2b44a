#include "projfgd/core/require.hpp"

#include <fmt/format.h>

#include "projfgd/core/error.hpp"

namespace projfgd {

void require_option(bool holds, std::string_view name, double found, std::string_view expected) {
  if (holds) return;
  throw InputError(fmt::format("option {}: found {}, expected {}", name, found, expected));
}

}  // namespace projfgd
