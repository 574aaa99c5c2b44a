#pragma once

#include <cstdint>
#include <vector>

#include "projfgd/device/values.hpp"
#include "projfgd/operators/pauli_string.hpp"

namespace projfgd {

/// PauliOperator (operators/pauli.hpp) on a device: y_i = scale tr(P_i U U^H).
///
/// Rows go in tiles of 32, and with j = (tile, offset) and x = (tile, offset) a block of threads
/// takes one pair of tiles J, J^X at a time. All 32 offsets of x make 32 x 32 products
/// w_x(j) = sum_c conj(U[j^x,c]) U[j,c] out of 2 x 32 rows, and a Walsh-Hadamard transform over the
/// 32 offsets of j serves every string with such an x. The adjoint goes the other way: the weights
/// of the strings with tile X of x are transformed to e_x(j), and these multiply the rows of J^X.
/// Of few strings and one or two columns each string is summed by itself instead
/// (src/device/pauli_direct.hpp). Each output is summed in one fixed order.
template <class S>
class DevicePauliOperator {
 public:
  using Factor = DeviceFactor<S>;
  using Real = RealOf<S>;
  using Values = DeviceValues<Real>;

  DevicePauliOperator(int qubits, const std::vector<PauliString>& strings, Real scale);

  Index rows() const { return Index{1} << qubits_; }
  Index measurements() const { return strings_; }
  void forward(const Factor& u, Values& y) const;
  void forward(const Factor& u, const Factor& d, Values& y) const;
  void adjoint_times(const Values& w, const Factor& v, Factor& g) const;

  /// Bytes of the device that an operator on so many strings takes at most, with the factors and
  /// measurements of its products with so many columns.
  static double bytes(int qubits, double strings, Index columns);

 private:
  void add_up(const Factor& u, const Factor& d, bool cross, Real scale, Values& y) const;

  int qubits_;
  Index strings_ = 0, runs_ = 0, teams_ = 0, batches_ = 0;
  Real scale_;
  bool few_strings_ = false;  ///< a tile X has so few that they are summed one by one
  /// Of each string, in the order of the device: its z with the sign, its offset of x and parity,
  /// and where the caller has it.
  device::Array<std::uint32_t> z_, place_;
  device::Array<std::uint16_t> slot_;
  /// First strings of what shares a slot; first strings and runs of what shares a tile X.
  device::Array<std::uint32_t> run_, team_x_, team_run_, batch_x_, batch_string_;
  mutable device::Array<Real> partial_, weights_;
};

}  // namespace projfgd
