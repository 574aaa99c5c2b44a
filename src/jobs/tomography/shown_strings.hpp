// The Pauli strings whose expectations every report shows.
#pragma once

#include <vector>

#include "projfgd/measures/entanglement.hpp"
#include "projfgd/measures/state.hpp"
#include "projfgd/operators/pauli_string.hpp"

namespace projfgd {

inline constexpr int most_qubits_of_strings = most_qubits_of_negativity;  // 4,096 take milliseconds
inline constexpr std::size_t most_strings = 24;  // more labels would not be read

/// X, Y and Z of each qubit: its Bloch vector.
std::vector<PauliString> bloch_strings(int qubits);

/// Those with the largest expectations of either sign, up to most_qubits_of_strings.
std::vector<PauliString> largest_strings(const StateFactor& state);

/// Both, each string once.
std::vector<PauliString> shown_strings(const StateFactor& state);

}  // namespace projfgd
