// What the data tell of a quantity of X = U U^H at a fit of a given rank, and what they do not.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "projfgd/concepts.hpp"
#include "projfgd/core/eigenpairs.hpp"

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
        u_(std::move(u)),
        idle_(idle_directions(u_)) {}

  /// The part of a direction that changes X at equal trace.
  F tangent(F d) const {
    Eigen::Map<Vector<Real>> flat = flattened(d);
    flat -= (idle_ * (idle_.transpose() * flat)).eval();
    return d;
  }

  /// H D.
  F times(const F& d) const {
    Vector<Real> y;
    F g, square;
    operator_.forward(u_, d, y);
    y.array() *= 4 * curvature_.array();
    operator_.adjoint_times(y, u_, g);
    operator_.adjoint_times(slope_, d, square);
    return tangent(g + Real(2) * square);
  }

  /// <g, H^+ g>, the variance of a quantity of derivative g, by conjugate gradients; it grows from
  /// step to step and is returned as soon as it is above `enough`, and beyond that where g has a
  /// part that the data do not see.
  double variance(const F& g, double enough) const {
    F residual = tangent(g), direction = residual;
    double rr = dot(residual, residual), sum = 0;
    const double target = rr * converged;
    const Index most = 2 * residual.size();
    for (Index step = 0; step < most && rr > target && sum <= enough; ++step) {
      const F image = times(direction);
      const double form = dot(direction, image);
      if (!(form > 0)) return std::numeric_limits<double>::infinity();
      const double length = rr / form;
      // <g, x> grows by length <g, direction>, and <g, direction> = <r, r> in exact arithmetic.
      sum += length * rr;
      axpy(static_cast<Real>(-length), image, residual);
      const double next = dot(residual, residual);
      direction = residual + static_cast<Real>(next / rr) * direction;
      rr = next;
    }
    return rr > target && sum <= enough ? std::numeric_limits<double>::infinity() : sum;
  }

 private:
  static constexpr double converged = 1e-8;  // of |g|^2, a residual

  static Eigen::Map<Vector<Real>> flattened(F& d) {
    return {reinterpret_cast<Real*>(d.data()),
            d.size() * static_cast<Index>(sizeof(S) / sizeof(Real))};
  }

  /// An orthonormal basis of {U K} and U, as real vectors.
  static Matrix<Real> idle_directions(const F& u) {
    const Index r = u.cols();
    std::vector<F> all{u};
    for (Index a = 0; a < r; ++a) {
      for (Index b = 0; b <= a; ++b) {
        F d = F::Zero(u.rows(), r);
        if (a != b) {
          d.col(a) = u.col(b);
          d.col(b) = -u.col(a);
          all.push_back(d);
        }
        if constexpr (is_complex<S>) {
          d.setZero();
          d.col(a) += S(0, 1) * u.col(b);
          if (a != b) d.col(b) += S(0, 1) * u.col(a);
          all.push_back(d);
        }
      }
    }
    Matrix<Real> basis(flattened(all[0]).size(), static_cast<Index>(all.size()));
    for (std::size_t k = 0; k < all.size(); ++k) {
      basis.col(static_cast<Index>(k)) = flattened(all[k]);
    }
    orthonormalise(basis);
    return basis;
  }

  const A& operator_;
  Vector<Real> curvature_, slope_;
  F u_;
  Matrix<Real> idle_;
};

/// A quantity that can take values over a range of this width is not determined where an interval
/// of 95% would be as wide as the range: 2 x 1.96 standard deviations.
inline double variance_of_ignorance(double range) { return std::pow(range / (2 * 1.959964), 2); }

}  // namespace projfgd
