// What the tests of an f and a C that somebody wrote begin with.
#pragma once

#include "projfgd/core/composite.hpp"
#include "projfgd/core/options.hpp"
#include "projfgd/losses/least_squares.hpp"
#include "projfgd/operators/identity.hpp"

namespace projfgd::test::user {

using F = Matrix<double>;

inline constexpr StepRule rules[] = {StepRule::automatic, StepRule::theory,
                                     StepRule::theory_adaptive, StepRule::constant};

inline Options with(StepRule rule) {
  Options options;
  options.step = rule;
  options.step_size = 1e-3;
  options.max_iterations = 2000;
  return options;
}

/// 1/2 ||U U^T - M||^2, M of 4 x 4.
template <class S>
auto nearest_to(const Matrix<S>& m) {
  static const IdentityOperator<S> op(4);
  return Composite(op, LeastSquares<S>(op.coordinates(m)));
}

}  // namespace projfgd::test::user
