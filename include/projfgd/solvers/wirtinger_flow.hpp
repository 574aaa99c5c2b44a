#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "projfgd/core/phase_objective.hpp"
#include "projfgd/losses/pointwise.hpp"
#include "projfgd/measures/distance.hpp"
#include "projfgd/solvers/monitor.hpp"

namespace projfgd {

struct WirtingerRules {
  double ramp = 330;     ///< t_0
  double longest = 0.4;  ///< of mu_t; 0.2 for one-dimensional signals
};

/// Wirtinger Flow (Candes, Li, Soltanolkotabi 2015) with a projection after each step:
///
///   z <- P_C(z - mu_t / ||z_0||^2 (1/m) A^H((|A z|^2 - y) A z)),  mu_t = min(1 - e^{-t/t_0}, 0.4).
///
/// Without a set it is the published method; with an l1 ball it is the ProjFGD of the paper's
/// phase retrieval experiment.
template <LinearMeasurement A, Constraint<typename A::Factor> C, class Watcher = NoObserver>
Result<typename A::Factor> wirtinger_flow(const A& op, const Vector<RealOf<typename A::Factor>>& y,
                                          const C& set, typename A::Factor z,
                                          const Options& options = {}, Watcher watcher = {},
                                          const WirtingerRules& rules = {}) {
  using F = typename A::Factor;
  using Real = RealOf<F>;
  Monitor<F, Watcher> monitor(options, watcher);
  PhaseObjective<A, IntensityKernel> f(op, y);
  const double size = norm(z), unit = size * size * static_cast<double>(op.measurements());
  F g, before;
  double change = std::numeric_limits<double>::infinity(), value = 0, step = 0;
  for (Index t = 1;; ++t) {
    value = f.at(z);
    if (!std::isfinite(value)) {
      monitor.stop(Status::diverged, "the objective became infinite");
      z = before;
      break;
    }
    if (monitor.record(z, value, change)) break;
    f.gradient_times(z, g);
    before = z;
    step = std::min(1 - std::exp(-static_cast<double>(t) / rules.ramp), rules.longest) / unit;
    axpy(static_cast<Real>(-step), g, z);
    set.project(z);
    change = relative_change(z, before);
  }
  return monitor.result(std::move(z), value, norm(g));
}

}  // namespace projfgd
