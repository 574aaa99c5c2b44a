#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "projfgd/core/buffer_pool.hpp"
#include "projfgd/operators/pauli_string.hpp"

namespace projfgd {

/// Pauli strings ordered by x, within one x those with |x & z| even before those with it odd.
struct PauliGroups {
  struct Group {
    std::uint32_t x;
    std::uint32_t odd;  ///< first string with |x & z| odd
    std::uint32_t end;  ///< one past the group's last string; it begins where the one before ends
  };
  /// Set in z when the real factor of the string, after i is taken out of odd ones, is negative.
  static constexpr std::uint32_t negative = std::uint32_t{1} << 31;

  std::vector<Group> groups;
  std::vector<std::uint32_t> z;      ///< with the bit `negative`
  std::vector<std::uint32_t> place;  ///< where the caller has the string

  PauliGroups(int qubits, const std::vector<PauliString>& strings);
  std::uint32_t begin(std::size_t group) const { return group == 0 ? 0 : groups[group - 1].end; }
};

/// y_i = scale tr(P_i U U^H) for Pauli strings P_i; scale = sqrt(n/m) makes the map an isometry in
/// expectation, scale = 1 gives the raw expectation values.
///
/// With w_x(j) = sum_c conj(U[j^x,c]) U[j,c] and e_x(j) = sum_z +-c_z (-1)^{z.j} (1 or i):
///   forward   y(x,z) = +- sum_j (-1)^{z.j} (Re or Im) w_x(j), and half the j suffice,
///   adjoint   out[j] += e_x(j) U[j^x].
/// No matrix is stored: memory is O(m + n r). Strings may repeat, come in any order, and include
/// the identity. Each output is summed in one fixed order by one thread, so results have the same
/// bits whatever the number of threads. docs/performance.md tells how the kernels came about.
template <class S>
class PauliOperator {
 public:
  using Factor = Matrix<S>;
  using Real = RealOf<S>;
  using Values = Vector<Real>;

  PauliOperator(int qubits, const std::vector<PauliString>& strings, Real scale);

  Index rows() const { return Index{1} << qubits_; }
  Index measurements() const { return static_cast<Index>(groups_.z.size()); }
  int qubits() const { return qubits_; }
  const PauliGroups& groups() const { return groups_; }
  void forward(const Factor& u, Vector<Real>& y) const;
  void forward(const Factor& u, const Factor& d, Vector<Real>& y) const;
  void adjoint_times(const Vector<Real>& w, const Factor& v, Factor& g) const;

 private:
  int qubits_;
  PauliGroups groups_;
  std::vector<std::size_t> batches_;  ///< first groups of what a thread sums at once
  Real scale_;
  mutable BufferPool<Real> work_space_;
};

}  // namespace projfgd
