#pragma once

#include <limits>
#include <utility>

#include "projfgd/solvers/nuclear_norm.hpp"

namespace projfgd {

struct PhaseLiftRules {
  double trace_weight = 0;  ///< lambda, >= 0
  Index largest = 512;      ///< refuses more rows: iterates may have as many columns
};

/// PhaseLift (Candes, Strohmer, Voroninski 2013): min 1/2 ||A(X) - y||^2 + lambda tr X over X >= 0,
/// by the accelerated proximal gradients of nuclear_norm.hpp from the leading eigenvector of A*(y),
/// whose rank follows the iterates. The answer is the best rank-one part of X.
template <MeasurementOperator A, class Watcher = NoObserver>
Result<typename A::Factor> phaselift(const A& op, const Vector<RealOf<typename A::Factor>>& y,
                                     const Options& options = {}, Watcher watcher = {},
                                     const PhaseLiftRules& rules = {}) {
  using F = typename A::Factor;
  const Index n = op.rows();
  if (n > rules.largest) {
    throw InputError("phaselift: found " + std::to_string(n) + " unknowns, expected at most " +
                     std::to_string(rules.largest) + ": its matrices have as many columns");
  }
  const auto leading = [&watcher](const Snapshot<F>& now) {
    const F first = now.factor.leftCols(1);
    return watcher(Snapshot<F>{first, now.row});
  };
  const TraceProblem<A> problem{op, y, std::numeric_limits<double>::infinity()};
  EigenOptions eigen;
  eigen.seed = options.seed;
  F start = largest_eigenpairs(AdjointMap<A>{op, y}, 1, eigen).vectors;
  const NuclearNormOptions own{.lambda = rules.trace_weight, .relative_lambda = 0};
  Result<F> out = nuclear_norm(problem, std::move(start), options, own, leading);
  out.factor = F(out.factor.leftCols(1));
  return out;
}

}  // namespace projfgd
