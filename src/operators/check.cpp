#include "projfgd/operators/check.hpp"

#include <fmt/format.h>

#include "projfgd/core/error.hpp"

namespace projfgd {

void require_size(const char* what, Index found, Index expected) {
  if (found != expected) {
    throw InputError(fmt::format("{}: found {}, expected {}", what, found, expected));
  }
}

}  // namespace projfgd
