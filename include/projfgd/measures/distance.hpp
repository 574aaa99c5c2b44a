// Distances between X = U U^H and Y = V V^H computed from the factors. Nothing of size n x n is
// formed and nothing large is subtracted from something large, so errors of 1e-15 are seen as such.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "projfgd/concepts.hpp"
#include "projfgd/core/factor_lists.hpp"
#include "projfgd/core/small_matrix.hpp"

namespace projfgd {

/// The r x r matrices that belong to a factor.
template <Factor F>
using SmallOf = Matrix<typename F::Scalar>;

/// The unitary R that brings V R closest to U: the polar factor of V^H U. With factors of different
/// rank the narrower one is padded by the caller.
template <Factor F>
SmallOf<F> procrustes(const F& u, const F& v) {
  const SingularValues<typename F::Scalar> svd = singular_values<typename F::Scalar>(gram(v, u));
  SmallOf<F> rotation;
  multiply(svd.left, SmallOf<F>(svd.right.adjoint()), rotation);
  return rotation;
}

/// ||U U^H||_2
template <Factor F>
RealOf<F> product_spectral_norm(const F& u) {
  return hermitian_eigenvalues<typename F::Scalar>(gram(u, u)).maxCoeff();
}

/// ||U U^H||_F.
template <Factor F>
RealOf<F> product_norm(const F& u) {
  return SmallOf<F>(gram(u, u)).norm();
}

/// u with zero columns appended up to `columns`: the same X.
template <Factor F>
F padded(const F& u, Index columns) {
  F wide;
  multiply(u, SmallOf<F>(SmallOf<F>::Identity(u.cols(), std::max(columns, u.cols()))), wide);
  return wide;
}

/// U, and V R with the R that brings it closest.
template <Factor F>
struct AlignedPair {
  F u, v;

  AlignedPair(const F& first, const F& second) : u(padded(first, second.cols())) {
    const F wide = padded(second, first.cols());
    multiply(wide, procrustes(u, wide), v);
  }
};

/// Dist(U, V) = min over unitary R of ||U - V R||_F.
template <Factor F>
RealOf<F> dist(const F& u, const F& v) {
  const AlignedPair<F> aligned(u, v);
  F difference;
  subtract(aligned.u, aligned.v, difference);
  return norm(difference);
}

/// ||M D^H + D M^H||_F from M^H M, D^H D and D^H M.
template <class S>
RealOf<S> symmetric_product_norm(const Matrix<S>& mm, const Matrix<S>& dd, const Matrix<S>& dm) {
  const RealOf<S> square = std::real(mm.transpose().cwiseProduct(dd).sum()) +
                           std::real(dm.transpose().cwiseProduct(dm).sum());
  return std::sqrt(2 * std::max(square, RealOf<S>(0)));
}

/// ||M D^H + D M^H||_F, which is ||U U^H - V V^H||_F for M = (U + V) / 2 and D = U - V.
template <Factor F>
RealOf<F> symmetric_product_norm(const F& m, const F& d) {
  return symmetric_product_norm<typename F::Scalar>(gram(m, m), gram(d, d), gram(d, m));
}

/// ||U U^H - V V^H||_F, with V^H V.
template <Factor F>
RealOf<F> difference_norm(const F& u, const F& v, const SmallOf<F>& vv) {
  using Real = RealOf<F>;
  const Real sizes = SmallOf<F>(gram(u, u)).squaredNorm() + vv.squaredNorm();
  const Real square = sizes - 2 * SmallOf<F>(gram(u, v)).squaredNorm();
  // Where little cancels there is nothing to align, which is expensive for many columns.
  if (square > sizes * std::sqrt(std::numeric_limits<Real>::epsilon())) return std::sqrt(square);
  AlignedPair<F> aligned(u, v);
  F difference;
  subtract(aligned.u, aligned.v, difference);
  axpy(1, aligned.v, aligned.u);
  scale(Real(0.5), aligned.u);
  return symmetric_product_norm(aligned.u, difference);
}

template <Factor F>
RealOf<F> difference_norm(const F& u, const F& v) {
  return difference_norm<F>(u, v, gram(v, v));
}

/// ||U U^H - V V^H||_F / ||U U^H||_F for two consecutive iterates V and U = V + D, which need no
/// alignment. M = U - D / 2 is not formed.
template <Factor F>
RealOf<F> change_by_step(const F& u, const F& d) {
  using Real = RealOf<F>;
  const auto [uu, du, dd] = grams(std::array{twice(u), FactorPair{&d, &u}, twice(d)});
  const SmallOf<F> mm = uu - (du + du.adjoint() - dd / Real(2)) / Real(2);
  const Real size = uu.norm();
  if (!std::isfinite(size)) return size;  // nothing can be said of so large an X
  return symmetric_product_norm<typename F::Scalar>(mm, dd, du - dd / Real(2)) / size;
}

/// The same for one column and a small step, to first order.
template <Factor F>
RealOf<F> change_by_small_step(const F& u, const F& d) {
  return std::sqrt(RealOf<F>(2)) * norm(d) / norm(u);
}

/// change_by_step() from V.
template <Factor F>
RealOf<F> relative_change(const F& u, const F& before) {
  F d;
  subtract(u, before, d);
  return change_by_step(u, d);
}

/// ||U U^H - V V^H||_F / ||V V^H||_F, V the truth.
template <Factor F>
RealOf<F> relative_error(const F& u, const F& truth) {
  const SmallOf<F> size = gram(truth, truth);
  return difference_norm<F>(u, truth, size) / size.norm();
}

}  // namespace projfgd
