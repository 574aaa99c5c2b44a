#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace projfgd {

/// A tensor product of I, X, Y and Z as two bit masks: P = i^{|x & z|} X^x Z^z, so that
/// P |j> = i^{|x & z|} (-1)^{z.j} |j ^ x>. Bit k belongs to qubit k.
struct PauliString {
  std::uint32_t x = 0;
  std::uint32_t z = 0;
  friend bool operator==(const PauliString&, const PauliString&) = default;
};

/// The longest string the library takes.
inline constexpr int max_qubits = 24;

/// Reads "XIZY": the leftmost letter is the highest qubit. Throws InputError.
PauliString parse_pauli(std::string_view label);

/// The label that parse_pauli reads.
std::string pauli_label(const PauliString& pauli, int qubits);

/// s with which X -> (s tr(P_i X))_i, i = 1..m, is an isometry in expectation: sqrt(2^q / m).
double pauli_scale(int qubits, std::size_t strings);

}  // namespace projfgd
