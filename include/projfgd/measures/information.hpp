// What the data tell of a quantity of X = U U^H at a fit of a given rank, and what they do not.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "projfgd/concepts.hpp"
#include "projfgd/core/interrupt.hpp"
#include "projfgd/core/small_matrix.hpp"

namespace projfgd {

/// phi'' and phi' of counts whose mean is e p, as they are expected at the fit: e/p and 0 where
/// outcomes are seen, and 0 and e where the fit expects none, less than a thousandth of a count. An
/// outcome that stays away rules out amplitudes by their square, which the first term of H does not
/// see.
template <class R>
std::pair<Vector<R>, Vector<R>> expected_derivatives(const Vector<R>& exposures,
                                                     const Vector<R>& p) {
  constexpr double least_mean = 1e-3;
  Vector<R> curvature = Vector<R>::Zero(p.size()), slope = curvature;
  for (Index i = 0; i < p.size(); ++i) {
    if (exposures[i] * p[i] >= R(least_mean)) {
      curvature[i] = exposures[i] / p[i];
    } else {
      slope[i] = exposures[i];
    }
  }
  return {std::move(curvature), std::move(slope)};
}

/// The second derivative of a likelihood f(U U^H) = phi(A(U U^H)) in the factor,
///   H D = 4 A*(phi'' . Re A(U D^H)) U + 2 A*(phi') D,
/// on directions that change X and keep its trace: without those D = U K with K anti-Hermitian,
/// which leave X as it is, and without D = U. For counts see expected_derivatives().
template <MeasurementOperator A>
class Information {
 public:
  using F = typename A::Factor;
  using S = typename F::Scalar;
  using Real = RealOf<F>;

  /// Keeps a reference to the operator. `curvature` is phi'' and `slope` phi', one for each
  /// measurement; f counts in nats.
  Information(const A& op, Vector<Real> curvature, Vector<Real> slope, F u)
      : operator_(op),
        curvature_(std::move(curvature)),
        slope_(std::move(slope)),
        has_slope_(!slope_.isZero(0)),
        u_(std::move(u)),
        squares_(static_cast<Real>(dot(u_, u_))) {
    HermitianEigen<S> eigen = hermitian_eigen<S>(u_.adjoint() * u_);
    basis_ = std::move(eigen.vectors);
    const Vector<Real>& values = eigen.values;
    const Index r = values.size();
    const Real rounding = 10 * static_cast<Real>(r) * std::numeric_limits<Real>::epsilon();
    inverse_squares_ = Vector<Real>::Zero(r);
    for (Index a = 0; a < r; ++a) {
      if (values[a] > rounding * values[r - 1]) inverse_squares_[a] = 1 / values[a];
    }
    inverse_sums_ = Matrix<Real>::Zero(r, r);
    for (Index b = 0; b < r; ++b) {
      for (Index a = 0; a < r; ++a) {
        const Real sum = values[a] + values[b];
        if (sum > rounding * values[r - 1]) inverse_sums_(a, b) = 1 / sum;
      }
    }
  }

  /// The part of a direction that changes X at equal trace: D - U K - c U, where K solves
  /// U^H U K + K U^H U = U^H D - D^H U, and c is <U, D> over <U, U>.
  F tangent(F d) const {
    const Matrix<S> in_basis = basis_.adjoint() * (u_.adjoint() * d) * basis_;
    const Matrix<S> twice = in_basis - in_basis.adjoint();
    const Matrix<S> k = basis_ * twice.cwiseProduct(inverse_sums_) * basis_.adjoint();
    const Real c = squares_ > 0 ? static_cast<Real>(dot(u_, d)) / squares_ : Real(0);
    d.noalias() -= u_ * k;
    axpy(-c, u_, d);
    return d;
  }

  /// H D.
  F times(const F& d) const {
    Vector<Real> y;
    F g;
    operator_.forward(u_, d, y);
    y.array() *= 4 * curvature_.array();
    operator_.adjoint_times(y, u_, g);
    if (has_slope_) {
      F square;
      operator_.adjoint_times(slope_, d, square);
      axpy(2, square, g);
    }
    return tangent(std::move(g));
  }

  /// <g, H^+ g>, the variance of a quantity of derivative g, by conjugate gradients. Data that see
  /// all directions of X alike have H D = D U^H U, but for a factor, on directions away from U, so
  /// the inverse of U^H U is the preconditioner: small eigenvalues of the state cost no steps. The
  /// sum grows from step to step and is returned as soon as it is above `enough`, and beyond that
  /// where g has a part that the data do not see, or where the user wants the work to end.
  double variance(const F& g, double enough, const Interrupt& interrupt = {}) const {
    F residual = tangent(g), scaled = preconditioned(residual), direction = scaled;
    double rr = dot(residual, residual), rz = dot(residual, scaled), sum = 0;
    // What rounding leaves of a derivative that changes nothing is none.
    const double rounding = std::pow(10 * std::numeric_limits<Real>::epsilon(), 2) * dot(g, g);
    const double target = std::max(rr * converged, rounding);
    const Index most = 2 * residual.size();
    for (Index step = 0; step < most && rr > target && sum <= enough; ++step) {
      if (is_interrupted(interrupt)) return std::numeric_limits<double>::infinity();
      const F image = times(direction);
      const double form = dot(direction, image);
      if (!(form > 0)) return std::numeric_limits<double>::infinity();
      const double length = rz / form;
      // <g, x> grows by length <g, direction>, and <g, direction> = <r, z> in exact arithmetic.
      sum += length * rz;
      axpy(static_cast<Real>(-length), image, residual);
      rr = dot(residual, residual);
      scaled = preconditioned(residual);
      const double next = dot(residual, scaled);
      direction = scaled + static_cast<Real>(next / rz) * direction;
      rz = next;
    }
    return rr > target && sum <= enough ? std::numeric_limits<double>::infinity() : sum;
  }

 private:
  /// D (U^H U)^{-1} among the tangents.
  F preconditioned(const F& d) const {
    return tangent(d * (basis_ * inverse_squares_.asDiagonal() * basis_.adjoint()));
  }

  static constexpr double converged = 1e-8;  // of |g|^2, a residual

  const A& operator_;
  Vector<Real> curvature_, slope_;
  bool has_slope_;
  F u_;
  Real squares_;                  ///< <U, U>
  Matrix<S> basis_;               ///< eigenvectors of U^H U
  Vector<Real> inverse_squares_;  ///< 1 over its eigenvalues, 0 for those that are 0 up to rounding
  Matrix<Real> inverse_sums_;     ///< of its eigenvalues, 0 for pairs that are 0 up to rounding
};

/// A quantity that can take values over a range of this width is not determined where an interval
/// of 95% would be as wide as the range: 2 x 1.96 standard deviations.
inline double variance_of_ignorance(double range) { return std::pow(range / (2 * 1.959964), 2); }

}  // namespace projfgd
