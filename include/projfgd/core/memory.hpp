#pragma once

#include <string_view>

namespace projfgd {

/// What so many measured numbers take with all that a run keeps beside them: predictions of two
/// points and of the line between them, weights, and copies of the data; eight numbers for each.
constexpr double bytes_of_data(double numbers, double bytes_each) {
  return 8 * numbers * bytes_each;
}

/// Bytes of physical memory this process may still take, as far as the system tells.
double available_memory();

/// Throws ResourceError when `bytes` for `what` exceed that. Call it with an estimate, in floating
/// point so that it cannot overflow, before anything is allocated.
void require_memory(double bytes, std::string_view what);

}  // namespace projfgd
