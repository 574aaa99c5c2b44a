#pragma once

#include <vector>

#include "projfgd/concepts.hpp"
#include "projfgd/operators/pauli_string.hpp"

namespace projfgd {

/// y_i = scale tr(P_i U U^H), straight from P |j> = i^{|x & z|} (-1)^{z.j} |j ^ x>. One thread, no
/// SIMD, no grouping: what the fast operator is measured against.
template <class S>
class ReferencePauliOperator {
 public:
  using Factor = Matrix<S>;
  using Real = RealOf<S>;
  using Values = Vector<Real>;

  ReferencePauliOperator(int qubits, std::vector<PauliString> strings, Real scale);

  Index rows() const { return Index{1} << qubits_; }
  Index measurements() const { return static_cast<Index>(strings_.size()); }
  void forward(const Factor& u, Vector<Real>& y) const { forward(u, u, y); }
  void forward(const Factor& u, const Factor& d, Vector<Real>& y) const;
  void adjoint_times(const Vector<Real>& w, const Factor& v, Factor& g) const;

 private:
  int qubits_;
  std::vector<PauliString> strings_;
  Real scale_;
};

}  // namespace projfgd
