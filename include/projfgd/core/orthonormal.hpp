// Orthonormal bases of the columns of a factor, by the factor algebra alone.
#pragma once

#include <cmath>
#include <limits>
#include <utility>

#include "projfgd/concepts.hpp"
#include "projfgd/core/small_matrix.hpp"

namespace projfgd {

/// The T with which the columns of U T are an orthonormal basis of the span of U's, up to the
/// rounding of the Gram matrix G = U^H U: Gram-Schmidt on unit vectors by the inner product of G.
/// Left out are columns no longer than `shortest`, and those that depend on the ones before them up
/// to rounding.
template <class S>
Matrix<S> orthonormalising(const Matrix<S>& gram, RealOf<S> shortest) {
  using Real = RealOf<S>;
  const Index r = gram.cols();
  const Real rounding = 10 * static_cast<Real>(r) * std::numeric_limits<Real>::epsilon();
  Matrix<S> t(r, r);
  Index rank = 0;
  for (Index c = 0; c < r; ++c) {
    const Real whole = std::real(gram(c, c));  // squared length
    if (!(whole > shortest * shortest)) continue;
    auto column = t.col(rank);
    column = Vector<S>::Unit(r, c);
    for (int again = 0; again < 2; ++again) {
      const Vector<S> image = gram * column;
      for (Index k = 0; k < rank; ++k) column -= t.col(k).dot(image) * t.col(k);
    }
    const Real rest = std::real(column.dot(gram * column));
    if (!(rest > rounding * whole)) continue;
    column /= std::sqrt(rest);
    ++rank;
  }
  return t.leftCols(rank);
}

/// The largest norm of a column, from the Gram matrix.
template <class S>
RealOf<S> longest_column(const Matrix<S>& gram) {
  return gram.cols() == 0 ? 0 : std::sqrt(gram.diagonal().real().maxCoeff());
}

/// What is lost in the rounding of a column of this length.
template <class R>
R lost_beside(R length) {
  return length * 100 * std::numeric_limits<R>::epsilon();
}

/// Makes the columns of u an orthonormal basis of their span, as many as its numerical rank.
/// Twice: the first time orthonormalises up to the condition of u, the second up to rounding.
template <Factor F>
void orthonormalise(F& u) {
  F next;
  for (int pass = 0; pass < 2; ++pass) {
    const Matrix<typename F::Scalar> products = gram(u, u);
    multiply(u, orthonormalising(products, lost_beside(longest_column(products))), next);
    std::swap(u, next);
  }
}

template <Factor F>
F orthonormal_basis(F u) {
  orthonormalise(u);
  return u;
}

}  // namespace projfgd
