#include <algorithm>
#include <complex>
#include <vector>

#include "device/row_sums.hpp"
#include "projfgd/device/matrices.hpp"
#include "projfgd/operators/check.hpp"

namespace projfgd {
namespace device {
namespace {

template <class R>
PROJFGD_ON_DEVICE void put_number(R x, bool, R* y) {
  y[0] = x;
}
template <class R>
PROJFGD_ON_DEVICE void put_number(const Complex<R>& x, bool is_real, R* y) {
  y[0] = x.re;
  y[1] = is_real ? R(0) : x.im;
}

/// X_ij of the Hermitian part of U D^H.
template <class T, class R, class Place>
struct EntryOfProduct {
  const Place* places;
  const T *u, *d;
  Index rows, columns;
  R* y;

  PROJFGD_ON_DEVICE void operator()(Index k) const {
    const Index i = places[k].row, j = places[k].column;
    T x{};
    for (Index c = 0; c < columns; ++c) {
      x = x + product(conjugate(d[j + c * rows]), u[i + c * rows]);
    }
    if (u != d) {
      T other{};
      for (Index c = 0; c < columns; ++c) {
        other = other + product(conjugate(u[j + c * rows]), d[i + c * rows]);
      }
      x = R(1) / 2 * (x + other);
    }
    put_number(x, i == j, y + k * Index(sizeof(T) / sizeof(R)));
  }
};

/// The rows of A*(w), which has what the listed places say.
template <class T, class R>
struct ListedRows {
  const Index* first;
  const Touch* touching;
  const R* w;
  Index count;
  PROJFGD_ON_DEVICE Index begin(Index row) const { return first[row]; }
  PROJFGD_ON_DEVICE Index end(Index row) const { return first[row + 1]; }
  PROJFGD_ON_DEVICE MatrixEntry<T> at(Index row, Index e) const {
    const Touch touch = touching[e];
    const bool conjugated = touch.place < 0;
    const Index place = conjugated ? ~touch.place : touch.place;
    return {touch.other,
            weight(w + place * Index(sizeof(T) / sizeof(R)), touch.other == row, conjugated, T{})};
  }

 private:
  PROJFGD_ON_DEVICE static R weight(const R* w, bool on_diagonal, bool, R) {
    return on_diagonal ? w[0] : w[0] / 2;
  }
  PROJFGD_ON_DEVICE static Complex<R> weight(const R* w, bool on_diagonal, bool conjugated,
                                             const Complex<R>&) {
    if (on_diagonal) return {w[0], R(0)};
    return {w[0] / 2, conjugated ? -w[1] / 2 : w[1] / 2};
  }
};

/// Entry (j, k) of U D^H, column by column.
template <class T>
struct OuterEntry {
  const T *u, *d;
  Index rows, columns;
  T* x;
  PROJFGD_ON_DEVICE void operator()(Index at) const {
    const Index j = at % rows, k = at / rows;
    T sum{};
    for (Index c = 0; c < columns; ++c) {
      sum = sum + product(u[j + c * rows], conjugate(d[k + c * rows]));
    }
    x[at] = sum;
  }
};

/// y_i = sum_c Re a_ic conj(b_ic)
template <class T, class R>
struct RowProducts {
  const T *a, *b;
  Index rows, columns;
  R* y;
  PROJFGD_ON_DEVICE void operator()(Index i) const {
    R sum = 0;
    for (Index c = 0; c < columns; ++c) sum += real_product(a[i + c * rows], b[i + c * rows]);
    y[i] = sum;
  }
};

/// a_ic *= w_i
template <class T, class R>
struct WeighRow {
  const R* w;
  Index rows;
  T* a;
  PROJFGD_ON_DEVICE void operator()(Index k) const { a[k] = w[k % rows] * a[k]; }
};

/// What a product takes beside its operator: two vectors of measurements, and factors.
template <class S>
double bytes_of_products(Index rows, Index measurements, Index columns) {
  constexpr double vectors = 2, factors = 3;
  return vectors * sizeof(RealOf<S>) * static_cast<double>(measurements) +
         factors * sizeof(S) * static_cast<double>(rows) * static_cast<double>(columns);
}

}  // namespace
}  // namespace device

template <class S>
DeviceEntriesOperator<S>::DeviceEntriesOperator(const EntriesOperator<S>& host)
    : n_(host.rows()), measurements_(host.measurements()) {
  std::vector<device::Touch> touching;
  touching.reserve(host.touching().size());
  for (Index row = 0; row < n_; ++row) {
    for (Index e = host.first()[row]; e < host.first()[row + 1]; ++e) {
      const std::int32_t k = host.touching()[e];
      const auto& place = host.places()[k];
      touching.push_back(place.row == row ? device::Touch{place.column, k}
                                          : device::Touch{place.row, ~k});
    }
  }
  device::put(host.places(), places_);
  device::put(host.first(), first_);
  device::put(touching, touching_);
}

template <class S>
double DeviceEntriesOperator<S>::bytes(const EntriesOperator<S>& host, Index columns) {
  return static_cast<double>(host.places().size()) * sizeof(typename EntriesOperator<S>::Place) +
         static_cast<double>(host.touching().size()) * sizeof(device::Touch) +
         static_cast<double>(host.first().size()) * sizeof(Index) +
         device::bytes_of_products<S>(host.rows(), host.measurements(), columns);
}

template <class S>
void DeviceEntriesOperator<S>::forward(const Factor& u, const Factor& d, Values& y) const {
  require_factors(u, d, n_);
  y.resize(measurements_);
  using Place = typename EntriesOperator<S>::Place;
  using Entry = device::EntryOfProduct<device::SeenAs<S>, Real, Place>;
  device::for_each(places_.size(), Entry{places_.data(), device::seen(u.data()),
                                         device::seen(d.data()), n_, u.cols(), y.data()});
}

template <class S>
void DeviceEntriesOperator<S>::adjoint_times(const Values& w, const Factor& v, Factor& g) const {
  require_weights(w, measurements_, v, n_);
  g.resize(n_, v.cols());
  using T = device::SeenAs<S>;
  using Rows = device::ListedRows<T, Real>;
  const device::RowSums<T, Rows> sums{{first_.data(), touching_.data(), w.data(), n_},
                                      device::seen(v.data()),
                                      n_,
                                      v.cols(),
                                      1,
                                      device::seen(g.data())};
  device::run_blocks(sums.blocks(), sums);
}

template <class S>
DeviceDenseOperator<S>::DeviceDenseOperator(const DenseOperator<S>& host)
    : n_(host.rows()),
      matrices_(reinterpret_cast<const Real*>(host.columns().data()), host.measurements(),
                n_ * n_ * Index(sizeof(S) / sizeof(Real))) {
  entries_.resize(n_ * n_);
}

template <class S>
double DeviceDenseOperator<S>::bytes(const DenseOperator<S>& host, Index columns) {
  const Index n = host.rows(), numbers = n * n * Index(sizeof(S) / sizeof(Real));
  const Index shares =
      device::shares_of_terms(n * device::strips_of(columns), n, device::enough_threads);
  return DeviceTable<Real>::bytes(host.measurements(), numbers, 1) +
         sizeof(S) * static_cast<double>(n * n + shares * n * columns) +
         device::bytes_of_products<S>(n, host.measurements(), columns);
}

template <class S>
void DeviceDenseOperator<S>::forward(const Factor& u, const Factor& d, Values& y) const {
  require_factors(u, d, n_);
  y.resize(measurements());
  using T = device::SeenAs<S>;
  device::for_each(n_ * n_, device::OuterEntry<T>{device::seen(u.data()), device::seen(d.data()),
                                                  n_, u.cols(), device::seen(entries_.data())});
  matrices_.times(reinterpret_cast<const Real*>(entries_.data()), 1, y.data());
}

template <class S>
void DeviceDenseOperator<S>::adjoint_times(const Values& w, const Factor& v, Factor& g) const {
  require_weights(w, measurements(), v, n_);
  g.resize(n_, v.cols());
  matrices_.adjoint_times(w.data(), 1, reinterpret_cast<Real*>(entries_.data()));
  // The sum stands column by column: row i of what ColumnSums sees is its column i.
  using T = device::SeenAs<S>;
  const Index shares =
      device::shares_of_terms(n_ * device::strips_of(v.cols()), n_, device::enough_threads);
  device::add_shares(shares, g.size(), shares_, g.data(), [&](T* to) {
    const device::ColumnSums<T> sums{{device::seen(entries_.data()), n_, n_},
                                     false,
                                     device::seen(v.data()),
                                     v.cols(),
                                     shares,
                                     to};
    device::for_each(sums.threads(), sums);
  });
}

template <class S>
DeviceRankOneOperator<S>::DeviceRankOneOperator(const RankOneOperator<S>& host)
    : vectors_(host.vectors()) {}

template <class S>
double DeviceRankOneOperator<S>::bytes(Index vectors, Index rows, Index columns) {
  constexpr double products = 2;
  return DeviceTable<S>::bytes(vectors, rows, columns) +
         products * sizeof(S) * static_cast<double>(vectors) * static_cast<double>(columns) +
         device::bytes_of_products<S>(rows, vectors, columns);
}

template <class S>
void DeviceRankOneOperator<S>::predict(const Factor& u, const Factor& d, Values& y) const {
  require_factors(u, d, rows());
  const Index size = measurements() * u.cols();
  const bool same = &u == &d;
  y.resize(measurements());
  products_.resize(std::max(products_.size(), size));
  vectors_.times(u.data(), u.cols(), products_.data());
  if (!same) {
    others_.resize(std::max(others_.size(), size));
    vectors_.times(d.data(), d.cols(), others_.data());
  }
  using Products = device::RowProducts<device::SeenAs<S>, Real>;
  device::for_each(measurements(), Products{device::seen(products_.data()),
                                            device::seen(same ? products_.data() : others_.data()),
                                            measurements(), u.cols(), y.data()});
}

template <class S>
void DeviceRankOneOperator<S>::adjoint_times(const Values& w, const Factor& v, Factor& g) const {
  require_weights(w, measurements(), v, rows());
  const Index size = measurements() * v.cols();
  products_.resize(std::max(products_.size(), size));
  g.resize(rows(), v.cols());
  vectors_.times(v.data(), v.cols(), products_.data());
  using Weigh = device::WeighRow<device::SeenAs<S>, Real>;
  device::for_each(size, Weigh{w.data(), measurements(), device::seen(products_.data())});
  vectors_.adjoint_times(products_.data(), v.cols(), g.data());
}

#define PROJFGD_MATRICES(S)                \
  template class DeviceEntriesOperator<S>; \
  template class DeviceDenseOperator<S>;   \
  template class DeviceRankOneOperator<S>;

PROJFGD_MATRICES(float)
PROJFGD_MATRICES(double)
PROJFGD_MATRICES(std::complex<float>)
PROJFGD_MATRICES(std::complex<double>)

}  // namespace projfgd
