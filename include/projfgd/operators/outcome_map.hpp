#pragma once

#include <memory>
#include <vector>

#include "projfgd/operators/pauli_string.hpp"
#include "projfgd/operators/product_basis.hpp"
#include "projfgd/operators/readout.hpp"

namespace projfgd {

namespace coordinates {
template <class R>
class OutcomeTree;
}

/// The 4^q coordinates of a state of q qubits, x_P = tr(P rho): P at the position whose digits to
/// the base 4 are its letters, 0 to 3 for I, X, Y, Z, qubit 0 the lowest digit.
Index pauli_position(const PauliString& pauli, int qubits);

/// The coordinates of U V^H + V U^H over 2, which are those of U U^H for V = U: from q passes of
/// 2 x 2 blocks over an n x n array.
Vector<double> pauli_coordinates(const Matrix<std::complex<double>>& u,
                                 const Matrix<std::complex<double>>& v);

/// The outcome probabilities of product-basis settings as a linear map of the coordinates x, for
/// states of any rank and for Hermitian matrices that are no states:
///   p_{s,k} = sum_P prod_j T_{s_j}[k_j][P_j] x_P,   T_b[k] = (1, n_k) C / 2,
/// n_k the Bloch vector of outcome k of basis b and C the readout matrix of the qubit. Settings
/// walk the tree of their prefixes, as in ProductBasisOperator; all 3^q settings cost about
/// 3 6^q multiplications where a factor of full rank costs 12^q.
class OutcomeMap {
 public:
  /// The readout may be empty. Throws InputError as ProductBasisOperator and ReadoutOperator do.
  explicit OutcomeMap(std::vector<Setting> settings,
                      const std::vector<QubitBasis>& bases = pauli_bases(),
                      const Readout& readout = {});

  int qubits() const { return qubits_; }
  Index outcomes() const { return Index{1} << qubits_; }         ///< of a setting
  Index coordinates() const { return Index{1} << 2 * qubits_; }  ///< 4^q
  Index settings() const;
  Index measurements() const { return settings() * outcomes(); }

  void forward(const Vector<double>& x, Vector<double>& p) const;
  void adjoint(const Vector<double>& w, Vector<double>& x) const;

  /// The diagonal of T^T diag(w) T.
  Vector<double> normal_diagonal(const Vector<double>& w) const;

 private:
  int qubits_ = 0;
  std::shared_ptr<const coordinates::OutcomeTree<double>> tree_;
  Matrix<double> readout_;  // over all outcomes of a setting, or empty
};

}  // namespace projfgd
