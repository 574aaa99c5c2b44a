#pragma once

#include <cmath>
#include <complex>
#include <limits>
#include <utility>

#include "projfgd/core/phase_elements.hpp"
#include "projfgd/measures/distance.hpp"
#include "projfgd/measures/image.hpp"
#include "projfgd/solvers/monitor.hpp"

namespace projfgd {

/// Alternating projections between |A z| = b and a set C (Gerchberg, Saxton 1972; Fienup 1982).
/// With P_M z = z + (A^H A)^{-1} A^H (b phase(A z) - A z):
///
///   beta = 0:  z <- P_C(P_M z), error reduction; without a set, Gerchberg-Saxton;
///   beta > 0:  z <- z + P_C((1 + beta) P_M z - z) - beta P_M z, which for a support is the hybrid
///              input-output method (Bauschke, Combettes, Luke 2003). The answer is P_C(P_M z),
///              the objective of a row of the trace that of z, as is the last where time is up.
template <LinearMeasurement A, Constraint<typename A::Factor> C, class Watcher = NoObserver>
Result<typename A::Factor> alternating_projections(const A& op, const typename A::Values& amplitude,
                                                   const C& set, typename A::Factor z, double beta,
                                                   const Options& options = {},
                                                   Watcher watcher = {}) {
  using F = typename A::Factor;
  using Real = RealOf<F>;
  validate(options);
  Monitor<F, Watcher> monitor(options, watcher);
  set.project(z);
  F modulus, next, answer = z, last, step;
  double misfit = 0, change = std::numeric_limits<double>::infinity();
  while (true) {
    misfit = op.pass(z, element::AmplitudeStep{}, modulus, amplitude);
    op.solve_normal(modulus);
    axpy(1, z, modulus);
    if (!std::isfinite(misfit)) {
      monitor.stop(Status::diverged, "an iterate was not finite");
      break;
    }
    const bool stop = monitor.record(answer, misfit, change);
    if (!monitor.goes_on(stop, z, modulus, answer, misfit, change)) break;
    last = answer;
    answer = modulus;
    set.project(answer);
    subtract(answer, last, step);
    change = change_by_step(answer, step);
    if (beta == 0) {
      z = answer;
    } else {
      next = modulus;
      scale(static_cast<Real>(1 + beta), next);
      axpy(-1, z, next);
      set.project(next);
      axpy(1, next, z);
      axpy(static_cast<Real>(-beta), modulus, z);
    }
  }
  if (beta > 0 && monitor.in_time()) {
    misfit = amplitude_objective(op, amplitude, answer);
  }
  return monitor.result(std::move(answer), misfit);
}

}  // namespace projfgd
