// Whether counts of different settings can belong to one state, without fitting any.
#pragma once

#include <limits>
#include <vector>

#include "projfgd/operators/product_basis.hpp"

namespace projfgd {

/// Settings that measure one qubit in the same basis must find the same mean of its outcomes, and
/// those that measure two qubits in the same bases the same correlation.
struct SettingsConflict {
  int qubit = 0;           ///< whose mean differs
  std::uint8_t basis = 0;  ///< in which all these settings measure it
  int second_qubit = -1;   ///< whose correlation with it differs; -1: the mean alone
  std::uint8_t second_basis = 0;
  Index setting = 0;      ///< the one that is farthest from the others
  double value = 0;       ///< <+-1> of the qubit, or of the product of both, in that setting
  double others = 0;      ///< in all settings that share the basis
  double chi_square = 0;  ///< of all these settings
  double freedom = 0;     ///< degrees of freedom: settings less one
  /// Of the chi-square above its mean, as if it were normal; below any number where no two settings
  /// can be compared.
  double deviations = -std::numeric_limits<double>::infinity();
  double p_value = 1;  ///< of the chi-square, times the number of such tests
};

struct Consistency {
  double scatter = 0;           ///< sum of N (mean - common mean)^2 over qubits, pairs and settings
  double freedom = 0;           ///< terms of this sum less common means
  SettingsConflict worst;       ///< of single qubits
  SettingsConflict worst_pair;  ///< of correlations
};

/// `shots` are 1 for frequencies without a known number of shots; only `scatter` tells then.
Consistency consistency(const std::vector<Setting>& settings, const Vector<double>& counts,
                        const Vector<double>& shots);

/// Whether the labels of the settings run in the other direction than the bits of the outcomes: the
/// scatter falls by more than chance explains when all labels are reversed. Both scatters have the
/// same shot noise, so its size need not be known: the log of their ratio has a variance of at most
/// 4 over the degrees of freedom.
bool labels_seem_reversed(const std::vector<Setting>& settings, const Vector<double>& counts,
                          const Vector<double>& shots);

}  // namespace projfgd
