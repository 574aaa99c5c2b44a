#pragma once

#include <limits>
#include <string>

#include "projfgd/solvers/nuclear_norm.hpp"

namespace projfgd {

/// The most unknowns PhaseLift takes: its iterates may have as many columns.
inline constexpr Index phaselift_largest = 512;

/// PhaseLift (Candes, Strohmer, Voroninski 2013): min 1/2 ||A(X) - y||^2 over X >= 0, by the
/// accelerated proximal gradients of nuclear_norm.hpp from the leading eigenvector of A*(y), whose
/// rank follows the iterates. There is no penalty on the trace: the mean of the data fixes it
/// already. The answer is the best rank-one part of X.
template <MeasurementOperator A, class Watcher = NoObserver>
Result<typename A::Factor> phaselift(const A& op, const Vector<RealOf<typename A::Factor>>& y,
                                     const Options& options = {}, Watcher watcher = {}) {
  using F = typename A::Factor;
  const Index n = op.rows();
  if (n > phaselift_largest) {
    throw InputError("phaselift: found " + std::to_string(n) + " unknowns, expected at most " +
                     std::to_string(phaselift_largest) + ": its matrices have as many columns");
  }
  auto leading = [&watcher](const Snapshot<F>& now) {
    const F first = now.factor.leftCols(1);
    return watcher(Snapshot<F>{first, now.row});
  };
  const TraceProblem<A> problem{op, y, std::numeric_limits<double>::infinity()};
  validate(problem);
  validate(options);
  NuclearNormSolver<A, decltype(leading)> solver(problem, {.relative_lambda = 0}, options, leading);
  Result<F> out = solver.run(solver.leading());
  out.factor = F(out.factor.leftCols(1));
  return out;
}

}  // namespace projfgd
