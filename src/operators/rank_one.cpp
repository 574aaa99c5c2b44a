#include "projfgd/operators/rank_one.hpp"

#include <algorithm>

#include "projfgd/core/chunks.hpp"
#include "projfgd/operators/check.hpp"

namespace projfgd {
namespace {

constexpr Index rows_per_chunk = 256, least_chunks = 2;

}  // namespace

template <class S>
void RankOneOperator<S>::forward(const Factor& u, Vector<Real>& y) const {
  require_factor(u, rows());
  y.resize(measurements());
  for_each_chunk(y.size(), rows_per_chunk, least_chunks, [&](Index, Index begin, Index length) {
    const auto lent = work_space_.lend(length * u.cols());
    Eigen::Map<Matrix<S>> au(lent.get(), length, u.cols());
    au.noalias() = a_.middleRows(begin, length) * u;
    y.segment(begin, length) = au.rowwise().squaredNorm();
  });
}

template <class S>
void RankOneOperator<S>::forward(const Factor& u, const Factor& d, Vector<Real>& y) const {
  require_factors(u, d, rows());
  y.resize(measurements());
  for_each_chunk(y.size(), rows_per_chunk, least_chunks, [&](Index, Index begin, Index length) {
    const auto lent = work_space_.lend(2 * length * u.cols());
    Eigen::Map<Matrix<S>> au(lent.get(), length, u.cols());
    Eigen::Map<Matrix<S>> ad(lent.get() + au.size(), length, u.cols());
    au.noalias() = a_.middleRows(begin, length) * u;
    ad.noalias() = a_.middleRows(begin, length) * d;
    y.segment(begin, length) = au.cwiseProduct(ad.conjugate()).real().rowwise().sum();
  });
}

template <class S>
void RankOneOperator<S>::adjoint_times(const Vector<Real>& w, const Factor& v, Factor& g) const {
  require_weights(w, measurements(), v, rows());
  const auto lent = work_space_.lend(measurements() * v.cols());
  Eigen::Map<Matrix<S>> weighted(lent.get(), measurements(), v.cols());
  for_each_chunk(w.size(), rows_per_chunk, least_chunks, [&](Index, Index begin, Index length) {
    auto part = weighted.middleRows(begin, length);
    part.noalias() = a_.middleRows(begin, length) * v;
    for (Index c = 0; c < part.cols(); ++c) {
      part.col(c).array() *= w.segment(begin, length).array().template cast<S>();
    }
  });
  g.resize(rows(), v.cols());
  // Both ways in chunks: a long product asks the heap for its packed operands.
  g.setZero();
  for_each_chunk(rows(), rows_per_chunk, least_chunks, [&](Index, Index begin, Index length) {
    for (Index from = 0; from < measurements(); from += rows_per_chunk) {
      const Index count = std::min(rows_per_chunk, measurements() - from);
      g.middleRows(begin, length).noalias() +=
          a_.block(from, begin, count, length).adjoint() * weighted.middleRows(from, count);
    }
  });
}

template class RankOneOperator<float>;
template class RankOneOperator<double>;
template class RankOneOperator<std::complex<float>>;
template class RankOneOperator<std::complex<double>>;

}  // namespace projfgd
