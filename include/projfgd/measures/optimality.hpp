// How much better any matrix at all could explain the data than the one at hand.
#pragma once

#include <algorithm>
#include <cmath>

#include "projfgd/core/eigenpairs.hpp"
#include "projfgd/core/small_matrix.hpp"
#include "projfgd/core/trace_problem.hpp"
#include "projfgd/measures/certificate.hpp"

namespace projfgd {

/// What is known of the trace of X >= 0.
enum class TraceSet { at_most, exactly };

/// A bound on the lowest eigenvalue of A*(w) from below; `certified` as in OptimalityGap.
struct LowestEigenvalue {
  double value;
  bool certified;
};

template <MeasurementOperator A>
LowestEigenvalue lowest_eigenvalue(const A& op, const Vector<RealOf<typename A::Factor>>& w,
                                   const CertificateOptions& options = {}) {
  using F = typename A::Factor;
  using S = typename F::Scalar;
  using Real = RealOf<F>;
  const Index n = op.rows();
  if (n <= options.dense_up_to) {
    F g;
    op.adjoint_times(w, F::Identity(n, n), g);
    const Vector<Real> values = hermitian_eigenvalues<S>((g + g.adjoint()) / Real(2));
    const Real rounding = Real(n) * Eigen::NumTraits<Real>::epsilon();
    return {static_cast<double>(values[0] - rounding * values.cwiseAbs().maxCoeff()), true};
  }
  const AdjointMap<A> map{op, w};
  const auto pairs = largest_eigenpairs(Negated<AdjointMap<A>>{map}, 1, options.eigen);
  return {-static_cast<double>(pairs.values[0] + pairs.residual), false};
}

/// A bound on phi(A(X)) - min phi(A(S)) for a convex loss phi that is nowhere below 0, over
/// {S >= 0, tr S <= tau} or {S >= 0, tr S = tau}. With p = A(X), w = phi'(p) and G = A*(w)
/// convexity gives phi(A(S)) >= phi(p) + <G, S> - <w, p>, and <G, S> is lowest where S is tau
/// times the projector on the lowest eigenvector:
///   <w, p> + tau max(0, -lambda_min(G)),   or   <w, p> - tau lambda_min(G) for tr S = tau.
/// The loss itself is a bound as well, and the smaller one is returned. For a likelihood the bound
/// is in nats: no state, of any rank, is more likely by more than e^value.
/// Only p is asked for, so X may be U U^H, have a white part, or be any mixture.
template <MeasurementOperator A, Loss L>
OptimalityGap optimality_gap(const A& op, const L& loss,
                             const Vector<RealOf<typename A::Factor>>& p, double tau,
                             TraceSet traces = TraceSet::at_most,
                             const CertificateOptions& options = {}) {
  Vector<RealOf<typename A::Factor>> w;
  loss.gradient(p, w);
  const double trivial = loss.value(p);
  const LowestEigenvalue lowest = lowest_eigenvalue(op, w, options);
  const double fall = traces == TraceSet::exactly ? -lowest.value : std::max(0.0, -lowest.value);
  const double gap = w.template cast<double>().dot(p.template cast<double>()) + tau * fall;
  // The loss bounds itself without any eigenvalue.
  if (trivial <= gap || !std::isfinite(gap)) return {trivial, true};
  return {std::max(gap, 0.0), lowest.certified};
}

}  // namespace projfgd
