#include "projfgd/core/eigenpairs.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <cmath>

namespace projfgd {
namespace {

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

}  // namespace

template <class S>
Matrix<S> orthonormal_basis(const Matrix<S>& u) {
  const Eigen::ColPivHouseholderQR<Matrix<S>> qr(u);
  return qr.householderQ() * Matrix<S>::Identity(u.rows(), qr.rank());
}

template <class S>
Eigenpairs<S> detail::largest_eigenpairs(
    Index rows, const std::function<void(const Matrix<S>&, Matrix<S>&)>& times, Index count,
    const EigenOptions& options) {
  using Real = RealOf<S>;
  count = std::min(count, rows);
  const Index block = std::min(rows, count + std::min<Index>(count - 1, 4));
  const Index capacity = std::min(rows, std::max<Index>(block * 3, options.max_basis * count));

  Matrix<S> start(rows, block), basis(rows, capacity), image(rows, capacity);
  fill_normal(RandomStream(options.seed, 0xE16E), start);
  Matrix<S> fresh = orthonormal_complement(basis, 0, start), product;
  Index width = 0;
  Eigenpairs<S> out{Vector<Real>(), Matrix<S>(), Real(0), 0};
  while (true) {
    times(fresh, product);
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

    const bool done = out.residual <= Real(options.tolerance) * largest || width == rows ||
                      out.products >= options.max_products;
    if (!done) fresh = orthonormal_complement(basis, width, std::move(residual));
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

#define PROJFGD_INSTANTIATE_SCALAR(S)                                         \
  template Matrix<S> orthonormal_basis(const Matrix<S>&);                     \
  template Eigenpairs<S> detail::largest_eigenpairs(                          \
      Index, const std::function<void(const Matrix<S>&, Matrix<S>&)>&, Index, \
      const EigenOptions&);
PROJFGD_INSTANTIATE_SCALAR(float)
PROJFGD_INSTANTIATE_SCALAR(double)
PROJFGD_INSTANTIATE_SCALAR(std::complex<float>)
PROJFGD_INSTANTIATE_SCALAR(std::complex<double>)

}  // namespace projfgd
