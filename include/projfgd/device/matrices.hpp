// The operators of matrix problems on a device. Each is made from that of the host, and satisfies
// the same contract. Sums have one order, which is that of the data.
#pragma once

#include <cstdint>

#include "projfgd/device/table.hpp"
#include "projfgd/device/values.hpp"
#include "projfgd/operators/dense.hpp"
#include "projfgd/operators/entries.hpp"
#include "projfgd/operators/rank_one.hpp"

namespace projfgd {

namespace device {

/// A listed place that touches a row: the row it meets there, and which place it is; ~place where
/// the row is its column, which takes the conjugate of the entry.
struct Touch {
  std::int32_t other, place;
};

}  // namespace device

/// EntriesOperator on a device.
template <class S>
class DeviceEntriesOperator {
 public:
  using Factor = DeviceFactor<S>;
  using Real = RealOf<S>;
  using Values = DeviceValues<Real>;

  explicit DeviceEntriesOperator(const EntriesOperator<S>& host);

  Index rows() const { return n_; }
  Index measurements() const { return measurements_; }
  void forward(const Factor& u, Values& y) const { forward(u, u, y); }
  void forward(const Factor& u, const Factor& d, Values& y) const;
  void adjoint_times(const Values& w, const Factor& v, Factor& g) const;

  /// Bytes of the device that it takes.
  static double bytes(const EntriesOperator<S>& host, Index columns);

 private:
  Index n_, measurements_;
  device::Array<typename EntriesOperator<S>::Place> places_;
  device::Array<Index> first_;
  device::Array<device::Touch> touching_;
};

/// DenseOperator on a device: all measurements are one product with the entries of X, which are
/// formed for it.
template <class S>
class DeviceDenseOperator {
 public:
  using Factor = DeviceFactor<S>;
  using Real = RealOf<S>;
  using Values = DeviceValues<Real>;

  explicit DeviceDenseOperator(const DenseOperator<S>& host);

  Index rows() const { return n_; }
  Index measurements() const { return matrices_.rows(); }
  void forward(const Factor& u, Values& y) const { forward(u, u, y); }
  void forward(const Factor& u, const Factor& d, Values& y) const;
  void adjoint_times(const Values& w, const Factor& v, Factor& g) const;

  static double bytes(const DenseOperator<S>& host, Index columns);

 private:
  Index n_;
  DeviceTable<Real> matrices_;  // row i is A_i, column by column, as real numbers
  mutable device::Array<S> entries_, shares_;
};

/// RankOneOperator on a device: measurement vectors and projectors.
template <class S>
class DeviceRankOneOperator {
 public:
  using Factor = DeviceFactor<S>;
  using Real = RealOf<S>;
  using Values = DeviceValues<Real>;

  explicit DeviceRankOneOperator(const RankOneOperator<S>& host);

  Index rows() const { return vectors_.width(); }
  Index measurements() const { return vectors_.rows(); }
  void forward(const Factor& u, Values& y) const { predict(u, u, y); }
  void forward(const Factor& u, const Factor& d, Values& y) const { predict(u, d, y); }
  void adjoint_times(const Values& w, const Factor& v, Factor& g) const;

  static double bytes(const RankOneOperator<S>& host, Index columns) {
    return bytes(host.measurements(), host.rows(), columns);
  }
  static double bytes(Index vectors, Index rows, Index columns);

 private:
  void predict(const Factor& u, const Factor& d, Values& y) const;

  DeviceTable<S> vectors_;
  mutable device::Array<S> products_, others_;
};

}  // namespace projfgd
