// Wall-clock time: how much has passed, and how much of a limit is left.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>

namespace projfgd {

/// Seconds since construction.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// What is left of a limit after some seconds: > 0, as options want it, even when all is spent.
inline double time_left(double limit, double used) {
  return std::max(limit - used, std::numeric_limits<double>::min());
}

}  // namespace projfgd
