// Distances between X = U U^H and Y = V V^H computed from the factors. Nothing of size n x n is
// formed and nothing large is subtracted from something large, so errors of 1e-15 are seen as such.
#pragma once

#include <algorithm>
#include <cmath>

#include "projfgd/concepts.hpp"

namespace projfgd {

/// The unitary R that brings V R closest to U: the polar factor of V^H U. With factors of different
/// rank the narrower one is padded by the caller.
template <class S>
Matrix<S> procrustes(const Matrix<S>& u, const Matrix<S>& v);

/// ||U U^H||_2
template <class S>
RealOf<S> product_spectral_norm(const Matrix<S>& u);

/// u with zero columns appended up to `columns`: the same X.
template <class S>
Matrix<S> padded(const Matrix<S>& u, Index columns) {
  Matrix<S> wide = Matrix<S>::Zero(u.rows(), std::max(columns, u.cols()));
  wide.leftCols(u.cols()) = u;
  return wide;
}

/// Dist(U, V) = min over unitary R of ||U - V R||_F.
template <class S>
RealOf<S> dist(const Matrix<S>& u, const Matrix<S>& v) {
  const Index r = std::max(u.cols(), v.cols());
  const Matrix<S> wide_u = padded(u, r), wide_v = padded(v, r);
  Matrix<S> rotated;
  multiply(wide_v, procrustes(wide_u, wide_v), rotated);
  return (wide_u - rotated).norm();
}

/// ||M D^H + D M^H||_F from M^H M, D^H D and D^H M.
template <class S>
RealOf<S> symmetric_product_norm(const Matrix<S>& mm, const Matrix<S>& dd, const Matrix<S>& dm) {
  const RealOf<S> square = std::real(mm.transpose().cwiseProduct(dd).sum()) +
                           std::real(dm.transpose().cwiseProduct(dm).sum());
  return std::sqrt(2 * std::max(square, RealOf<S>(0)));
}

/// ||M D^H + D M^H||_F, which is ||U U^H - V V^H||_F for M = (U + V) / 2 and D = U - V.
template <class S>
RealOf<S> symmetric_product_norm(const Matrix<S>& m, const Matrix<S>& d) {
  return symmetric_product_norm<S>(gram(m, m), gram(d, d), gram(d, m));
}

/// ||U U^H - V V^H||_F, with V^H V.
template <class S>
RealOf<S> difference_norm(const Matrix<S>& u, const Matrix<S>& v, const Matrix<S>& vv) {
  const RealOf<S> sizes = gram(u, u).squaredNorm() + vv.squaredNorm();
  const RealOf<S> square = sizes - 2 * gram(u, v).squaredNorm();
  // Where little cancels there is nothing to align, which is dear for many columns.
  if (square > sizes * std::sqrt(Eigen::NumTraits<RealOf<S>>::epsilon())) return std::sqrt(square);
  const Index r = std::max(u.cols(), v.cols());
  const Matrix<S> wide_u = padded(u, r), wide_v = padded(v, r);
  Matrix<S> aligned;
  multiply(wide_v, procrustes(wide_u, wide_v), aligned);
  return symmetric_product_norm<S>((wide_u + aligned) / RealOf<S>(2), wide_u - aligned);
}

template <class S>
RealOf<S> difference_norm(const Matrix<S>& u, const Matrix<S>& v) {
  return difference_norm<S>(u, v, gram(v, v));
}

/// ||U U^H||_F.
template <class S>
RealOf<S> product_norm(const Matrix<S>& u) {
  return gram(u, u).norm();
}

/// ||U U^H - V V^H||_F / ||U U^H||_F for two consecutive iterates V and U = V + D, which need no
/// alignment. M = U - D / 2 is not formed.
template <class S>
RealOf<S> change_by_step(const Matrix<S>& u, const Matrix<S>& d) {
  const Matrix<S> uu = gram(u, u), du = gram(d, u), dd = gram(d, d);
  const Matrix<S> mm = uu - (du + du.adjoint() - dd / RealOf<S>(2)) / RealOf<S>(2);
  const RealOf<S> size = uu.norm();
  if (!std::isfinite(size)) return size;  // nothing can be said of so large an X
  return symmetric_product_norm<S>(mm, dd, du - dd / RealOf<S>(2)) / size;
}

/// The same for one column and a small step, to first order.
template <class S>
RealOf<S> change_by_small_step(const Matrix<S>& u, const Matrix<S>& d) {
  return std::sqrt(RealOf<S>(2)) * norm(d) / norm(u);
}

/// change_by_step() from V.
template <class S>
RealOf<S> relative_change(const Matrix<S>& u, const Matrix<S>& before) {
  Matrix<S> d;
  subtract(u, before, d);
  return change_by_step(u, d);
}

/// ||U U^H - V V^H||_F / ||V V^H||_F, V the truth.
template <class S>
RealOf<S> relative_error(const Matrix<S>& u, const Matrix<S>& truth) {
  const Matrix<S> size = gram(truth, truth);
  return difference_norm<S>(u, truth, size) / size.norm();
}

}  // namespace projfgd
