#include "projfgd/operators/identity.hpp"

#include "projfgd/core/chunks.hpp"
#include "projfgd/core/hermitian_coordinates.hpp"
#include "projfgd/operators/check.hpp"

namespace projfgd {
namespace {

constexpr Index columns_per_chunk = 16, worth_threads = 4;

}  // namespace

template <class S>
void IdentityOperator<S>::forward(const Factor& u, const Factor& d, Vector<Real>& y) const {
  require_factors(u, d, n_);
  const auto lent = work_space_.lend(n_ * n_);
  Eigen::Map<Matrix<S>> x(lent.get(), n_, n_);
  for_each_chunk(n_, columns_per_chunk, worth_threads, [&](Index, Index begin, Index length) {
    x.middleCols(begin, length).noalias() = u * d.middleRows(begin, length).adjoint();
  });
  coordinates(x, y);
}

template <class S>
Vector<RealOf<S>> IdentityOperator<S>::coordinates(const Matrix<S>& x) const {
  require_size("rows of the matrix", x.rows(), n_);
  require_size("columns of the matrix", x.cols(), n_);
  Vector<Real> y;
  coordinates(x, y);
  return y;
}

template <class S>
void IdentityOperator<S>::coordinates(const Eigen::Ref<const Matrix<S>>& x, Vector<Real>& y) const {
  y.resize(measurements());
  to_coordinates(x, y.data());
}

template <class S>
void IdentityOperator<S>::adjoint_times(const Vector<Real>& w, const Factor& v, Factor& g) const {
  require_weights(w, measurements(), v, n_);
  const auto lent = work_space_.lend(n_ * n_);
  Eigen::Map<Matrix<S>> sum(lent.get(), n_, n_);
  from_coordinates(w.data(), sum);
  g.resize(n_, v.cols());
  for_each_chunk(n_, columns_per_chunk, worth_threads, [&](Index, Index begin, Index length) {
    g.middleRows(begin, length).noalias() = sum.middleRows(begin, length) * v;
  });
}

template class IdentityOperator<float>;
template class IdentityOperator<double>;
template class IdentityOperator<std::complex<float>>;
template class IdentityOperator<std::complex<double>>;

}  // namespace projfgd
