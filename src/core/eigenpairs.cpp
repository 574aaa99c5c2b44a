#include "projfgd/core/eigenpairs.hpp"

#include <utility>

#include "projfgd/core/small_matrix.hpp"

namespace projfgd {
namespace {

template <class S>
using Columns = Eigen::Ref<const Matrix<S>, 0, Eigen::OuterStride<>>;

// Each product is instantiated once for each scalar: they dominate the time to compile this file.
template <class S>
[[gnu::noinline]] Matrix<S> adjoint_product(const Columns<S>& a, const Columns<S>& b) {
  return a.adjoint() * b;
}
template <class S>
[[gnu::noinline]] Matrix<S> product(const Columns<S>& a, const Columns<S>& b) {
  return a * b;
}

/// Orthonormalises block against the first `width` columns of basis and within itself, column by
/// column and twice over; directions that vanish are dropped.
template <class S>
Matrix<S> orthonormal_complement(const Matrix<S>& basis, Index width, Matrix<S> block) {
  using Real = RealOf<S>;
  const auto q = basis.leftCols(width);
  const Real floor = block.colwise().norm().maxCoeff() * 100 * Eigen::NumTraits<Real>::epsilon();
  Index rank = 0;
  for (int pass = 0; pass < 2; ++pass) {
    if (width > 0) block -= product<S>(q, adjoint_product<S>(q, block));
    rank = 0;
    for (Index c = 0; c < block.cols(); ++c) {
      for (int again = 0; again < 2; ++again) {
        for (Index k = 0; k < rank; ++k)
          block.col(c) -= block.col(k).dot(block.col(c)) * block.col(k);
      }
      const Real size = block.col(c).norm();
      if (size <= floor) continue;
      block.col(rank) = block.col(c) / size;
      ++rank;
    }
    block.conservativeResize(Eigen::NoChange, rank);
  }
  return block;
}

}  // namespace

template <class S>
Matrix<S> orthonormal_basis(const Matrix<S>& u) {
  return orthonormal_complement<S>(Matrix<S>(u.rows(), 0), 0, u);
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
  Matrix<S> fresh = orthonormal_complement(basis, 0, std::move(start)), fresh_image;
  Index width = 0;
  Eigenpairs<S> out{Vector<Real>(), Matrix<S>(), Real(0), 0};
  while (true) {
    times(fresh, fresh_image);
    ++out.products;
    basis.middleCols(width, fresh.cols()) = fresh;
    image.middleCols(width, fresh.cols()) = fresh_image;
    width += fresh.cols();

    const Matrix<S> small = adjoint_product<S>(basis.leftCols(width), image.leftCols(width));
    const HermitianEigen<S> eigen = hermitian_eigen(small);
    const Index wanted = std::min(block, width);
    const Matrix<S> y = eigen.vectors.rightCols(wanted).rowwise().reverse();
    const Vector<Real> theta = eigen.values.tail(wanted).reverse();
    const Real largest = eigen.values.cwiseAbs().maxCoeff();
    const Matrix<S> ritz = product<S>(basis.leftCols(width), y);
    Matrix<S> residual = product<S>(image.leftCols(width), y);
    for (Index c = 0; c < wanted; ++c) residual.col(c) -= theta[c] * ritz.col(c);
    out.residual = residual.leftCols(std::min(count, wanted)).colwise().norm().maxCoeff();

    const bool done = out.residual <= Real(options.tolerance) * largest || width == rows ||
                      out.products >= options.max_products;
    if (!done) fresh = orthonormal_complement(basis, width, std::move(residual));
    if (done || fresh.cols() == 0) {
      const Index found = std::min(count, wanted);
      out.values = theta.head(found);
      out.vectors = ritz.leftCols(found);
      return out;
    }
    if (width + fresh.cols() > capacity) {  // restart from the best half
      const Index keep = std::min(width, std::max(block, (capacity - fresh.cols()) / 2));
      const Matrix<S> best = eigen.vectors.rightCols(keep);
      basis.leftCols(keep) = product<S>(basis.leftCols(width), best);
      image.leftCols(keep) = product<S>(image.leftCols(width), best);
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
