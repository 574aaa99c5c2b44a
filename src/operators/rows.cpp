#include "projfgd/operators/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <utility>

#include "projfgd/core/error.hpp"

namespace projfgd {

template <class S>
RowsOperator<S>::RowsOperator(Matrix<S> a)
    : a_(std::move(a)), block_size_(std::clamp<Index>(a_.cols() / 4, 1, 64)) {
  if (a_.rows() < a_.cols() || a_.cols() < 1) {
    throw InputError(
        fmt::format("measurement vectors: found {} of {} entries, expected at least {}", a_.rows(),
                    a_.cols(), std::max<Index>(a_.cols(), 1)));
  }
  normal_.compute(a_.adjoint() * a_);
  bool regular = normal_.info() == Eigen::Success;
  for (Index b = 0; b < this->blocks() && regular; ++b) {
    grams_.emplace_back(block(b) * block(b).adjoint());
    regular = grams_.back().info() == Eigen::Success;
  }
  if (!regular) {
    throw InputError("measurement vectors: found dependent ones, expected a matrix of full rank");
  }
}

template <class S>
void RowsOperator<S>::solve_normal(Factor& g) const {
  g = normal_.solve(g).eval();
}

template <class S>
void RowsOperator<S>::apply_block(Index b, const S* z, S* v) const {
  const auto rows_of = block(b);
  Eigen::Map<Vector<S>>(v, rows_of.rows()).noalias() =
      rows_of * Eigen::Map<const Vector<S>>(z, rows());
}

template <class S>
void RowsOperator<S>::adjoint_block(Index b, S* v, S* out, Into into) const {
  const auto rows_of = block(b);
  Eigen::Map<Vector<S>> to(out, rows());
  if (into == Into::place) to.setZero();
  to.noalias() += rows_of.adjoint() * Eigen::Map<const Vector<S>>(v, rows_of.rows());
}

template <class S>
void RowsOperator<S>::add_pseudo_inverse_block(Index b, S* v, S* z) const {
  Eigen::Map<Vector<S>> right(v, block(b).rows());
  grams_[static_cast<std::size_t>(b)].solveInPlace(right);
  adjoint_block(b, v, z, Into::sum);
}

template class RowsOperator<std::complex<float>>;
template class RowsOperator<std::complex<double>>;

}  // namespace projfgd
