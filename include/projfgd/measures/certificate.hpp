#pragma once

#include <algorithm>

#include "projfgd/core/eigenpairs.hpp"
#include "projfgd/core/small_matrix.hpp"
#include "projfgd/core/trace_problem.hpp"

namespace projfgd {

/// A bound on f(X) - f*. It is certified when the lowest eigenvalue behind it is known up to
/// rounding; an iterative eigenvalue only approaches the lowest one from above, and the bound is
/// then an estimate.
struct OptimalityGap {
  double value;
  bool certified;
};

struct CertificateOptions {
  Index dense_up_to = 256;  ///< n up to which all eigenvalues are computed
  EigenOptions eigen{.tolerance = 1e-4, .max_products = 200};
};

/// <s, A(X)> + tau max(0, -lambda_min(A*(s))) with s = A(X) - y, which bounds f(X) - f* for
/// f = 1/2 ||A(X) - y||^2 over {X >= 0, tr X <= tau} by convexity: it is the largest of
/// <grad f(X), X - S> over the set. X itself need not be in it.
template <MeasurementOperator A>
OptimalityGap optimality_gap(const TraceProblem<A>& problem, const typename A::Factor& u,
                             const CertificateOptions& options = {}) {
  using F = typename A::Factor;
  using S = typename F::Scalar;
  using Real = RealOf<F>;
  const Index n = problem.op.rows();
  Vector<Real> p;
  problem.op.forward(u, p);
  const Vector<Real> s = p - problem.y;
  const bool dense = n <= options.dense_up_to;
  double lowest;
  if (dense) {
    F g;
    problem.op.adjoint_times(s, F::Identity(n, n), g);
    const Vector<Real> values = hermitian_eigenvalues<S>((g + g.adjoint()) / Real(2));
    const Real rounding = Real(n) * Eigen::NumTraits<Real>::epsilon();
    lowest = values[0] - rounding * values.cwiseAbs().maxCoeff();
  } else {
    const AdjointMap<A> map{problem.op, s};
    const auto pairs = largest_eigenpairs(Negated<AdjointMap<A>>{map}, 1, options.eigen);
    lowest = -static_cast<double>(pairs.values[0] + pairs.residual);
  }
  return {static_cast<double>(s.dot(p)) + problem.trace * std::max(0.0, -lowest), dense};
}

}  // namespace projfgd
