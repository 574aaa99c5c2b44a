#include "projfgd/operators/entries.hpp"

#include <fmt/format.h>

#include <limits>

#include "projfgd/core/chunks.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/operators/check.hpp"

namespace projfgd {
namespace {

constexpr Index places_per_chunk = 2048, rows_per_chunk = 64, worth_threads = 2;

}  // namespace

template <class S>
EntriesOperator<S>::EntriesOperator(Index n, std::vector<Place> places)
    : n_(n), places_(std::move(places)), start_(n + 1, 0) {
  if (places_.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw ResourceError(
        fmt::format("sampled entries: found {}, expected fewer than 2^31", places_.size()));
  }
  for (std::size_t k = 0; k < places_.size(); ++k) {
    const auto [i, j] = places_[k];
    if (i < 0 || j < 0 || i >= n || j >= n) {
      throw InputError(fmt::format(
          "sampled entry {}: found place ({}, {}), expected indices from 0 to {}", k, i, j, n - 1));
    }
    ++start_[i + 1];
    if (i != j) ++start_[j + 1];
  }
  for (Index i = 0; i < n; ++i) start_[i + 1] += start_[i];
  touching_.resize(start_[n]);
  std::vector<Index> next(start_.begin(), start_.end() - 1);
  for (std::size_t k = 0; k < places_.size(); ++k) {
    const auto [i, j] = places_[k];
    touching_[next[i]++] = static_cast<std::int32_t>(k);
    if (i != j) touching_[next[j]++] = static_cast<std::int32_t>(k);
  }
}

template <class S>
void EntriesOperator<S>::forward(const Factor& u, const Factor& d, Vector<Real>& y) const {
  require_factors(u, d, n_);
  // Rows side by side in memory: each measurement reads two of them, or four.
  const bool same = &u == &d;
  const auto lent_u = work_space_.lend(u.size()), lent_d = work_space_.lend(same ? 0 : d.size());
  Eigen::Map<Matrix<S>> ut(lent_u.get(), u.cols(), n_);
  Eigen::Map<Matrix<S>> dt(same ? lent_u.get() : lent_d.get(), u.cols(), n_);
  ut = u.transpose();
  if (!same) dt = d.transpose();
  y.resize(measurements());
  for_each_chunk(static_cast<Index>(places_.size()), places_per_chunk, worth_threads,
                 [&](Index, Index begin, Index length) {
                   for (Index k = begin; k < begin + length; ++k) {
                     const auto [i, j] = places_[k];
                     // X_ij of the Hermitian part of U D^H
                     S x = dt.col(j).dot(ut.col(i));
                     if (!same) x = (x + ut.col(j).dot(dt.col(i))) / Real(2);
                     y[k * per_place] = std::real(x);
                     if constexpr (is_complex<S>) y[k * per_place + 1] = i == j ? 0 : std::imag(x);
                   }
                 });
}

template <class S>
void EntriesOperator<S>::adjoint_times(const Vector<Real>& w, const Factor& v, Factor& g) const {
  require_weights(w, measurements(), v, n_);
  const Index columns = v.cols();
  const auto lent = work_space_.lend(v.size());
  Eigen::Map<Matrix<S>> vt(lent.get(), columns, n_);
  vt = v.transpose();
  g.resize(n_, columns);
  for_each_chunk(n_, rows_per_chunk, worth_threads, [&](Index, Index begin, Index length) {
    const auto lent_sum = work_space_.lend(columns);
    Eigen::Map<Vector<S>> sum(lent_sum.get(), columns);
    for (Index row = begin; row < begin + length; ++row) {
      sum.setZero();
      for (Index e = start_[row]; e < start_[row + 1]; ++e) {
        const Index k = touching_[e];
        const auto [i, j] = places_[k];
        S weight = w[k * per_place];  // of A*(w) at (i, j)
        if (i != j) {
          if constexpr (is_complex<S>) weight += S(0, w[k * per_place + 1]);
          weight /= Real(2);
        }
        if (row == i) {
          sum += weight * vt.col(j);
        } else {
          sum += Eigen::numext::conj(weight) * vt.col(i);
        }
      }
      g.row(row) = sum.transpose();
    }
  });
}

template class EntriesOperator<float>;
template class EntriesOperator<double>;
template class EntriesOperator<std::complex<float>>;
template class EntriesOperator<std::complex<double>>;

}  // namespace projfgd
