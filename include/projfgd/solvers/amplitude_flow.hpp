#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <utility>

#include "projfgd/core/phase_objective.hpp"
#include "projfgd/losses/pointwise.hpp"
#include "projfgd/measures/distance.hpp"
#include "projfgd/solvers/monitor.hpp"

namespace projfgd {

/// The step of Barzilai and Borwein for a change s of the point and a change d of the gradient:
/// ||s||^2 / <s, d>, the longer one, less half of the shorter <s, d> / ||d||^2, or the shorter
/// where the two are of one size (Zhou, Gao, Dai 2006). `otherwise` where the curvature is not
/// positive.
inline double adaptive_step(double ss, double sd, double dd, double otherwise) {
  if (!(sd > 0) || !(dd > 0)) return otherwise;
  const double longer = ss / sd, shorter = sd / dd;
  return 2 * shorter > longer ? shorter : longer - shorter / 2;
}

/// Amplitude flow with adaptive steps, as PhasePack has it (Chandra et al. 2017): gradient descent
/// on f(z) = 1/2 || |A z| - sqrt y ||^2,
///
///   z <- z - tau A^H (A z - sqrt y phase(A z)),
///
/// with the step of Barzilai and Borwein, cut to a fifth until f is below the largest of its last
/// ten values (Grippo, Lampariello, Lucidi 1986). The first step is what A^H A says of the first
/// gradient, and costs no product. A step that is not cut costs one product and one adjoint.
template <LinearMeasurement A, class Watcher = NoObserver>
Result<typename A::Factor> amplitude_flow(const A& op, const typename A::Values& y,
                                          typename A::Factor z, const Options& options = {},
                                          Watcher watcher = {}) {
  using F = typename A::Factor;
  using Real = RealOf<F>;
  constexpr std::size_t remembered = 10;
  constexpr double cut = 0.2, decrease = 0.1;
  validate(options);
  Monitor<F, Watcher> monitor(options, watcher);
  PhaseObjective<A, AmplitudeKernel> f(op, y);
  F g, next, next_g, step, turn;  // g is half the gradient in the space of real and imaginary parts
  double value = f.at(z);
  f.gradient_times(z, g);
  next = g;
  op.solve_normal(next);
  double length = dot(g, next) / dot(g, g);
  std::array<double, remembered> recent;
  recent.fill(value);
  bool stop = monitor.record(z, value, std::numeric_limits<double>::infinity());
  for (std::size_t t = 1;
       monitor.goes_on(stop, z, g, Remembered<decltype(f)>{f, z}, length, recent, value, t); ++t) {
    const double highest = *std::max_element(recent.begin(), recent.end());
    const double slope = 2 * decrease * dot(g, g);
    double next_value = std::numeric_limits<double>::infinity();
    const double shortest = std::numeric_limits<Real>::epsilon() * norm(z) / norm(g);
    for (; 2 * length > shortest; length *= cut) {
      next = z;
      axpy(static_cast<Real>(-2 * length), g, next);
      next_value = f.at(next);
      if (next_value <= highest - 2 * length * slope) break;
    }
    if (!(next_value < highest)) {
      monitor.stop(Status::converged, "no further decrease in this precision");
      break;
    }
    subtract(next, z, step);
    f.gradient_times(next, next_g);
    subtract(next_g, g, turn);
    length = adaptive_step(dot(step, step), 2 * dot(step, turn), 4 * dot(turn, turn), length);
    std::swap(z, next);
    std::swap(g, next_g);
    value = recent[t % remembered] = next_value;
    stop = monitor.record(z, value, change_by_small_step(z, step));
  }
  return monitor.result(std::move(z), value, norm(g));
}

}  // namespace projfgd
