#include "projfgd/core/eigenpairs.hpp"

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
[[gnu::noinline]] void product(const Columns<S>& a, const Columns<S>& b, Matrix<S>& out) {
  out.resize(a.rows(), b.cols());
  out.noalias() = a * b;
}

/// Orthonormalises block against the first `width` columns of basis and within itself, column by
/// column and twice over; directions that vanish are dropped.
template <class S>
void orthonormalise_beside(const Matrix<S>& basis, Index width, Matrix<S>& block,
                           Matrix<S>& along) {
  using Real = RealOf<S>;
  const auto q = basis.leftCols(width);
  Index rank = 0;
  for (int pass = 0; pass < 2 && block.cols() > 0; ++pass) {
    const Real floor = block.colwise().norm().maxCoeff() * 100 * Eigen::NumTraits<Real>::epsilon();
    if (width > 0) {
      product<S>(q, adjoint_product<S>(q, block), along);
      block -= along;
    }
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
}

/// Room for that many columns at least.
template <class S>
void make_room(Index rows, Index cols, Matrix<S>& m) {
  if (m.rows() != rows || m.cols() < cols) m.resize(rows, cols);
}

}  // namespace

template <class S>
void orthonormalise(Matrix<S>& u) {
  Matrix<S> none(u.rows(), 0);
  orthonormalise_beside(none, 0, u, none);
}

template <class S>
void LargestEigenpairs<S>::find(Index rows,
                                const std::function<void(const Matrix<S>&, Matrix<S>&)>& times,
                                Index count, const EigenOptions& options, const Matrix<S>* guess) {
  using Real = RealOf<S>;
  // Residuals are not below rounding, whatever is asked for.
  const Real tolerance = std::max(Real(options.tolerance), 10 * Eigen::NumTraits<Real>::epsilon());
  count = std::min(count, rows);
  const Index block = std::min(rows, count + std::min<Index>(count - 1, 4));
  const Index known = guess == nullptr ? 0 : std::min(guess->cols(), rows - 1);
  const Index first = std::max(block, known > 0 ? known + 1 : 0);
  const Index capacity =
      std::min(rows, std::max<Index>({block * 3, options.max_basis * count, first + 2 * block}));

  make_room(rows, capacity, basis_);
  make_room(rows, capacity, image_);
  make_room(capacity, capacity, small_);
  Matrix<S>& start = start_.vectors;
  start.resize(rows, first);
  fill_normal(RandomStream(options.seed, 0xE16E), start);
  if (known > 0) {
    start.leftCols(known) = guess->leftCols(known);
    for (Index c = 0; c < first; ++c) {  // whatever its unit
      const Real largest = start.col(c).cwiseAbs().maxCoeff();
      if (!(largest > 0)) continue;
      column_ = start.col(c) / largest;
      start.col(c) = column_ / column_.norm();
    }
  }
  orthonormalise_beside(basis_, 0, start, product_);
  found_.products = 0;
  Index width = 0;
  for (Block* fresh = &start_;; fresh = &next_) {
    const Index added = fresh->vectors.cols();
    times(fresh->vectors, fresh->image);
    ++found_.products;
    basis_.middleCols(width, added) = fresh->vectors;
    image_.middleCols(width, added) = fresh->image;
    small_.block(width, 0, added, width + added) =
        adjoint_product<S>(fresh->vectors, image_.leftCols(width + added));
    width += added;

    const HermitianEigen<S> eigen = hermitian_eigen<S>(small_.topLeftCorner(width, width));
    const Index wanted = std::min(block, width);
    const Matrix<S> y = eigen.vectors.rightCols(wanted).rowwise().reverse();
    const Vector<Real> theta = eigen.values.tail(wanted).reverse();
    const Real largest = eigen.values.cwiseAbs().maxCoeff();
    Matrix<S>& residual = next_.vectors;
    product<S>(basis_.leftCols(width), y, ritz_);
    product<S>(image_.leftCols(width), y, residual);
    for (Index c = 0; c < wanted; ++c) residual.col(c) -= theta[c] * ritz_.col(c);
    found_.residual = residual.leftCols(std::min(count, wanted)).colwise().norm().maxCoeff();

    const bool done = found_.residual <= tolerance * largest || width == rows ||
                      (options.enough && options.enough(theta[0], found_.residual)) ||
                      found_.products >= options.max_products ||
                      (options.go_on && !options.go_on());
    if (!done) orthonormalise_beside(basis_, width, residual, product_);
    if (done || residual.cols() == 0) {
      const Index number = std::min(count, wanted);
      found_.values = theta.head(number);
      found_.vectors = ritz_.leftCols(number);
      return;
    }
    const Index more = residual.cols();
    if (width + more > capacity) {  // restart from the best half
      const Index keep = std::min(width, std::max(block, (capacity - more) / 2));
      const Matrix<S> best = eigen.vectors.rightCols(keep);
      for (Matrix<S>* all : {&basis_, &image_}) {
        product<S>(all->leftCols(width), best, kept_);
        all->leftCols(keep) = kept_;
      }
      small_.topLeftCorner(keep, keep).setZero();
      small_.diagonal().head(keep) = eigen.values.tail(keep).template cast<S>();
      width = keep;
    }
  }
}

#define PROJFGD_INSTANTIATE_SCALAR(S)       \
  template void orthonormalise(Matrix<S>&); \
  template class LargestEigenpairs<S>;
PROJFGD_INSTANTIATE_SCALAR(float)
PROJFGD_INSTANTIATE_SCALAR(double)
PROJFGD_INSTANTIATE_SCALAR(std::complex<float>)
PROJFGD_INSTANTIATE_SCALAR(std::complex<double>)

}  // namespace projfgd
