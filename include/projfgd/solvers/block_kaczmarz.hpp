#pragma once

#include <array>
#include <cmath>
#include <cstddef>
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
/// run then ends as `stalled`, for another method to finish: once the change of a pass is small,
/// eight passes must lower it by a tenth at least. With few data they contract by as little as 0.95
/// each, which is a third in eight.
template <LinearMeasurement A, Constraint<typename A::Factor> E, Constraint<typename A::Factor> C,
          class Watcher = NoObserver>
Result<typename A::Factor> block_kaczmarz(const A& op, const typename A::Values& amplitude,
                                          const E& each, const C& set, typename A::Factor z,
                                          const Options& options = {}, Watcher watcher = {}) {
  using F = typename A::Factor;
  constexpr std::size_t window = 8;
  constexpr double slow = 0.9, near_enough = 0.1;
  validate(options);
  Monitor<F, Watcher> monitor(options, watcher);
  set.project(z);
  F before, step;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double change = infinity, misfit = infinity;
  std::array<double, window> changes;  // of the last passes
  changes.fill(infinity);
  bool stop = monitor.record(z, misfit, change);
  while (monitor.goes_on(stop, z, change, misfit, changes)) {
    before = z;
    misfit = 0;
    for (Index b = 0; b < op.blocks(); ++b) {
      misfit += op.project_block(b, amplitude, z);
      each.project(z);
    }
    set.project(z);
    subtract(z, before, step);
    const double last = change;
    change = change_by_small_step(z, step);
    if (!std::isfinite(change)) {
      z = before;
      stop = monitor.stop(Status::diverged, "an iterate was not finite");
      break;
    }
    stop = monitor.record(z, misfit, change);
    const double ratio = change / last;
    const bool near = std::isfinite(last) && change < near_enough;
    double& oldest = changes[static_cast<std::size_t>(monitor.iterations()) % window];
    if (near && (!stop || monitor.is_cut_short())) {
      // The error left is that of a geometric series.
      if (ratio < 0.5 && change * ratio / (1 - ratio) <= options.tolerance) {
        stop = monitor.stop(Status::converged, "the error left fell below the tolerance");
      } else if (change > slow * oldest) {
        stop = monitor.stop(Status::stalled, "the passes no longer get nearer");
      }
    }
    oldest = change;
  }
  if (!std::isfinite(misfit)) {  // that of the last whole pass, and there was none
    misfit = amplitude_objective(op, amplitude, z);
  }
  return monitor.result(std::move(z), misfit);
}

}  // namespace projfgd
