#pragma once

#include <functional>
#include <vector>

#include "projfgd/core/ranks.hpp"

namespace projfgd::bench {

/// Seconds of wall clock that a call takes.
double seconds(const std::function<void()>& call);

struct Statistic {
  double median = 0;
  double spread = 0;  ///< half the distance between the quartiles
};
Statistic statistic(std::vector<double> values);

/// How long to repeat a comparison.
struct Repeats {
  double budget = 1;  ///< seconds, spent unless `most` comes first
  int fewest = 5;
  int most = 41;
  const Ranks* ranks = &alone();  ///< who make the calls together; the first decides how many
};

struct Comparison {
  Statistic first, second;  ///< seconds of one call
  Statistic ratio;          ///< of second to first, pair by pair
  double best = 0;          ///< shortest second over shortest first: what a quiet machine shows
};

/// Times the two in turn, so that both meet the same disturbances. Calls too short for the clock
/// are repeated within a measurement.
Comparison compare_times(const std::function<void()>& first, const std::function<void()>& second,
                         const Repeats& repeats);

/// The largest resident size since the last reset, in bytes; 0 where the system does not tell.
double peak_memory();
void reset_peak_memory();

}  // namespace projfgd::bench
