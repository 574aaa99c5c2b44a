#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "projfgd/core/buffer_pool.hpp"

namespace projfgd {

/// A measurement of one qubit: row k is <b_k|, the bra of outcome k. Unitary.
using QubitBasis = std::array<std::array<std::complex<double>, 2>, 2>;

/// The eigenbases of X, Y and Z, outcome 0 for the eigenvalue +1. These three come first in every
/// list of bases, in this order.
QubitBasis pauli_basis(char letter);
std::vector<QubitBasis> pauli_bases();

/// Throws InputError naming `what` unless the two states are orthonormal.
void require_unitary(const QubitBasis& basis, const std::string& what);

namespace product_basis {

/// A basis V as the inner loops want it. `identity` needs no loop at all; `equatorial` is
/// s [1, e; 1, -e] with |e| = 1, which X and Y are.
template <class R>
struct Gate {
  enum class Kind { identity, equatorial, general };
  Kind kind;
  R re[2][2], im[2][2];
};

}  // namespace product_basis

namespace coordinates {
template <class R>
class DenseOutcomes;
}

/// The basis of each qubit, qubit 0 first, as positions in a list of bases.
using Setting = std::vector<std::uint8_t>;

/// Outcome probabilities of measurements in product bases,
///   p_{s,k} = <k| V_s U U^H V_s^H |k>,   V_s a tensor product of one 2 x 2 unitary a qubit,
/// for every setting s and all 2^q outcomes k, at position s 2^q + k; qubit j is bit j of k.
///
/// The settings are sorted and walked as a tree of their prefixes from qubit 0 up, so that equal
/// prefixes share their butterflies: with all 3^q Pauli settings that is about half a butterfly an
/// amplitude and setting. The last qubit needs no butterfly: every basis of it is read off the sums
/// over the columns of |a|^2, |b|^2 and a conj(b) for amplitude pairs (a, b).
/// Work memory is 4 q n r numbers a thread; see work_space().
///
/// Of many columns, and where n^2 numbers are no more than the data, U U^H itself is formed and
/// turned into its 4^q Pauli coordinates, and these into the outcomes of all settings; the adjoint
/// runs backwards. Which of the two is taken is decided by their multiplications.
template <class S>
class ProductBasisOperator {
 public:
  using Factor = Matrix<S>;
  using Real = RealOf<S>;
  using Values = Vector<Real>;

  /// Settings all of one length q >= 1. Throws InputError when they are not, name a basis that is
  /// not in the list, or a basis is not unitary; ResourceError when q is out of reach.
  explicit ProductBasisOperator(std::vector<Setting> settings,
                                const std::vector<QubitBasis>& bases = pauli_bases());

  int qubits() const { return qubits_; }
  /// Whether products with factors of so many columns form an n x n matrix.
  bool forms_matrix(Index columns) const;
  /// Numbers that products with factors of so many columns need for their work, at most.
  double work_space(Index columns) const;
  Index settings() const { return static_cast<Index>(settings_.size()); }
  Index rows() const { return Index{1} << qubits_; }
  Index measurements() const { return settings() * rows(); }

  void forward(const Factor& u, Vector<Real>& y) const;
  void forward(const Factor& u, const Factor& d, Vector<Real>& y) const;
  void adjoint_times(const Vector<Real>& w, const Factor& v, Factor& g) const;

 private:
  /// Of U U^H, or of Re U D^H where D is given.
  void predict(const Factor& u, const Factor* d, Vector<Real>& y) const;
  Index part_begin(Index part, Index parts) const { return part * settings() / parts; }

  int qubits_ = 0;
  std::vector<Setting> settings_;
  std::vector<product_basis::Gate<Real>> gates_;  // the bases
  std::vector<Index> order_;                      // of the settings, sorted from qubit 0 up
  Index butterflies_ = 0, leaves_ = 0;            // of the tree
  std::shared_ptr<const coordinates::DenseOutcomes<Real>> by_matrix_;  // or null
  mutable BufferPool<Real> work_space_;
};

}  // namespace projfgd
