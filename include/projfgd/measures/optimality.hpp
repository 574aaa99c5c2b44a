// How much better any other matrix could explain the data.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "projfgd/core/eigenpairs.hpp"
#include "projfgd/core/small_matrix.hpp"
#include "projfgd/core/trace_problem.hpp"
#include "projfgd/losses/least_squares.hpp"

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

/// What is known of the trace of X >= 0.
enum class TraceSet { at_most, exactly };

/// A bound on the lowest eigenvalue of A*(w) from below; `certified` as in OptimalityGap.
struct LowestEigenvalue {
  double value;
  bool certified;
};

/// A*(w) as a matrix.
template <MeasurementOperator A>
typename A::Factor adjoint_matrix(const A& op, const Vector<RealOf<typename A::Factor>>& w) {
  using F = typename A::Factor;
  F g;
  op.adjoint_times(w, F::Identity(op.rows(), op.rows()), g);
  return (g + g.adjoint()) / RealOf<F>(2);
}

template <MeasurementOperator A>
LowestEigenvalue lowest_eigenvalue(const A& op, const Vector<RealOf<typename A::Factor>>& w,
                                   const CertificateOptions& options = {}) {
  using F = typename A::Factor;
  using S = typename F::Scalar;
  using Real = RealOf<F>;
  const Index n = op.rows();
  if (n <= options.dense_up_to) {
    const Vector<Real> values = hermitian_eigenvalues<S>(adjoint_matrix(op, w));
    const Real rounding = Real(n) * Eigen::NumTraits<Real>::epsilon();
    return {static_cast<double>(values[0] - rounding * values.cwiseAbs().maxCoeff()), true};
  }
  const AdjointMap<A> map{op, w};
  const auto pairs = largest_eigenpairs(Negated<AdjointMap<A>>{map}, 1, options.eigen);
  return {-static_cast<double>(pairs.values[0] + pairs.residual), false};
}

/// The smaller of a bound and of the loss, which is nowhere below 0 and so bounds itself.
inline OptimalityGap at_most_the_loss(double gap, bool certified, double loss) {
  const bool trivial = loss <= gap || !std::isfinite(gap);
  return {std::max(trivial ? loss : gap, 0.0), trivial || certified};
}

/// A bound on phi(A(X)) - min phi(A(S)) for a convex loss phi that is nowhere below 0, over
/// {S >= 0, tr S <= tau} or {S >= 0, tr S = tau}. With p = A(X), w = phi'(p) and G = A*(w)
/// convexity gives phi(A(S)) >= phi(p) + <G, S> - <w, p>, and <G, S> is lowest where S is tau
/// times the projector on the lowest eigenvector:
///   <w, p> + tau max(0, -lambda_min(G)),   or   <w, p> - tau lambda_min(G) for tr S = tau.
/// For a likelihood the bound is in nats: no state, of any rank, is more likely by more than
/// e^value. Only p is asked for, so X may be U U^H, have a white part, or be any mixture.
template <MeasurementOperator A, Loss L>
OptimalityGap optimality_gap(const A& op, const L& loss,
                             const Vector<RealOf<typename A::Factor>>& p, double tau,
                             TraceSet traces = TraceSet::at_most,
                             const CertificateOptions& options = {}) {
  Vector<RealOf<typename A::Factor>> w;
  loss.gradient(p, w);
  const double f = loss.value(p);
  const double product = w.template cast<double>().dot(p.template cast<double>());
  // Estimates of the eigenvalue approach it from above. Once one makes the bound as large as the
  // loss, so does the eigenvalue, and its other digits are of no use.
  CertificateOptions search = options;
  search.eigen.enough = [&](double fall, double) { return product + tau * fall >= f; };
  const LowestEigenvalue lowest = lowest_eigenvalue(op, w, search);
  const double fall = traces == TraceSet::exactly ? -lowest.value : std::max(0.0, -lowest.value);
  return at_most_the_loss(product + tau * fall, lowest.certified, f);
}

/// The same for f = 1/2 ||A(X) - y||^2 at X = U U^H.
template <MeasurementOperator A>
OptimalityGap optimality_gap(const TraceProblem<A>& problem, const typename A::Factor& u,
                             const CertificateOptions& options = {}) {
  Vector<RealOf<typename A::Factor>> p;
  problem.op.forward(u, p);
  return optimality_gap(problem.op, LeastSquares<RealOf<typename A::Factor>>(problem.y), p,
                        problem.trace, TraceSet::at_most, options);
}

/// Where no set bounds the trace, the data do: every S that explains them no worse than X has
/// <b, A(S)> <= most.
template <class R>
struct LevelBound {
  Vector<R> b;
  double most;
};

/// Of 1/2 sum_i W_i (p_i - y_i)^2 <= f, by Schwarz's inequality: <b, p> is at most
/// <b, y> + sqrt(2 f <b, b / W>). Here b = W A(I), so that A*(b) is positive where the data see
/// every direction; `white` is A(I).
template <class R>
LevelBound<R> level_of_squares(const Vector<R>& white, const Vector<R>& weights, const Vector<R>& y,
                               double f) {
  Vector<R> b = weights.cwiseProduct(white);
  const double square = b.template cast<double>().dot(white.template cast<double>());
  const double most =
      b.template cast<double>().dot(y.template cast<double>()) + std::sqrt(2 * f * square);
  return {std::move(b), most};
}

/// Of the Poisson loss f of counts with the sum K, at exposures e: the means add up to an M with
/// M - K + K log(K / M) <= f, as the loss of the sums is no more than the sum of the losses.
/// `accidentals` of these means do not come from X.
template <class R>
LevelBound<R> level_of_counts(Vector<R> exposures, double counts, double f,
                              double accidentals = 0) {
  const auto loss = [&](double mean) {
    return mean - counts + (counts > 0 ? counts * std::log(counts / mean) : 0);
  };
  double low = counts, high = 2 * counts + 2 * f + 1;  // there the loss is above f
  while (loss(high) <= f) high *= 2;
  for (int halving = 0; halving < std::numeric_limits<double>::digits; ++halving) {
    const double middle = (low + high) / 2;
    (loss(middle) <= f ? low : high) = middle;
  }
  return {std::move(exposures), std::max(high - accidentals, 0.0)};
}

/// The bound over all S >= 0: with B = A*(b) > 0 and <B, S> <= most, <G, S> is at least most times
/// the lowest eigenvalue of B^{-1/2} G B^{-1/2}. Where B is not positive, or n is too large for its
/// eigenvalues, the loss alone is the bound.
template <MeasurementOperator A, Loss L>
OptimalityGap optimality_gap(const A& op, const L& loss,
                             const Vector<RealOf<typename A::Factor>>& p,
                             const LevelBound<RealOf<typename A::Factor>>& level,
                             const CertificateOptions& options = {}) {
  using F = typename A::Factor;
  using S = typename F::Scalar;
  using Real = RealOf<F>;
  constexpr Real epsilon = Eigen::NumTraits<Real>::epsilon();
  const double f = loss.value(p);
  const Index n = op.rows();
  if (n > options.dense_up_to) return {f, true};
  const HermitianEigen<S> eigen = hermitian_eigen<S>(adjoint_matrix(op, level.b));
  const Real least = eigen.values[0], largest = eigen.values[n - 1];
  if (!(least > std::sqrt(epsilon) * largest)) return {f, true};
  Vector<Real> w;
  loss.gradient(p, w);
  const F root = eigen.vectors * eigen.values.cwiseSqrt().cwiseInverse().asDiagonal();
  const Vector<Real> values =
      hermitian_eigenvalues<S>(root.adjoint() * adjoint_matrix(op, w) * root);
  // Rounding of G by eps ||G|| becomes that over the least eigenvalue of B.
  const Real rounding = Real(n) * epsilon * largest / least * values.cwiseAbs().maxCoeff();
  const double fall = std::max(0.0, static_cast<double>(rounding - values[0]));
  return at_most_the_loss(
      w.template cast<double>().dot(p.template cast<double>()) + level.most * fall, true, f);
}

}  // namespace projfgd
