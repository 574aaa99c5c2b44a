// What the methods of phase retrieval are made of.
#pragma once

#include <limits>
#include <utility>

#include "jobs/phase/evened.hpp"
#include "jobs/phase/methods.hpp"
#include "projfgd/constraints/entrywise.hpp"
#include "projfgd/constraints/none.hpp"
#include "projfgd/constraints/refined_l1.hpp"
#include "projfgd/constraints/within.hpp"
#include "projfgd/core/phase_objective.hpp"
#include "projfgd/jobs/phase.hpp"
#include "projfgd/solvers/alternating_projections.hpp"
#include "projfgd/solvers/block_kaczmarz.hpp"
#include "projfgd/solvers/phase_descent.hpp"
#include "projfgd/solvers/projfgd.hpp"
#include "projfgd/solvers/sequential_raar.hpp"

namespace projfgd {

template <class S>
using Answered = Result<Matrix<S>>;

inline constexpr double hybrid_beta = 0.9;

template <class S>
AnyConstraint<S> l1_set(const PhaseSets<S>& sets, double radius) {
  if (sets.nonnegative) return Within(sets.support, AnyConstraint<S>(NonnegativeL1Ball(radius)));
  return Within(sets.support, AnyConstraint<S>(L1Ball(radius)));
}

/// The sets with an l1 ball of that radius.
template <class S>
PhaseSets<S> with_radius(PhaseSets<S> sets, double radius) {
  sets.set = l1_set(sets, radius);
  sets.unknown_radius = false;
  return sets;
}

/// The sets without the ball.
template <class S>
PhaseSets<S> without_ball(PhaseSets<S> sets) {
  sets.set = sets.nonnegative ? sets.each : sets.support;
  sets.each = sets.set;
  sets.entrywise = true;
  sets.unknown_radius = false;
  return sets;
}

template <class S>
Answered<S> block_passes(const PhaseCall<S>& call, const PhaseStage<S>& stage, Matrix<S> start,
                         double lambda = 1) {
  return call.run.stage(stage, [&](const Options& options, const auto& watch) {
    return block_kaczmarz(call.op, call.amplitude, call.sets.each, call.sets.set, std::move(start),
                          options, watch, lambda);
  });
}

/// An image and the radius of the l1 ball that it was found in.
template <class S>
struct InBall {
  Answered<S> result;
  double radius = 0;
};

/// Block passes that find the radius of the ball on the way.
template <class S>
InBall<S> ball_passes(const PhaseCall<S>& call, const PhaseStage<S>& stage, Matrix<S> start) {
  const RefinedL1Ball<S> ball(call.sets.nonnegative);
  const AnyConstraint<S> inside = Within(call.sets.support, AnyConstraint<S>(ball));
  PhaseStage<S> passes = stage;
  passes.changes = [&](Archive& archive) { ball.keep(archive); };
  Answered<S> result = call.run.stage(passes, [&](const Options& options, const auto& watch) {
    // Nonnegative numbers guide the passes by themselves; without them the ball is needed after
    // each block.
    const AnyConstraint<S> free = Unconstrained{};
    return block_kaczmarz(call.op, call.amplitude, call.sets.nonnegative ? call.sets.each : inside,
                          call.sets.nonnegative ? inside : free, std::move(start), options, watch);
  });
  // Without a pass nothing was projected, and what was given stands.
  const double size = static_cast<double>(result.factor.cwiseAbs().sum());
  return {std::move(result), ball.radius() > 0 ? ball.radius() : size};
}

/// Projected steps in coordinates in which every pixel is measured alike.
template <class S, class O, class Watch>
Answered<S> evened_steps(const PhaseCall<S>& call, O& f, const Options& options, const Watch& watch,
                         Matrix<S> z) {
  Matrix<S> diagonal = Matrix<S>::Ones(call.op.rows(), 1);
  call.op.solve_root(diagonal);
  Evened<O> evened(f, std::move(diagonal));
  const auto seen = [&](const Snapshot<Matrix<S>>& now) {
    const Matrix<S> image = evened.image(now.factor);
    return watch(Snapshot<Matrix<S>>{image, now.row});
  };
  Answered<S> result = projfgd(
      evened, call.sets.set, Start<Matrix<S>>{evened.coordinates(std::move(z)), 0}, options, seen);
  result.factor = evened.image(result.factor);
  result.projected_gradient = std::numeric_limits<double>::quiet_NaN();  // in other coordinates
  return result;
}

/// Full steps from z: preconditioned conjugate gradients without a set, projected quasi-Newton
/// steps with one, whatever step rule was asked of the method projfgd.
template <class S>
Answered<S> full_steps(const PhaseCall<S>& call, const PhaseStage<S>& stage, Matrix<S> z) {
  return call.run.stage(stage, [&](Options options, const auto& watch) {
    options.step = StepRule::automatic;
    return with_kernel(stage.loss, [&](auto kernel) {
      using Kernel = decltype(kernel);
      if (call.sets.unconstrained) {
        return phase_descent<Kernel>(call.op, call.y, std::move(z), options, watch);
      }
      PhaseObjective<BlockOperator<S>, Kernel> f(call.op, call.y);
      if (!call.sets.entrywise || !call.fourier) {
        return projfgd(f, call.sets.set, Start<Matrix<S>>{std::move(z), 0}, options, watch);
      }
      return evened_steps(call, f, options, watch, std::move(z));
    });
  });
}

template <class S>
Answered<S> alternate(const PhaseCall<S>& call, const char* name, const AnyConstraint<S>& set,
                      Matrix<S> start, double beta) {
  return call.run.stage({name}, [&](const Options& options, const auto& watch) {
    return alternating_projections(call.op, call.amplitude, set, std::move(start), beta, options,
                                   watch);
  });
}

template <class S>
using Reflections = SequentialRaar<BlockOperator<S>, AnyConstraint<S>>;

}  // namespace projfgd
