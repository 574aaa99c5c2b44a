#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "projfgd/core/phase_objective.hpp"
#include "projfgd/losses/pointwise.hpp"
#include "projfgd/measures/distance.hpp"
#include "projfgd/solvers/monitor.hpp"
#include "projfgd/starts/phase.hpp"

namespace projfgd {

/// The longest mu_t of Wirtinger Flow as published.
constexpr double wirtinger_longest(bool image) { return image ? 0.4 : 0.2; }

/// Wirtinger Flow (Candes, Li, Soltanolkotabi 2015) with a projection after each step:
///
///   z <- P_C(z - mu_t / ||z_0||^2 (1/m) A^H((|A z|^2 - y) A z)),  mu_t = min(1 - e^{-t/t_0}, 0.4).
///
/// Without a set it is the published method; with an l1 ball it is the ProjFGD of the paper's
/// phase retrieval experiment.
template <LinearMeasurement A, Constraint<typename A::Factor> C, class Watcher = NoObserver>
Result<typename A::Factor> wirtinger_flow(const A& op, const typename A::Values& y, const C& set,
                                          typename A::Factor z, const Options& options = {},
                                          Watcher watcher = {},
                                          double longest = wirtinger_longest(true)) {
  using F = typename A::Factor;
  using Real = RealOf<F>;
  constexpr double ramp = 330;  // t_0
  validate(options);
  Monitor<F, Watcher> monitor(options, watcher);
  PhaseObjective<A, IntensityKernel> f(op, y);
  const double size = norm(z), unit = size * size * static_cast<double>(measured_by(op));
  set.project(z);
  F g, step_taken, before = z;
  BestPoint<F> best;
  double change = std::numeric_limits<double>::infinity(), value = f.at(z);
  if (!std::isfinite(value)) {
    monitor.record(z, value, change);
    monitor.stop(Status::diverged, "the objective is not finite at the start");
    return monitor.result(std::move(z), value);
  }
  for (Index t = 1;; ++t) {
    const bool stop = !monitor.goes_on(monitor.record(z, value, change), z,
                                       Remembered<decltype(f)>{f, z}, best, value, change, t);
    const double mu = std::min(1 - std::exp(-static_cast<double>(t) / ramp), longest);
    const double step = mu / unit;
    before = z;
    f.gradient_times(z, g);  // free: it came with the value
    axpy(static_cast<Real>(-step), g, z);
    set.project(z);
    if (stop && best.value < value) return monitor.earlier_result(std::move(best));
    if (stop) {
      subtract(before, z, g);
      return monitor.result(std::move(before), value, norm(g) / step);
    }
    const double next = f.at(z);
    if (!(next <= value)) best.keep(before, value, monitor.iterations());
    if (!std::isfinite(next)) {
      monitor.stop(Status::diverged, "the objective became infinite");
      return monitor.earlier_result(std::move(best));
    }
    value = next;
    subtract(z, before, step_taken);
    change = change_by_step(z, step_taken);
  }
}

}  // namespace projfgd
