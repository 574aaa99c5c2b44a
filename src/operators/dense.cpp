#include "projfgd/operators/dense.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "projfgd/core/chunks.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/operators/check.hpp"

namespace projfgd {
namespace {

constexpr Index measurements_per_chunk = 8, entries_per_chunk = 128;

}  // namespace

template <class S>
DenseOperator<S>::DenseOperator(const std::vector<Matrix<S>>& matrices)
    : n_(matrices.empty() ? 0 : matrices.front().rows()),
      columns_(n_ * n_, static_cast<Index>(matrices.size())) {
  if (matrices.empty()) {
    throw InputError("measurement matrices: found none, expected at least one");
  }
  const Real rounding = 100 * Eigen::NumTraits<Real>::epsilon();
  for (Index i = 0; i < columns_.cols(); ++i) {
    const Matrix<S>& a = matrices[i];
    if (a.rows() != n_ || a.cols() != n_) {
      throw InputError(fmt::format("measurement matrix {}: found {} x {}, expected {} x {}", i,
                                   a.rows(), a.cols(), n_, n_));
    }
    if (!((a - a.adjoint()).norm() <= rounding * a.norm())) {
      Index row = 0, column = 0;
      const Real most = (a - a.adjoint()).cwiseAbs().maxCoeff(&row, &column);
      throw InputError(
          fmt::format("measurement matrix {}: found one that differs from its adjoint, by {:.3g} "
                      "at [{}, {}], expected a Hermitian matrix of finite numbers",
                      i, most, std::min(row, column), std::max(row, column)));
    }
    columns_.col(i) = a.reshaped();
  }
}

template <class S>
void DenseOperator<S>::forward(const Factor& u, const Factor& d, Vector<Real>& y) const {
  require_factors(u, d, n_);
  const auto lent = work_space_.lend(n_ * n_);
  Eigen::Map<Matrix<S>>(lent.get(), n_, n_).noalias() = u * d.adjoint();
  const Eigen::Map<const Vector<S>> x(lent.get(), n_ * n_);
  y.resize(measurements());
  for_each_chunk(y.size(), measurements_per_chunk, 4, [&](Index, Index begin, Index length) {
    for (Index i = begin; i < begin + length; ++i) y[i] = std::real(columns_.col(i).dot(x));
  });
}

template <class S>
void DenseOperator<S>::adjoint_times(const Vector<Real>& w, const Factor& v, Factor& g) const {
  require_weights(w, measurements(), v, n_);
  const auto lent_weights = work_space_.lend(w.size()), lent = work_space_.lend(n_ * n_);
  Eigen::Map<Vector<S>> weights(lent_weights.get(), w.size());
  weights = w.template cast<S>();
  Eigen::Map<Vector<S>> entries(lent.get(), n_ * n_);
  for_each_chunk(n_ * n_, entries_per_chunk, 4, [&](Index, Index begin, Index length) {
    entries.segment(begin, length).noalias() = columns_.middleRows(begin, length) * weights;
  });
  g.noalias() = Eigen::Map<const Matrix<S>>(lent.get(), n_, n_) * v;
}

template class DenseOperator<float>;
template class DenseOperator<double>;
template class DenseOperator<std::complex<float>>;
template class DenseOperator<std::complex<double>>;

}  // namespace projfgd
