// How far a fit to noisy data has to go.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "jobs/common/staged_run.hpp"
#include "projfgd/measures/noise.hpp"
#include "projfgd/solvers/levelling.hpp"

namespace projfgd {

/// How good a fit can be, as far as the data tell.
struct Noise {
  double data = 0;          ///< independent numbers measured
  double determined = 0;    ///< different numbers of X that they tell of
  double size = 0;          ///< the objective of predicting nothing
  bool likelihood = false;  ///< twice the objective counts in units of the noise's variance
};

/// ||residual|| of a fit over what noise leaves, about 1 for a good one; empty when noise is
/// unknown.
template <class S>
using Misfit = std::function<double(const Matrix<S>&)>;

/// For the last fit at a rank: stops where noise hides the rest, unless a sharper tolerance than
/// usual is asked for, or the method finds the rank itself: such methods stand still for a while
/// between stages. A full-rank likelihood has one maximum, and people compare it with other
/// programs' to the last digit.
template <class S>
StopRule stop_under_noise(const RunSettings& settings, const Problem<S>& problem,
                          const Noise& noise, Index rank) {
  const Index n = problem.op.rows();
  const bool sharp = settings.options.tolerance < Options{}.tolerance;
  if (sharp || !keeps_rank(settings.method)) return {};
  if (problem.loss.quadratic()) {
    return {.objective_tolerance = tolerance_under_noise(parameters(n, rank), noise.data)};
  }
  if (noise.likelihood && rank < n) return {.least_gain = gain_under_noise(parameters(n, rank))};
  return {};
}

/// For a fit that only has to tell whether a larger rank is called for: per parameter of a column a
/// tenth, where noise is worth 1/2.
inline StopRule stop_when_rough(Index n) {
  constexpr double gain_per_parameter = 0.1;
  return {.least_gain = gain_per_parameter * parameters(n, 1)};
}

/// The same for a fit that is compared with one of `rank` columns: it also ends once what is left
/// to gain is 1/20 of what f fell, or of what noise alone gains by another column. f falls from a
/// given value, or from that of the first row.
inline StopRule stop_when_comparable(Index n, Index rank, double from = std::nan("")) {
  constexpr double left_over = 0.05;
  StopRule rule = stop_when_rough(n);
  const double least = left_over * gain_by_noise(n, rank) / 2;
  rule.enough = [=, levelling = Levelling<3>()](const TraceRow& row) mutable {
    if (std::isnan(from)) from = row.objective;
    return levelling.add(row.objective, std::max(least, left_over * (from - row.objective)));
  };
  return rule;
}

}  // namespace projfgd
