// Wall-clock time: how much has passed, and how much of a limit is left.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>

#include "projfgd/core/archive.hpp"

namespace projfgd {

/// Seconds since construction, and those before that which count as well.
class Stopwatch {
 public:
  explicit Stopwatch(double seconds_before = 0) { set(seconds_before); }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  void set(double seconds) {
    start_ = Clock::now() -
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }
  void keep(Archive& archive) {
    double now = seconds();
    archive(now);
    if (archive.reads()) set(now);
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_;
};

/// What is left of a limit after some seconds: > 0, as options want it, even when all is spent.
inline double time_left(double limit, double used) {
  return std::max(limit - used, std::numeric_limits<double>::min());
}

}  // namespace projfgd
