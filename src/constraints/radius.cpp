#include "projfgd/constraints/radius.hpp"

#include <fmt/format.h>

#include "projfgd/core/error.hpp"

namespace projfgd {

double checked_radius(double radius, const char* set) {
  if (!(radius >= 0)) {
    throw InputError(fmt::format("{}: found radius {}, expected a number >= 0", set, radius));
  }
  return radius;
}

}  // namespace projfgd
