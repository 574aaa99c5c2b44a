// What the methods of phase retrieval are made of.
#pragma once

#include <utility>

#include "jobs/phase/methods.hpp"
#include "projfgd/constraints/entrywise.hpp"
#include "projfgd/constraints/none.hpp"
#include "projfgd/constraints/refined_l1.hpp"
#include "projfgd/constraints/within.hpp"
#include "projfgd/core/phase_objective.hpp"
#include "projfgd/jobs/phase.hpp"
#include "projfgd/solvers/alternating_projections.hpp"
#include "projfgd/solvers/block_kaczmarz.hpp"
#include "projfgd/solvers/douglas_rachford.hpp"
#include "projfgd/solvers/phase_descent.hpp"
#include "projfgd/solvers/projfgd.hpp"

namespace projfgd {

template <class S>
using Answered = Result<Matrix<S>>;

template <class S>
AnyConstraint<S> within_support(const PhaseCall<S>& call, AnyConstraint<S> set) {
  return Within(call.support, std::move(set));
}

template <class S>
AnyConstraint<S> l1_set(const PhaseCall<S>& call, double radius) {
  if (call.nonnegative) return within_support<S>(call, NonnegativeL1Ball(radius));
  return within_support<S>(call, L1Ball(radius));
}

/// Block passes; leaves the set with the radius that they found where it was not given.
template <class S>
Answered<S> block_passes(PhaseCall<S>& call, Matrix<S> start) {
  call.way.loss = PointwiseLoss::amplitude;
  // The radius is right only once the passes settle.
  const double slow = call.unknown_radius ? 0.9 : block_kaczmarz_slow;
  const auto run = [&](const AnyConstraint<S>& each, const AnyConstraint<S>& set) {
    return block_kaczmarz(call.op, call.amplitude, each, set, std::move(start), call.left(),
                          call.watch, slow);
  };
  if (!call.unknown_radius) return run(call.each, call.set);
  const RefinedL1Ball<S> ball(call.nonnegative);
  const AnyConstraint<S> inside = within_support<S>(call, ball);
  // Nonnegative numbers lead the way themselves; without them the ball is needed after each block.
  auto result = call.nonnegative ? run(call.each, inside) : run(inside, Unconstrained{});
  // Without a pass nothing was projected, and what was given stands.
  call.way.radius = ball.radius() > 0 ? ball.radius() : result.factor.cwiseAbs().sum();
  call.set = l1_set(call, call.way.radius);
  return result;
}

template <class S>
Answered<S> block_passes(PhaseCall<S>& call) {
  return block_passes(call, call.start(start_name::random, 0));
}

inline constexpr Index most_passes = 1000;

/// Full steps from z on the loss of that name: preconditioned conjugate gradients without a set,
/// projected quasi-Newton steps with one, whatever step rule was asked of the method projfgd.
template <class S>
Answered<S> full_steps(PhaseCall<S>& call, PointwiseLoss loss, Matrix<S> z) {
  call.way.loss = loss;
  Options options = call.left();
  options.step = StepRule::automatic;
  return with_kernel(loss, [&](auto kernel) {
    using Kernel = decltype(kernel);
    if (call.unconstrained) {
      return phase_descent<Kernel>(call.op, call.y, std::move(z), options, call.watch);
    }
    PhaseObjective<BlockOperator<S>, Kernel> f(call.op, call.y);
    return projfgd(f, call.set, Start<Matrix<S>>{std::move(z), 0}, options, call.watch);
  });
}

template <class S>
Answered<S> alternate(PhaseCall<S>& call, const AnyConstraint<S>& set, Matrix<S> start,
                      double beta) {
  call.way.loss = PointwiseLoss::amplitude;
  return alternating_projections(call.op, call.amplitude, set, std::move(start), beta, call.left(),
                                 call.watch);
}

inline constexpr double hybrid_beta = 0.9;

template <class S>
Answered<S> reflections(PhaseCall<S>& call, Matrix<S> start) {
  call.way.loss = PointwiseLoss::amplitude;
  return douglas_rachford(call.op, call.amplitude, call.set, std::move(start), call.left(),
                          call.watch);
}

}  // namespace projfgd
