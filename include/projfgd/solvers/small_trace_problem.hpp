#pragma once

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// minimise 1/2 <x - x_0, H (x - x_0)> + <g, x - x_0> over Hermitian matrices S >= 0 and numbers
/// a >= 0 with tr S + a <= tau. x holds S and then a: S_ii, sqrt 2 Re S_ij and, for complex S,
/// sqrt 2 Im S_ij, i < j, so that lengths of x are Frobenius norms.
template <class S>
struct SmallTraceProblem {
  using Real = RealOf<S>;

  Matrix<Real> hessian;   ///< H
  Vector<Real> gradient;  ///< g
  double trace;           ///< tau, > 0
  Index size;             ///< rows of S

  /// The numbers in x.
  static Index entries(Index size) {
    return 1 + (is_complex<S> ? size * size : size * (size + 1) / 2);
  }
  static Vector<Real> to_vector(const Matrix<S>& s, Real a);
  static Matrix<S> to_matrix(const Vector<Real>& x, Index size);

  /// By accelerated projected gradients with restarts (O'Donoghue and Candes 2015) from x_0, which
  /// must be feasible, until a step is `tolerance` times what was moved in all.
  Vector<Real> solve(const Vector<Real>& x0, double tolerance) const;
};

}  // namespace projfgd
