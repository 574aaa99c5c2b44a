#include <complex>

#include "device/row_sums.hpp"
#include "projfgd/device/table.hpp"

namespace projfgd {
namespace {

Index shares_of_rows(Index rows, Index width, Index columns) {
  return device::shares_of_terms(rows * device::strips_of(columns), width / device::lanes,
                                 device::enough_warps);
}
Index shares_of_columns(Index rows, Index width, Index columns) {
  return device::shares_of_terms(width * device::strips_of(columns), rows, device::enough_threads);
}

}  // namespace

template <class S>
DeviceTable<S>::DeviceTable(const Matrix<S>& host) : rows_(host.rows()), width_(host.cols()) {
  const Matrix<S> by_rows = host.transpose();
  numbers_.from_host(by_rows.data(), by_rows.size());
}

template <class S>
DeviceTable<S>::DeviceTable(const S* host, Index rows, Index width) : rows_(rows), width_(width) {
  numbers_.from_host(host, rows * width);
}

template <class S>
void DeviceTable<S>::times(const S* b, Index columns, S* out) const {
  using T = device::SeenAs<S>;
  using Rows = device::FullRows<T>;
  const Index shares = shares_of_rows(rows_, width_, columns);
  device::add_shares(shares, rows_ * columns, shares_, out, [&](T* to) {
    const device::RowSums<T, Rows> sums{{device::seen(numbers_.data()), rows_, width_},
                                        device::seen(b),
                                        width_,
                                        columns,
                                        shares,
                                        to};
    device::run_blocks(sums.blocks(), sums);
  });
}

template <class S>
void DeviceTable<S>::adjoint_times(const S* b, Index columns, S* out) const {
  using T = device::SeenAs<S>;
  const Index shares = shares_of_columns(rows_, width_, columns);
  device::add_shares(shares, width_ * columns, shares_, out, [&](T* to) {
    const device::ColumnSums<T> sums{
        {device::seen(numbers_.data()), rows_, width_}, true, device::seen(b), columns, shares, to};
    device::for_each(sums.threads(), sums);
  });
}

template <class S>
double DeviceTable<S>::bytes(Index rows, Index width, Index columns) {
  const Index most = std::max(shares_of_rows(rows, width, columns) * rows,
                              shares_of_columns(rows, width, columns) * width);
  return sizeof(S) * (static_cast<double>(rows) * static_cast<double>(width) +
                      static_cast<double>(most) * static_cast<double>(columns));
}

template class DeviceTable<float>;
template class DeviceTable<double>;
template class DeviceTable<std::complex<float>>;
template class DeviceTable<std::complex<double>>;

}  // namespace projfgd
