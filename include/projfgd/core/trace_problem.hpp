// The convex problem that the compared methods solve and the certificate is about.
#pragma once

#include <string>

#include "projfgd/concepts.hpp"
#include "projfgd/core/elements.hpp"
#include "projfgd/core/error.hpp"

namespace projfgd {

/// min f(X) = 1/2 ||A(X) - y||^2 over X >= 0, tr X <= tau.
template <MeasurementOperator A>
struct TraceProblem {
  using Factor = typename A::Factor;
  using Values = typename A::Values;

  const A& op;  ///< must outlive the problem
  Values y;
  double trace = 1;  ///< tau, > 0

  /// f where A(X) = p.
  double value(const Values& p) const { return sum_values(element::HalfSquare{}, p, y); }
};

template <MeasurementOperator A>
void validate(const TraceProblem<A>& problem) {
  if (problem.y.size() != problem.op.measurements()) {
    throw InputError("data: found " + std::to_string(problem.y.size()) +
                     " numbers, expected one for each of the " +
                     std::to_string(problem.op.measurements()) + " measurements");
  }
  if (!(problem.trace > 0)) {
    throw InputError("bound on the trace: found " + std::to_string(problem.trace) +
                     ", expected > 0");
  }
}

/// A*(w), as a Hermitian map.
template <MeasurementOperator A>
struct AdjointMap {
  using Factor = typename A::Factor;
  const A& op;
  const typename A::Values& weights;
  Index rows() const { return op.rows(); }
  void times(const Factor& v, Factor& g) const { op.adjoint_times(weights, v, g); }
};

}  // namespace projfgd
