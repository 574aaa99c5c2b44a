// Extreme eigenpairs of a Hermitian map, by its products with blocks of vectors.
//
// A block Rayleigh-Ritz method with thick restarts: the basis grows by the residuals of the wanted
// Ritz pairs, as in block Lanczos, and is orthogonalised in full. Products with blocks are what our
// operators do best, and complex Hermitian maps need no special care.
#pragma once

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "projfgd/concepts.hpp"
#include "projfgd/core/random.hpp"

namespace projfgd {

struct EigenOptions {
  double tolerance = 1e-3;  ///< on ||M v - theta v|| / |theta_max| for every wanted pair, > 0
  Index max_products = 60;  ///< blocks multiplied at most, >= 1
  Index max_basis = 24;     ///< blocks kept before a restart, >= 3
  std::uint64_t seed = 1;
};

template <class S>
struct Eigenpairs {
  Vector<RealOf<S>> values;  ///< descending
  Matrix<S> vectors;         ///< orthonormal columns
  RealOf<S> residual;        ///< largest ||M v - theta v|| among them
  Index products;            ///< blocks multiplied
};

namespace detail {

/// Orthonormalises block against the first `width` columns of basis and within itself; directions
/// that vanish are dropped.
template <class S>
Matrix<S> orthonormal_complement(const Matrix<S>& basis, Index width, Matrix<S> block) {
  using Real = RealOf<S>;
  const auto q = basis.leftCols(width);
  const Real size = block.colwise().norm().maxCoeff();
  for (int pass = 0; pass < 2; ++pass) block -= q * (q.adjoint() * block);
  const Eigen::ColPivHouseholderQR<Matrix<S>> qr(block);
  Index rank = 0;
  const Real floor = size * 100 * Eigen::NumTraits<Real>::epsilon();
  while (rank < block.cols() && std::abs(qr.matrixQR()(rank, rank)) > floor) ++rank;
  Matrix<S> fresh = qr.householderQ() * Matrix<S>::Identity(block.rows(), rank);
  fresh -= q * (q.adjoint() * fresh);  // again: normalising may have magnified what was left
  for (Index c = 0; c < rank; ++c) fresh.col(c).normalize();
  return fresh;
}

}  // namespace detail

/// The `count` algebraically largest eigenvalues of the map and their vectors.
template <HermitianMap M>
auto largest_eigenpairs(const M& map, Index count, const EigenOptions& options = {}) {
  using S = typename M::Factor::Scalar;
  using Real = RealOf<S>;
  const Index n = map.rows();
  count = std::min(count, n);
  const Index block = std::min(n, count + std::min<Index>(count - 1, 4));
  const Index capacity = std::min(n, std::max<Index>(block * 3, options.max_basis * count));

  Matrix<S> start(n, block), basis(n, capacity), image(n, capacity);
  fill_normal(RandomStream(options.seed, 0xE16E), start);
  Matrix<S> fresh = detail::orthonormal_complement(basis, 0, start), product;
  Index width = 0;
  Eigenpairs<S> out{Vector<Real>(), Matrix<S>(), Real(0), 0};
  while (true) {
    map.times(fresh, product);
    ++out.products;
    basis.middleCols(width, fresh.cols()) = fresh;
    image.middleCols(width, fresh.cols()) = product;
    width += fresh.cols();

    const Matrix<S> small = basis.leftCols(width).adjoint() * image.leftCols(width);
    const Eigen::SelfAdjointEigenSolver<Matrix<S>> eigen((small + small.adjoint()) / Real(2));
    const Index wanted = std::min(block, width);
    const Matrix<S> y = eigen.eigenvectors().rightCols(wanted).rowwise().reverse();
    const Vector<Real> theta = eigen.eigenvalues().tail(wanted).reverse();
    const Real largest = eigen.eigenvalues().cwiseAbs().maxCoeff();
    Matrix<S> residual =
        image.leftCols(width) * y - (basis.leftCols(width) * y) * theta.asDiagonal();
    out.residual = residual.leftCols(std::min(count, wanted)).colwise().norm().maxCoeff();

    const bool done = out.residual <= Real(options.tolerance) * largest || width == n ||
                      out.products >= options.max_products;
    if (!done) fresh = detail::orthonormal_complement(basis, width, std::move(residual));
    if (done || fresh.cols() == 0) {
      const Index found = std::min(count, wanted);
      out.values = theta.head(found);
      out.vectors = basis.leftCols(width) * y.leftCols(found);
      return out;
    }
    if (width + fresh.cols() > capacity) {  // restart from the best half
      const Index keep = std::min(width, std::max(block, (capacity - fresh.cols()) / 2));
      const Matrix<S> best = eigen.eigenvectors().rightCols(keep);
      basis.leftCols(keep) = (basis.leftCols(width) * best).eval();
      image.leftCols(keep) = (image.leftCols(width) * best).eval();
      width = keep;
    }
  }
}

/// x -> -M x, for the lowest eigenpairs.
template <HermitianMap M>
struct Negated {
  using Factor = typename M::Factor;
  const M& map;
  Index rows() const { return map.rows(); }
  void times(const Factor& v, Factor& g) const {
    map.times(v, g);
    scale(-1, g);
  }
};

/// ||M||_2, an estimate from below.
template <HermitianMap M>
auto spectral_norm(const M& map, const EigenOptions& options = {}) {
  const auto high = largest_eigenpairs(map, 1, options).values[0];
  const auto low = largest_eigenpairs(Negated<M>{map}, 1, options).values[0];
  return std::max(high, low);
}

}  // namespace projfgd
