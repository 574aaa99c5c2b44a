#include "projfgd/operators/identity.hpp"

#include <numbers>

#include "projfgd/core/chunks.hpp"
#include "projfgd/operators/check.hpp"

namespace projfgd {
namespace {

constexpr Index columns_per_chunk = 16, worth_threads = 4;
template <class R>
constexpr R root_two = std::numbers::sqrt2_v<R>;

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
  for (Index j = 0; j < n_; ++j) {
    Real* out = y.data() + column_start(j);
    for (Index i = 0; i < j; ++i) {
      const S mean = (x(i, j) + Eigen::numext::conj(x(j, i))) / Real(2);
      *out++ = root_two<Real> * std::real(mean);
      if constexpr (is_complex<S>) *out++ = root_two<Real> * std::imag(mean);
    }
    *out = std::real(x(j, j));
  }
}

template <class S>
void IdentityOperator<S>::adjoint_times(const Vector<Real>& w, const Factor& v, Factor& g) const {
  require_weights(w, measurements(), v, n_);
  const auto lent = work_space_.lend(n_ * n_);
  Eigen::Map<Matrix<S>> sum(lent.get(), n_, n_);
  for (Index j = 0; j < n_; ++j) {
    const Real* in = w.data() + column_start(j);
    for (Index i = 0; i < j; ++i) {
      S entry = *in++;
      if constexpr (is_complex<S>) entry += S(0, *in++);
      sum(i, j) = entry / root_two<Real>;
      sum(j, i) = Eigen::numext::conj(sum(i, j));
    }
    sum(j, j) = *in;
  }
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
