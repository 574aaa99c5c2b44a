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
    throw InputError(
        "measurement vectors: found linearly dependent ones, expected a matrix of full rank");
  }
}

template <class S>
void RowsOperator<S>::solve_normal(Factor& g) const {
  g = normal_.solve(g).eval();
}

template <class S>
double RowsOperator<S>::visit_block(Index b, const S* z, const Visit& visit, S* out,
                                    Into into) const {
  const auto rows_of = block(b);
  const auto lent = work_space_.lend(block_size_);
  Eigen::Map<Vector<S>> v(lent.get(), rows_of.rows());
  if (z != nullptr) v.noalias() = rows_of * Eigen::Map<const Vector<S>>(z, rows());
  const double sum = visit(run_of(v.data(), 0, v.size()));
  if (out == nullptr) return sum;
  if (into == Into::pseudo_inverse) grams_[static_cast<std::size_t>(b)].solveInPlace(v);
  Eigen::Map<Vector<S>> to(out, rows());
  if (into == Into::place) to.setZero();
  to.noalias() += rows_of.adjoint() * v;
  return sum;
}

template class RowsOperator<std::complex<float>>;
template class RowsOperator<std::complex<double>>;

}  // namespace projfgd
