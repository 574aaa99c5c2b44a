#pragma once

#include "projfgd/constraints/simplex.hpp"
#include "projfgd/solvers/compared.hpp"

namespace projfgd {

/// h = Y - mu A*(s) with Y = (1 + beta) U U^H - beta V V^H: a gradient step from an extrapolated
/// point, known by its products and never formed.
template <MeasurementOperator A>
struct GradientStepMap {
  using Factor = typename A::Factor;
  using Real = RealOf<Factor>;

  const A& op;
  const Vector<Real>& residual;  ///< s
  double step;                   ///< mu
  const Factor& now;             ///< U
  const Factor& before;          ///< V
  double momentum;               ///< beta

  Index rows() const { return op.rows(); }
  void times(const Factor& v, Factor& g) const {
    op.adjoint_times(residual, v, g);
    scale(-static_cast<Real>(step), g);
    g += now * (Real(1 + momentum) * gram(now, v));
    if (momentum != 0) g -= before * (Real(momentum) * gram(before, v));
  }
};

/// The closest point of {d >= 0, sum d <= tau} to d.
template <class R>
void project_spectrum(double tau, Vector<R>& d) {
  d = d.cwiseMax(R(0)).eval();
  project_simplex<R>(d, tau);
}

/// The factor of V diag(d) V^H, d >= 0.
template <class S>
Matrix<S> factor_of(const Matrix<S>& v, const Vector<RealOf<S>>& d) {
  return v * d.cwiseSqrt().asDiagonal();
}

}  // namespace projfgd
