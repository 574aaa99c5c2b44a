// How many numbers of a state its measurements determine.
#pragma once

#include <cstddef>
#include <vector>

#include "projfgd/operators/pauli_string.hpp"
#include "projfgd/operators/product_basis.hpp"

namespace projfgd {

/// Independent numbers measured, each with noise of its own: one for each expectation but those of
/// the identity, 2^q - 1 for each setting of q qubits.
double count_independent(const std::vector<PauliString>& strings);
double count_independent(std::size_t settings, int qubits);

/// How many numbers of the state these are: the distinct Pauli strings, but for the identity. A
/// setting shows the strings that have its letters or I, and shares them with others; `bases` are
/// those that the settings choose from for each qubit.
double count_determined(const std::vector<PauliString>& strings);
double count_determined(const std::vector<Setting>& settings, std::size_t bases, int qubits);

}  // namespace projfgd
