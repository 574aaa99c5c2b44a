// Entanglement of a state rho = U U^H of a few qubits. These measures form n x n matrices.
#pragma once

#include <vector>

#include "projfgd/measures/state.hpp"

namespace projfgd {

/// N = (||rho^{T_A}||_1 - 1) / 2 of the listed qubits against the rest (Vidal and Werner 2002), for
/// a rho of trace one: 0 where the two parts are not entangled, (d - 1) / 2 at most for a smaller
/// part of dimension d. Throws InputError as validate_qubits() does.
double negativity(const StateFactor& u, const std::vector<int>& qubits);

/// The eigenvalues of rho^{T_A}, ascending: N is minus the sum of the negative ones.
Vector<double> partial_transpose_eigenvalues(const StateFactor& u, const std::vector<int>& qubits);

/// A Hermitian O with tr(O sigma) <= N(sigma) for every state sigma: minus the partial transpose of
/// the projector onto that many of the lowest eigenvectors of rho^{T_A}. With all of negative value
/// tr(O rho) = N(rho).
StateFactor negativity_observable(const StateFactor& u, const std::vector<int>& qubits,
                                  Index eigenvectors);

/// Of more qubits the n x n matrices of every qubit take longer than a report may.
inline constexpr int most_qubits_of_negativity = 6;

}  // namespace projfgd
