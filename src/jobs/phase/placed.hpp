#pragma once

#include "jobs/phase/attempt.hpp"
#include "jobs/phase/problem.hpp"
#include "projfgd/core/stopwatch.hpp"
#include "projfgd/jobs/place.hpp"

namespace projfgd {

/// The patterns of a problem in another place, where its images stay while a method runs.
template <class S>
class PlacedPatterns {
 public:
  PlacedPatterns() = default;
  PlacedPatterns(const PlacedPatterns&) = delete;
  PlacedPatterns& operator=(const PlacedPatterns&) = delete;
  virtual ~PlacedPatterns() = default;

  /// As the function of that name, jobs/phase/channel.hpp.
  virtual PhaseAnswer<Matrix<S>> solve_channel(const PhaseProblem<S>& problem, Index c,
                                               const RunSettings& settings,
                                               Stopwatch& clock) const = 0;
};

}  // namespace projfgd
