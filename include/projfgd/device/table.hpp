#pragma once

#include "projfgd/device/factor.hpp"

namespace projfgd {

/// A full matrix on a device, row by row, for products with several columns. These are on the
/// device, one after the other, as those of a DeviceFactor are.
template <class S>
class DeviceTable {
 public:
  DeviceTable() = default;
  explicit DeviceTable(const Matrix<S>& host);
  /// From rows that stand one after the other in the host's memory.
  DeviceTable(const S* host, Index rows, Index width);

  Index rows() const { return rows_; }
  Index width() const { return width_; }
  /// out = A b
  void times(const S* b, Index columns, S* out) const;
  /// out = A^H b
  void adjoint_times(const S* b, Index columns, S* out) const;

  /// Bytes that such a table takes at most, products with so many columns included.
  static double bytes(Index rows, Index width, Index columns);

 private:
  Index rows_ = 0, width_ = 0;
  device::Array<S> numbers_;
  mutable device::Array<S> shares_;
};

}  // namespace projfgd
