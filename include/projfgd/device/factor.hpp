// A factor on a device, with the algebra of core/factor.hpp.
#pragma once

#include <span>
#include <vector>

#include "projfgd/core/factor.hpp"
#include "projfgd/core/factor_lists.hpp"
#include "projfgd/device/memory.hpp"

namespace projfgd {

/// n x r numbers on a device, column by column.
template <class S>
class DeviceFactor {
 public:
  using Scalar = S;

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  Index size() const { return rows_ * cols_; }
  /// On the device: for kernels.
  S* data() { return entries_.data(); }
  const S* data() const { return entries_.data(); }
  void resize(Index rows, Index cols) {
    rows_ = rows;
    cols_ = cols;
    entries_.resize(rows * cols);
  }

 private:
  Index rows_ = 0, cols_ = 0;
  device::Array<S> entries_;
};

template <class S>
RealOf<S> dot(const DeviceFactor<S>& u, const DeviceFactor<S>& v);
template <class S>
RealOf<S> norm(const DeviceFactor<S>& u);
template <class S>
bool all_finite(const DeviceFactor<S>& u);
template <class S>
void axpy(std::type_identity_t<RealOf<S>> a, const DeviceFactor<S>& x, DeviceFactor<S>& y);
template <class S>
void scale(std::type_identity_t<RealOf<S>> a, DeviceFactor<S>& x);
template <class S>
void subtract(const DeviceFactor<S>& x, const DeviceFactor<S>& y, DeviceFactor<S>& out);
template <class S>
void dots(FactorList<DeviceFactor<S>> us, const DeviceFactor<S>& v, std::span<RealOf<S>> out);
template <class S>
void axpys(std::span<const RealOf<S>> a, FactorList<DeviceFactor<S>> us, DeviceFactor<S>& v);
template <class S>
void combine(std::span<const RealOf<S>> a, FactorList<DeviceFactor<S>> us, DeviceFactor<S>& out);
template <class S>
void inner_products(PairList<DeviceFactor<S>> pairs, std::span<double> out);
template <class S>
void grams(PairList<DeviceFactor<S>> pairs, std::span<Matrix<S>> out);
template <class S>
Matrix<S> gram_of_list(FactorList<DeviceFactor<S>> us, const DeviceFactor<S>& v);
template <class S>
void add_products(FactorList<DeviceFactor<S>> us, const Matrix<S>& y, DeviceFactor<S>& out,
                  DeviceFactor<S>& product);
template <class S>
Matrix<S> gram(const DeviceFactor<S>& u, const DeviceFactor<S>& v);
template <class S>
void multiply(const DeviceFactor<S>& u, const Matrix<S>& r, DeviceFactor<S>& out);
template <class S>
void set_zero(Index rows, Index cols, DeviceFactor<S>& out);

template <class S>
Matrix<S> copy_to_host(const DeviceFactor<S>& u) {
  Matrix<S> host(u.rows(), u.cols());
  if (host.size() > 0) {
    device::copy_out(host.data(), u.data(), sizeof(S) * static_cast<std::size_t>(host.size()));
  }
  return host;
}
template <class S>
void copy_from_host(const Matrix<S>& host, DeviceFactor<S>& u) {
  u.resize(host.rows(), host.cols());
  if (host.size() > 0) {
    device::copy_in(u.data(), host.data(), sizeof(S) * static_cast<std::size_t>(host.size()));
  }
}

/// u_ij = f(u_ij). Compiled for the functions that src/device/algebra.cu lists; for one of your own
/// include src/device/elements.hpp in a source of that kind.
template <class S, class Function>
void map_entries(DeviceFactor<S>& u, const Function& f);

/// u_ij = f(u_ij, v_ij), for complex numbers.
template <class S, class Function>
void map_entries(DeviceFactor<S>& u, const Function& f, const DeviceFactor<S>& v);

/// One mark for each row, for Support.
class DeviceMarks {
 public:
  explicit DeviceMarks(const std::vector<bool>& inside);
  const device::Array<unsigned char>& marks() const { return marks_; }

 private:
  device::Array<unsigned char> marks_;
};
/// Sets the rows of u to 0 that are not inside. Throws InputError unless there is one mark a row.
template <class S>
void keep_rows(const DeviceMarks& inside, DeviceFactor<S>& u);

/// u *= radius / norm(u) where that is longer, for the Frobenius ball.
template <class S>
void shorten(DeviceFactor<S>& u, double radius);
/// For WhiteNoiseOperator.
template <class S>
void split_last_row(const DeviceFactor<S>& v, DeviceFactor<S>& top, Matrix<S>& last);
template <class S>
void put_last_row(const DeviceFactor<S>& top, const Matrix<S>& last, DeviceFactor<S>& out);
/// sum_ij |u_ij|
template <class S>
double l1_norm(const DeviceFactor<S>& u);
/// Projects u onto the l1 ball of that radius, or onto the nonnegative numbers in it.
template <class S>
void project_l1(DeviceFactor<S>& u, double radius, bool nonnegative);

}  // namespace projfgd
