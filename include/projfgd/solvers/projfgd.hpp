// Projected Factored Gradient Descent: Algorithm 1 of the paper.
#pragma once

#include <cmath>
#include <utility>

#include "projfgd/core/error.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/solvers/automatic.hpp"
#include "projfgd/solvers/checks.hpp"
#include "projfgd/solvers/gradient_steps.hpp"
#include "projfgd/starts/random.hpp"
#include "projfgd/starts/spectral.hpp"

namespace projfgd {

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
  require_smoothness(start.smoothness);
  if (options.smoothness > 0) start.smoothness = options.smoothness;
  const bool theory = options.step == StepRule::theory || options.step == StepRule::theory_adaptive;
  if (theory && !KnowsGradientMap<O>) {
    throw InputError(
        "--step: found a theory rule, expected auto or a number > 0, since a function of U "
        "alone does not give the norm of its gradient");
  }
  if (theory && !(start.smoothness > 0)) {
    start.smoothness = curvature_along(f, start.factor);
  }
  project_start(set, start.factor);
  if (options.step != StepRule::automatic) {
    return GradientSteps<O, C, Watcher>(f, set, options, watcher).run(std::move(start));
  }
  return AutomaticSolver<O, C, Watcher>(f, set, options, watcher).run(std::move(start));
}

/// X_0 = (1/L) P_+(-grad f(0)), or a random one where f is infinite at 0, as a barrier is, or does
/// not know that matrix.
template <Objective O>
Start<typename O::Factor> default_start(O& f, Index rank, const Options& options) {
  const auto go_on = [&options, watch = Stopwatch()] {
    return may_go_on(options, watch.seconds());
  };
  if constexpr (KnowsStart<O> || KnowsGradientMap<O>) {
    if (is_finite_at_zero(f)) {
      EigenOptions eigen = start_accuracy(options.seed);
      eigen.go_on = go_on;
      return spectral_start(f, rank, options.smoothness, eigen);
    }
  }
  return random_start(f, rank, options.seed, go_on);
}

/// Minimises f(U U^H) over U in C with r columns, from the default start, whose time counts.
template <Objective O, Constraint<typename O::Factor> C, class Watcher = NoObserver>
Result<typename O::Factor> projfgd(O& f, const C& set, Index rank, const Options& options = {},
                                   Watcher watcher = {}) {
  validate(options);
  const Stopwatch watch;
  Start<typename O::Factor> start = default_start(f, rank, options);
  Options rest = options;
  rest.time_limit = time_left(options.time_limit, watch.seconds());
  return projfgd(f, set, std::move(start), rest, std::move(watcher));
}

}  // namespace projfgd
