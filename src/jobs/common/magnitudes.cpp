#include "jobs/common/magnitudes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "projfgd/core/error.hpp"

namespace projfgd {

double largest(const Array& array) {
  double most = 0;
  for (const double x : array.values) most = std::max(most, std::abs(x));
  return most;
}

void require_magnitude(double found, MagnitudeRange range, const std::string& where,
                       const char* what) {
  if (found == 0 || (found >= range.least && found <= range.most)) return;
  throw InputError(
      fmt::format("{}: found {:.3g} as the {}, expected {:g} to {:g}: give the numbers in "
                  "another unit",
                  where, found, what, range.least, range.most));
}

}  // namespace projfgd
