// Entanglement of a state rho = U U^H of a few qubits. These measures form n x n matrices.
#pragma once

#include <vector>

#include "projfgd/measures/state.hpp"

namespace projfgd {

/// N = (||rho^{T_A}||_1 - 1) / 2 of the listed qubits against the rest (Vidal and Werner 2002), for
/// a rho of trace one: 0 where the two parts are not entangled, (d - 1) / 2 at most for a smaller
/// part of dimension d. Throws InputError as validate_qubits() does.
double negativity(const StateFactor& u, const std::vector<int>& qubits);

}  // namespace projfgd
