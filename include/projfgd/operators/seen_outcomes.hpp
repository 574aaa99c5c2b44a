#pragma once

#include <cstdint>
#include <vector>

#include "projfgd/core/buffer_pool.hpp"
#include "projfgd/operators/product_basis.hpp"
#include "projfgd/operators/readout.hpp"

namespace projfgd {

/// The outcomes that were seen of each setting. Those of setting s are outcomes[first[s]] up to
/// outcomes[first[s + 1]], ascending.
struct SeenOutcomes {
  std::vector<Setting> settings = {};
  std::vector<Index> first = {0};
  std::vector<std::uint32_t> outcomes = {};

  Index count(Index setting) const {
    return first[static_cast<std::size_t>(setting + 1)] - first[static_cast<std::size_t>(setting)];
  }
  /// Where the numbers of a setting begin among the measurements: its seen outcomes, and after them
  /// all others together.
  Index begin(Index setting) const { return first[static_cast<std::size_t>(setting)] + setting; }
  Index measurements() const {
    return static_cast<Index>(outcomes.size()) + static_cast<Index>(settings.size());
  }
};

/// Outcome probabilities of product-basis settings on many qubits, of which few outcomes were seen:
/// p_{s,k} of ProductBasisOperator for every k that was, and for each setting the sum over those
/// that were not, tr X less the others. A likelihood needs no more: outcomes that were never seen
/// enter it by their sum alone.
///
/// Settings are transformed one after the other in pieces that fit the cache, low qubits first and
/// then the high ones, which reads and writes the 2^q amplitudes twice. Detectors may err qubit by
/// qubit. Work memory does not depend on the number of settings; see work_space().
template <class S>
class SeenOutcomesOperator {
 public:
  using Factor = Matrix<S>;
  using Real = RealOf<S>;
  using Values = Vector<Real>;

  /// Throws InputError for settings and bases as ProductBasisOperator does, for outcomes that the
  /// qubits do not have, and for a readout matrix over all outcomes.
  SeenOutcomesOperator(SeenOutcomes seen, const std::vector<QubitBasis>& bases = pauli_bases(),
                       const Readout& readout = {});

  int qubits() const { return qubits_; }
  Index rows() const { return Index{1} << qubits_; }
  Index measurements() const { return seen_.measurements(); }
  const SeenOutcomes& seen() const { return seen_; }
  /// Numbers that products with factors of so many columns need for their work.
  double work_space(Index columns) const;

  void forward(const Factor& u, Vector<Real>& y) const;
  void forward(const Factor& u, const Factor& d, Vector<Real>& y) const;
  void adjoint_times(const Vector<Real>& w, const Factor& v, Factor& g) const;

 private:
  using Gates = std::vector<product_basis::Gate<Real>>;

  bool reads_wrongly() const { return !readout_.empty(); }
  void predict(const Factor& u, const Factor* d, Vector<Real>& y) const;

  int qubits_ = 0;
  SeenOutcomes seen_;
  std::vector<Gates> gates_;                                 // of the qubits in each setting
  std::vector<std::array<std::array<Real, 2>, 2>> readout_;  // of the qubits, or empty
  mutable BufferPool<Real> work_space_;
};

}  // namespace projfgd
