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
  Index rank = 0;
  for (int pass = 0; pass < 2 && block.cols() > 0; ++pass) {
    const Real floor = block.colwise().norm().maxCoeff() * 100 * Eigen::NumTraits<Real>::epsilon();
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
    const EigenOptions& options, const Matrix<S>* guess) {
  using Real = RealOf<S>;
  count = std::min(count, rows);
  const Index block = std::min(rows, count + std::min<Index>(count - 1, 4));
  const Index known = guess == nullptr ? 0 : std::min(guess->cols(), rows - 1);
  const Index first = std::max(block, known > 0 ? known + 1 : 0);
  const Index capacity =
      std::min(rows, std::max<Index>({block * 3, options.max_basis * count, first + 2 * block}));

  Matrix<S> start(rows, first), basis(rows, capacity), image(rows, capacity);
  Matrix<S> small(capacity, capacity);  // basis^H image
  fill_normal(RandomStream(options.seed, 0xE16E), start);
  if (known > 0) {
    start.leftCols(known) = guess->leftCols(known);
    for (Index c = 0; c < first; ++c) {  // whatever its unit
      const Real largest = start.col(c).cwiseAbs().maxCoeff();
      if (largest > 0) start.col(c) = (start.col(c) / largest).normalized();
    }
  }
  Matrix<S> fresh = orthonormal_complement(basis, 0, std::move(start)), fresh_image;
  Index width = 0;
  Eigenpairs<S> out{Vector<Real>(), Matrix<S>(), Real(0), 0};
  while (true) {
    times(fresh, fresh_image);
    ++out.products;
    basis.middleCols(width, fresh.cols()) = fresh;
    image.middleCols(width, fresh.cols()) = fresh_image;
    small.block(width, 0, fresh.cols(), width + fresh.cols()) =
        adjoint_product<S>(fresh, image.leftCols(width + fresh.cols()));
    width += fresh.cols();

    const HermitianEigen<S> eigen = hermitian_eigen<S>(small.topLeftCorner(width, width));
    const Index wanted = std::min(block, width);
    const Matrix<S> y = eigen.vectors.rightCols(wanted).rowwise().reverse();
    const Vector<Real> theta = eigen.values.tail(wanted).reverse();
    const Real largest = eigen.values.cwiseAbs().maxCoeff();
    const Matrix<S> ritz = product<S>(basis.leftCols(width), y);
    Matrix<S> residual = product<S>(image.leftCols(width), y);
    for (Index c = 0; c < wanted; ++c) residual.col(c) -= theta[c] * ritz.col(c);
    out.residual = residual.leftCols(std::min(count, wanted)).colwise().norm().maxCoeff();

    const bool done = out.residual <= Real(options.tolerance) * largest || width == rows ||
                      (options.enough && options.enough(theta[0], out.residual)) ||
                      out.products >= options.max_products || (options.go_on && !options.go_on());
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
      small.topLeftCorner(keep, keep).setZero();
      small.diagonal().head(keep) = eigen.values.tail(keep).template cast<S>();
      width = keep;
    }
  }
}

#define PROJFGD_INSTANTIATE_SCALAR(S)                                                              \
  template Matrix<S> orthonormal_basis(const Matrix<S>&);                                          \
  template Eigenpairs<S> detail::largest_eigenpairs(                                               \
      Index, const std::function<void(const Matrix<S>&, Matrix<S>&)>&, Index, const EigenOptions&, \
      const Matrix<S>*);
PROJFGD_INSTANTIATE_SCALAR(float)
PROJFGD_INSTANTIATE_SCALAR(double)
PROJFGD_INSTANTIATE_SCALAR(std::complex<float>)
PROJFGD_INSTANTIATE_SCALAR(std::complex<double>)

}  // namespace projfgd
