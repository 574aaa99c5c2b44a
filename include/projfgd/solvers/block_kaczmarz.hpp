#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "projfgd/measures/image.hpp"
#include "projfgd/solvers/monitor.hpp"

namespace projfgd {

/// Block Kaczmarz for |A z| = b (Wei 2015), with projections onto sets between:
///
///   z <- P_E(z + A_b^+ (b phase(A_b z) - A_b z))  for each block,   then  z <- P_C(z).
///
/// E is a set that contains C and is cheap to project on, C itself where it is cheap: the more
/// often the better. Every step is an exact projection onto one block's equations. Without noise
/// the error falls by a constant factor a pass, from a random start; with noise the passes end up
/// going round at a distance in proportion to it, which shows as a change that no longer falls. The
/// run then ends as `stalled`, for another method to finish: when the change of a pass is small and
/// was last lowered by a tenth before half of the passes. With few data they go round for a while
/// before they contract, by as little as 0.97 each, so that no fixed number of passes tells.
template <LinearMeasurement A, Constraint<typename A::Factor> E, Constraint<typename A::Factor> C,
          class Watcher = NoObserver>
Result<typename A::Factor> block_kaczmarz(const A& op, const typename A::Values& amplitude,
                                          const E& block_set, const C& set, typename A::Factor z,
                                          const Options& options = {}, Watcher watcher = {}) {
  using F = typename A::Factor;
  constexpr Index fewest = 8;  // passes that one may go without
  constexpr double lowered = 0.9, near_enough = 0.1;
  validate(options);
  Monitor<F, Watcher> monitor(options, watcher);
  set.project(z);
  F before, step;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double change = infinity, misfit = infinity;
  double least = infinity;  // change, of a pass that lowered it by a tenth
  Index since = 0;          // that pass
  bool stop = monitor.record(z, misfit, change);
  while (monitor.goes_on(stop, z, change, misfit, least, since)) {
    before = z;
    misfit = 0;
    for (Index b = 0; b < op.blocks(); ++b) {
      misfit += op.project_block(b, amplitude, z);
      block_set.project(z);
    }
    set.project(z);
    subtract(z, before, step);
    const double last = change;
    change = change_by_small_step(z, step);
    if (!std::isfinite(change)) {
      z = before;
      monitor.stop(Status::diverged, "an iterate was not finite");
      break;
    }
    stop = monitor.record(z, misfit, change);
    const double ratio = change / last;
    const bool near = std::isfinite(last) && change < near_enough;
    const bool lower = change < lowered * least;
    if (lower) {
      least = change;
      since = monitor.iterations();
    }
    if (near && (!stop || monitor.is_cut_short())) {
      // The error left is that of a geometric series.
      if (ratio < 0.5 && change * ratio / (1 - ratio) <= options.tolerance) {
        stop = monitor.stop(Status::converged, "the estimated error is below the tolerance");
      } else if (!lower && monitor.iterations() >= std::max(2 * since, since + fewest)) {
        stop = monitor.stop(Status::stalled, "further passes do not reduce the misfit");
      }
    }
  }
  if (!std::isfinite(misfit)) {  // that of the last whole pass, and there was none
    misfit = amplitude_objective(op, amplitude, z);
  }
  return monitor.result(std::move(z), misfit);
}

}  // namespace projfgd
