// Projected Factored Gradient Descent: Algorithm 1 of the paper.
#pragma once

#include <cmath>
#include <limits>
#include <utility>

#include "projfgd/core/error.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/solvers/automatic.hpp"
#include "projfgd/solvers/checks.hpp"
#include "projfgd/starts/random.hpp"
#include "projfgd/starts/spectral.hpp"

namespace projfgd {

/// Why f, or its gradient G, is not finite at U, which began with that size; f was `value` before.
template <Factor F>
const char* what_went_wrong(const F& g, const F& u, double value, double start_size) {
  if (value < 0 && norm(u) > far_out * start_size) return "f falls without bound";
  if (!std::isfinite(norm(g))) return "the gradient of f is not finite";
  if (!std::isfinite(norm(u))) return "the projection of a point is not finite";
  return "the objective became infinite: the step size is too large";
}

/// Whether f, `value` at U, is lower a good way along -G.
template <Objective O, Constraint<typename O::Factor> C>
bool falls_far_along(O& f, const C& set, const typename O::Factor& u, const typename O::Factor& g,
                     double value) {
  using Real = RealOf<typename O::Factor>;
  const double size = norm(u), steepness = norm(g);
  const double rounding =
      20 * std::numeric_limits<Real>::epsilon() * (std::abs(value) + steepness * size);
  for (double length = 0.1; length > 1e-4; length /= 10) {
    typename O::Factor next = u;
    axpy(static_cast<Real>(-length * size / steepness), g, next);
    set.project(next);
    if (f.at(next) < value - rounding) return true;
  }
  return false;
}

/// Lines 4 to 9 of Algorithm 1 with the paper's step sizes, from line 3's U in C.
template <Objective O, Constraint<typename O::Factor> C, class Watcher>
Result<typename O::Factor> gradient_steps(O& f, const C& set, Start<typename O::Factor> start,
                                          const Options& options, Watcher& watcher) {
  using F = typename O::Factor;
  const double smoothness = start.smoothness;
  Monitor<F, Watcher> monitor(options, watcher);
  F u = std::move(start.factor), g, before, best;
  Index best_at = 0;
  double value = f.at(u), least = std::numeric_limits<double>::infinity();
  const double c = options.step_constant, start_size = norm(u);
  double eta = options.step_size;
  const auto differentiate = [&] {  // g = grad f(U U^H) U
    if constexpr (KnowsGradientMap<O>) {
      if (options.step == StepRule::theory_adaptive && norm(u) > 0) {
        eta = adaptive_theory_step(f, u, smoothness, c, g);
        return;
      }
    }
    f.gradient_times(u, g);
  };
  if (!std::isfinite(value)) {
    monitor.record(u, value, std::numeric_limits<double>::infinity());
    monitor.stop(Status::diverged, "f is not finite at the start");
    return monitor.result(std::move(u), value);
  }
  differentiate();
  require_gradient(u, g);
  if constexpr (KnowsGradientMap<O>) {
    if (options.step == StepRule::theory) eta = theory_step(f, u, smoothness, c);
  }
  double first = -1;  // projected gradient
  GradientScale scale(0, 0);
  bool stop = monitor.record(u, value, std::numeric_limits<double>::infinity());
  while (!stop) {
    before = u;
    axpy(-static_cast<RealOf<F>>(eta), g, u);  // U - eta grad f(U U^H) U
    set.project(u);                            // P_C
    const double next = f.at(u);
    const bool finite = std::isfinite(next);
    if (!(finite && next <= value) && value < least) {
      best = before;
      best_at = monitor.iterations();
      least = value;
    }
    if (!finite) {
      monitor.stop(Status::diverged, what_went_wrong(g, u, value, start_size));
      return monitor.earlier_result(std::move(best), least, best_at);
    }
    value = next;
    subtract(u, before, g);
    const double stationarity = norm(g) / eta;  // of the point before
    if (first < 0) {
      first = stationarity;
      scale = {stationarity, norm(before)};
    }
    const double change = change_by_step(u, g);
    differentiate();
    stop = monitor.record(u, value, change);
    if (!stop && norm(u) == 0) {
      stop = monitor.stop(Status::stalled, "U is 0, which no gradient step leaves");
    } else if (!stop && !std::isfinite(norm(g))) {
      stop = monitor.stop(Status::diverged, what_went_wrong(g, u, value, start_size));
    } else if (!stop && stationarity <= options.gradient_tolerance * scale.gradient() &&
               !scale.follow(stationarity, norm(u))) {
      stop = monitor.stop(Status::converged, "the projected gradient fell below the tolerance");
    }
  }
  if (monitor.status() == Status::diverged && least < value) {
    return monitor.earlier_result(std::move(best), least, best_at);
  }
  double stationarity = 0;  // as at U = 0
  if (norm(g) > 0) {
    before = u;
    axpy(-static_cast<RealOf<F>>(eta), g, before);
    set.project(before);
    subtract(u, before, before);
    stationarity = norm(before) / eta;
  }
  constexpr double hardly = 0.5;  // fallen
  if (monitor.status() == Status::converged && stationarity > hardly * first &&
      falls_far_along(f, set, u, g, value)) {
    monitor.stop(Status::stalled,
                 "the steps are shorter than the tolerance, and f falls along longer ones");
  }
  return monitor.result(std::move(u), value, stationarity);
}

/// L where nobody has said it: the curvature of f along X, from X to 2 X.
template <Objective O>
double curvature_along(O& f, typename O::Factor u) {
  const double size = product_norm(u);
  typename O::Factor g;
  const auto slope = [&](double t) -> double {  // <grad f(t X), X>
    if (const double value = f.at(u); !std::isfinite(value)) return value;
    f.gradient_times(u, g);
    return dot(u, g) / t;
  };
  const double first = slope(1);
  scale(static_cast<RealOf<typename O::Factor>>(std::sqrt(2.0)), u);
  const double curvature = (slope(2) - first) / (size * size);
  if (std::isfinite(curvature) && curvature > 0) return curvature;
  return size > 0 ? 1 / size : 1;
}

/// Minimises f(U U^H) over U in C from a given start.
template <Objective O, Constraint<typename O::Factor> C, class Watcher = NoObserver>
Result<typename O::Factor> projfgd(O& f, const C& set, Start<typename O::Factor> start,
                                   const Options& options = {}, Watcher watcher = {}) {
  validate(options);
  validate_rank(start.factor.cols(), f.rows());
  require_size("rows of the start", start.factor.rows(), f.rows());
  require_option(start.smoothness >= 0 && std::isfinite(start.smoothness), "smoothness",
                 start.smoothness, "a number > 0, or 0 to estimate it");
  if (options.smoothness > 0) start.smoothness = options.smoothness;
  const bool theory = options.step == StepRule::theory || options.step == StepRule::theory_adaptive;
  if (theory && !KnowsGradientMap<O>) {
    throw InputError(
        "option step: found a theory rule, expected auto or a number > 0, since a function of U "
        "alone does not give the norm of its gradient");
  }
  if (theory && !(start.smoothness > 0)) {
    start.smoothness = curvature_along(f, start.factor);
  }
  project_start(set, start.factor);
  if (options.step != StepRule::automatic) {
    return gradient_steps(f, set, std::move(start), options, watcher);
  }
  return AutomaticSolver<O, C, Watcher>(f, set, options, watcher).run(std::move(start));
}

/// X_0 = (1/L) P_+(-grad f(0)), or a random one where f is infinite at 0, as a barrier is, or does
/// not know that matrix.
template <Objective O>
Start<typename O::Factor> default_start(O& f, Index rank, const Options& options) {
  if constexpr (KnowsStart<O> || KnowsGradientMap<O>) {
    if (is_finite_at_zero(f)) {
      return spectral_start(f, rank, options.smoothness, start_accuracy(options.seed));
    }
  }
  return random_start(f, rank, options.seed);
}

/// Minimises f(U U^H) over U in C with r columns, from the default start.
template <Objective O, Constraint<typename O::Factor> C, class Watcher = NoObserver>
Result<typename O::Factor> projfgd(O& f, const C& set, Index rank, const Options& options = {},
                                   Watcher watcher = {}) {
  validate(options);
  return projfgd(f, set, default_start(f, rank, options), options, std::move(watcher));
}

}  // namespace projfgd
