// Fidelity, purity, entropy and more of a state rho = U U^H, computed from its factor. Nothing of
// size n x n is formed; the cost is that of r x r matrices and a few passes over U.
#pragma once

#include <complex>
#include <string>
#include <string_view>
#include <vector>

#include "projfgd/concepts.hpp"
#include "projfgd/operators/pauli_string.hpp"

namespace projfgd {

/// States are looked at in double precision, whatever they were found in.
using StateFactor = Matrix<std::complex<double>>;

/// tr rho
double trace(const StateFactor& u);

/// U / ||U||_F: a state of trace one. Throws InputError when U is zero.
StateFactor normalised(const StateFactor& u);

/// The r largest eigenvalues of rho, descending; the other n - r are zero.
Vector<double> eigenvalues(const StateFactor& u);

/// tr rho^2
double purity(const StateFactor& u);

/// -tr rho log_2 rho in bits, for a rho of trace one.
double entropy(const Vector<double>& eigenvalues);

/// Uhlmann's F(rho, sigma) = (tr sqrt(sqrt(rho) sigma sqrt(rho)))^2 = ||U^H V||_*^2. For a pure
/// sigma = |psi><psi| that is <psi| rho |psi>.
double fidelity(const StateFactor& u, const StateFactor& v);

/// 1/2 ||rho - sigma||_1
double trace_distance(const StateFactor& u, const StateFactor& v);

/// tr(P rho)
double expectation(const PauliString& pauli, const StateFactor& u);
Vector<double> expectations(const std::vector<PauliString>& paulis, const StateFactor& u);

/// Throws InputError when one of the qubits to keep is not there or listed twice.
void validate_qubits(const std::vector<int>& kept, int qubits);

/// The state of the listed qubits, qubit kept[0] lowest, as a 2^k x 2^k matrix.
/// Throws InputError as validate_qubits() does.
Matrix<std::complex<double>> reduced_state(const StateFactor& u, const std::vector<int>& kept);

/// The rows of rho from `first` on, as many as `rows` has columns: row first + k in its column k.
/// Together they are Hermitian to the last bit.
void density_rows(const StateFactor& u, Index first, Matrix<std::complex<double>>& rows);

/// The state with its qubits in the opposite order.
StateFactor qubits_reversed(const StateFactor& u);

/// The names of pure states: ghz, w, plus, zero, and of two qubits the Bell states: bell is Phi+.
std::vector<std::string> state_names();

/// The pure state of one of these names. Throws InputError for another one.
StateFactor named_state(std::string_view name, int qubits);

/// q for n = 2^q. Throws InputError for another n.
int qubits_of(Index n);

}  // namespace projfgd
