// Outcome probabilities of product-basis settings from Pauli coordinates, and back, for operators
// and measures.
#pragma once

#include <vector>

#include "coordinate_kernels.hpp"
#include "projfgd/core/buffer_pool.hpp"
#include "projfgd/operators/product_basis.hpp"
#include "projfgd/operators/readout.hpp"

namespace projfgd {

/// The first qubits that two settings measure alike.
int common_prefix(const Setting& a, const Setting& b);

/// The places of the settings, sorted from qubit 0 up, equal ones in the order they came.
std::vector<Index> sorted_from_qubit_0(const std::vector<Setting>& settings);

/// How many first qubits each of the sorted settings measures as the one before it does; 0 for the
/// first.
std::vector<int> common_prefixes(const std::vector<Setting>& settings,
                                 const std::vector<Index>& order);

namespace coordinates {

/// The map of each basis of a list: (1, n_k) / 2 for outcome k with Bloch vector n_k.
template <class R>
std::vector<QubitMap<R>> qubit_maps(const std::vector<QubitBasis>& bases);
/// The map to what a detector reports that errs as `readout` says.
template <class R>
QubitMap<R> reported(const std::array<std::array<double, 2>, 2>& readout, const QubitMap<R>& ideal);

/// p_{s,k} = sum_P prod_j rows_{s_j}[k_j][P_j] x_P for all outcomes k of all settings s. Settings
/// walk the tree of their prefixes: at depth d the first d qubits are outcomes and the others
/// coordinates, 2^d 4^(q-d) numbers.
template <class R>
class OutcomeTree {
 public:
  /// maps[j][b]: of qubit j in basis b.
  OutcomeTree(std::vector<Setting> settings, std::vector<std::vector<QubitMap<R>>> maps);

  int qubits() const { return static_cast<int>(maps_.size()); }
  Index settings() const { return static_cast<Index>(settings_.size()); }
  Index outcomes() const { return Index{1} << qubits(); }
  Index size() const { return Index{1} << 2 * qubits(); }  ///< 4^q

  const std::vector<std::vector<QubitMap<R>>>& maps() const { return maps_; }
  /// The same settings with other maps.
  OutcomeTree with_maps(std::vector<std::vector<QubitMap<R>>> maps) const;

  /// x has size() numbers, p outcomes() settings().
  void forward(const R* x, R* p) const;
  void adjoint(const R* w, R* x) const;

  /// Multiplications of either.
  double cost() const;
  /// Numbers that either needs for its work, at most.
  double work_space() const;

 private:
  Index parts() const;
  Index part_begin(Index part) const { return part * settings() / parts(); }
  bool is_worth_threads() const;
  /// Where level d >= 1 begins in the work space of a part.
  Index level_begin(int d) const { return size() - (Index{1} << (2 * qubits() - d + 1)); }
  Index level_size(int d) const { return Index{1} << (2 * qubits() - d); }
  const QubitMap<R>& map(Index setting, int qubit) const {
    return maps_[static_cast<std::size_t>(qubit)]
                [settings_[static_cast<std::size_t>(setting)][static_cast<std::size_t>(qubit)]];
  }

  std::vector<Setting> settings_;
  std::vector<Index> order_;  // sorted from qubit 0 up
  std::vector<int> same_;     // first qubits that a setting shares with the one before it
  std::vector<std::vector<QubitMap<R>>> maps_;
  double cost_ = 0;
  mutable BufferPool<R> work_space_;
};

}  // namespace coordinates
}  // namespace projfgd
