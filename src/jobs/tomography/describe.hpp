// The fifth step of tomography: what a physicist asks of the state.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobs/tomography/read.hpp"

namespace projfgd {

/// The state beside the one it is compared with.
struct TargetComparison {
  std::string name = {};
  double fidelity = 0;
  double trace_distance = 0;
  /// The fidelity with the qubits of the target in the opposite order, where that explains what is
  /// lacking.
  std::optional<double> fidelity_reversed = {};
};

struct ReducedState {
  std::vector<int> qubits = {};
  Matrix<std::complex<double>> rho = {};
};

struct StateDescription {
  double purity = 0;
  double entropy = 0;  ///< bits
  Vector<double> eigenvalues = {};
  Vector<double> negativities = {};  ///< of each qubit with the others, where they are few
  std::optional<TargetComparison> target = {};
  std::vector<std::string> labels = {};  ///< of observables
  Vector<double> expectations = {};      ///< of these
  std::vector<ReducedState> reduced = {};
};

/// Answers the questions on a state of trace one with these eigenvalues.
StateDescription describe(const StateFactor& state, const Vector<double>& eigenvalues,
                          const StateQuestions& questions);

}  // namespace projfgd
