#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "projfgd/device/table.hpp"
#include "projfgd/device/values.hpp"
#include "projfgd/operators/product_basis.hpp"
#include "projfgd/operators/readout.hpp"
#include "projfgd/operators/seen_outcomes.hpp"

namespace projfgd {

/// Counts of settings on a device: ProductBasisOperator, all outcomes of each setting, and
/// SeenOutcomesOperator, those that were seen and the sum of the others. Detectors may err qubit by
/// qubit, and where all outcomes are predicted also together.
///
/// Several settings go together, as many as fit the work space. A block of threads takes a tile of
/// amplitudes of one setting and column into its shared memory and runs the butterflies of up to 11
/// qubits there; what has more qubits goes through several such passes.
template <class S>
class DeviceOutcomesOperator {
 public:
  using Factor = DeviceFactor<S>;
  using Real = RealOf<S>;
  using Values = DeviceValues<Real>;

  /// All outcomes of these settings, in the order of ProductBasisOperator.
  DeviceOutcomesOperator(const std::vector<Setting>& settings, const std::vector<QubitBasis>& bases,
                         const Readout& readout = {});
  /// Those that were seen, in the order of SeenOutcomesOperator. Both throw what these throw, and
  /// InputError for a readout matrix over all outcomes.
  DeviceOutcomesOperator(const SeenOutcomes& seen, const std::vector<QubitBasis>& bases,
                         const Readout& readout = {});

  Index rows() const { return Index{1} << qubits_; }
  Index measurements() const { return all_ ? settings_ * rows() : seen_ + settings_; }
  void forward(const Factor& u, Values& y) const;
  void forward(const Factor& u, const Factor& d, Values& y) const;
  void adjoint_times(const Values& w, const Factor& v, Factor& g) const;

  /// Bytes of the device that such an operator takes at most, with the factors and measurements of
  /// its products with so many columns; `seen` counts the outcomes that were, 0 of all. With a
  /// readout matrix over all outcomes or without.
  static double bytes(int qubits, double settings, double seen, Index columns,
                      bool joint_readout = false);

 private:
  DeviceOutcomesOperator(const std::vector<Setting>& settings, const std::vector<QubitBasis>& bases,
                         const Readout& readout, const SeenOutcomes* seen);
  void predict(const Factor& u, const Factor* d, Values& y) const;
  /// V_s u for the settings from `first` on, or V_s^H of what is in `work` after a weight for each
  /// outcome.
  void rotate(const Factor& u, Index first, Index count, device::Array<Real>& work) const;
  void rotate_back(const Real* weights, Index columns, Index first, Index count,
                   device::Array<Real>& work) const;
  void misread(bool transposed, Index count, Real* p) const;

  int qubits_ = 0;
  Index settings_ = 0, seen_ = 0;
  bool all_ = true;
  device::Array<std::uint8_t> basis_;             // of each qubit of each setting
  device::Array<Real> gates_;                     // of the bases: 2 x 2 complex numbers each
  std::vector<std::array<Real, 4>> errors_;       // of the detectors of the qubits, or none
  DeviceTable<Real> joint_errors_;                // of all qubits, or empty
  std::vector<Index> first_;                      // outcomes of the settings, on the host
  device::Array<Index> begin_;                    // the same on the device
  device::Array<std::uint32_t> outcome_, owner_;  // of those that were seen, and their settings
  mutable device::Array<Real> work_, cross_, chances_, sums_;
};

}  // namespace projfgd
