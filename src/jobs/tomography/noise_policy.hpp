// When a fit to noisy data has gone far enough, and when a larger rank is called for.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "jobs/tomography/state_solver.hpp"
#include "projfgd/jobs/methods.hpp"
#include "projfgd/measures/noise.hpp"
#include "projfgd/solvers/levelling.hpp"

namespace projfgd {

/// In the test of another rank: one in a thousand ranks too many.
inline constexpr double deviations_of_noise = 3;
/// Per parameter of a column, on the way to a larger rank. Noise is worth 1/2 of each.
inline constexpr double rough_gain = 0.1;

/// Options that stop where noise hides the rest, unless a sharper tolerance than usual is asked
/// for, or the method finds the rank itself: such methods stand still for a while between stages.
/// A full-rank likelihood has one maximum, and people compare it with other programs' to the
/// last digit.
template <class S>
Options options_under_noise(const RunSettings& settings, const Problem<S>& problem,
                            const Noise<S>& noise, Index rank) {
  Options options = options_of(settings);
  const Index n = problem.op.rows();
  if (options.tolerance < Options{}.tolerance || !keeps_rank(settings.method)) return options;
  if (problem.loss.quadratic()) {
    options.objective_tolerance = tolerance_under_noise(parameters(n, rank), noise.data);
  } else if (noise.likelihood && rank < n) {
    options.least_gain = gain_under_noise(parameters(n, rank));
  }
  return options;
}

/// For fits that only have to tell whether a larger rank is called for.
inline Options rough_options(const RunSettings& settings, Index n) {
  Options options = options_of(settings);
  options.least_gain = rough_gain * parameters(n, 1);
  return options;
}

/// What noise alone lowers twice the objective by with one more column, in units of its variance.
/// Noise is a random Hermitian matrix on the n - r dimensions that X leaves, with eigenvalues up to
/// 2 sqrt(n - r); the best column gains the square of the largest, 4 (n - r), which is twice the
/// 2 (n - r) - 1 parameters that are added.
inline double gain_by_noise(Index n, Index rank) {
  const double added = parameters(n, rank + 1) - parameters(n, rank);
  return 2 * added + deviations_of_noise * std::sqrt(2 * added);
}

/// Of what f fell: what may be left to gain where a fit is near its end.
inline constexpr double left_over = 0.05;

/// What of the objective may be left to gain where a rank is compared with the one before.
inline double quick_gain(Index n, Index rank) { return left_over * gain_by_noise(n, rank) / 2; }

/// Sees in the rows of a fit that it comes to its end: what is left to gain is less than a share of
/// what f fell, or than `least`. f falls from a given value, or from that of the first row.
inline std::function<bool(const TraceRow&)> near_the_end(double least, double from = std::nan("")) {
  return [=, levelling = Levelling<3>()](const TraceRow& row) mutable {
    if (std::isnan(from)) from = row.objective;
    return levelling.add(row.objective, std::max(least, left_over * (from - row.objective)));
  };
}

}  // namespace projfgd
