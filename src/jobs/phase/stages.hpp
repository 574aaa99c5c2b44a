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

template <class A>
using Answered = Result<ImageOf<A>>;

inline constexpr double hybrid_beta = 0.9;

template <class A>
SetOf<A> l1_set(const PhaseSets<A>& sets, double radius) {
  if (sets.nonnegative) return Within(sets.support, SetOf<A>(NonnegativeL1Ball(radius)));
  return Within(sets.support, SetOf<A>(L1Ball(radius)));
}

/// The sets with an l1 ball of that radius.
template <class A>
PhaseSets<A> with_radius(PhaseSets<A> sets, double radius) {
  sets.set = l1_set(sets, radius);
  sets.unknown_radius = false;
  return sets;
}

/// The sets without the ball.
template <class A>
PhaseSets<A> without_ball(PhaseSets<A> sets) {
  sets.set = sets.nonnegative ? sets.each : sets.support;
  sets.each = sets.set;
  sets.entrywise = true;
  sets.unknown_radius = false;
  return sets;
}

/// The nonnegative images of those sets.
template <class A>
PhaseSets<A> nonnegative(PhaseSets<A> sets) {
  sets.set = sets.each = Within(sets.support, SetOf<A>(Nonnegative{}));
  sets.holds_nonnegative = false;
  return sets;
}

template <class A>
Answered<A> block_passes(const PhaseCall<A>& call, const PhaseSets<A>& sets,
                         const PhaseStage<ImageOf<A>>& stage, ImageOf<A> start) {
  return call.run.stage(stage, [&](const Options& options, const auto& watch) {
    return block_kaczmarz(call.op, call.amplitude, sets.each, sets.set, std::move(start), options,
                          watch);
  });
}

/// An image and the radius of the l1 ball that it was found in.
template <class A>
struct InBall {
  Answered<A> result;
  double radius = 0;
};

/// Block passes that find the radius of the ball on the way.
template <class A>
InBall<A> ball_passes(const PhaseCall<A>& call, const PhaseStage<ImageOf<A>>& stage,
                      ImageOf<A> start) {
  const RefinedL1Ball<ImageOf<A>> ball(call.sets.nonnegative);
  const SetOf<A> inside = Within(call.sets.support, SetOf<A>(ball));
  PhaseStage<ImageOf<A>> passes = stage;
  passes.changes = [&](Archive& archive) { ball.keep(archive); };
  Answered<A> result = call.run.stage(passes, [&](const Options& options, const auto& watch) {
    // Nonnegative numbers guide the passes by themselves; without them the ball is needed after
    // each block.
    const SetOf<A> free = Unconstrained{};
    return block_kaczmarz(call.op, call.amplitude, call.sets.nonnegative ? call.sets.each : inside,
                          call.sets.nonnegative ? inside : free, std::move(start), options, watch);
  });
  // Without a pass nothing was projected, and what was given stands.
  const double size = l1_norm(result.factor);
  return {std::move(result), ball.radius() > 0 ? ball.radius() : size};
}

/// Projected steps in coordinates in which every pixel is measured alike.
template <class A, class O, class Watch>
Answered<A> evened_steps(const PhaseCall<A>& call, O& f, const Options& options, const Watch& watch,
                         ImageOf<A> z) {
  ImageOf<A> diagonal;
  copy_from_host(Matrix<typename A::Scalar>(Matrix<typename A::Scalar>::Ones(call.op.rows(), 1)),
                 diagonal);
  call.op.solve_root(diagonal);
  Evened<O> evened(f, std::move(diagonal));
  const auto seen = [&](const Snapshot<ImageOf<A>>& now) {
    return watch(Snapshot<ImageOf<A>>{evened.image(now.factor), now.row});
  };
  Answered<A> result = projfgd(
      evened, call.sets.set, Start<ImageOf<A>>{evened.coordinates(std::move(z)), 0}, options, seen);
  result.factor = evened.image(result.factor);
  result.projected_gradient = std::numeric_limits<double>::quiet_NaN();  // in other coordinates
  return result;
}

/// Full steps from z: preconditioned conjugate gradients without a set, projected quasi-Newton
/// steps with one, whatever step rule was asked of the method projfgd.
template <class A>
Answered<A> full_steps(const PhaseCall<A>& call, const PhaseStage<ImageOf<A>>& stage,
                       ImageOf<A> z) {
  return call.run.stage(stage, [&](Options options, const auto& watch) {
    options.step = StepRule::automatic;
    return with_kernel(stage.loss, [&](auto kernel) {
      using Kernel = decltype(kernel);
      if (call.sets.unconstrained) {
        return phase_descent<Kernel>(call.op, call.y, std::move(z), options, watch);
      }
      PhaseObjective<A, Kernel> f(call.op, call.y);
      if (!call.sets.entrywise || !call.fourier) {
        return projfgd(f, call.sets.set, Start<ImageOf<A>>{std::move(z), 0}, options, watch);
      }
      return evened_steps(call, f, options, watch, std::move(z));
    });
  });
}

template <class A>
Answered<A> alternate(const PhaseCall<A>& call, const char* name, const SetOf<A>& set,
                      ImageOf<A> start, double beta) {
  return call.run.stage({name}, [&](const Options& options, const auto& watch) {
    return alternating_projections(call.op, call.amplitude, set, std::move(start), beta, options,
                                   watch);
  });
}

template <class A>
using Reflections = SequentialRaar<A, SetOf<A>>;

}  // namespace projfgd
