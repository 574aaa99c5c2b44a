#include "projfgd/operators/pauli_string.hpp"

#include <fmt/format.h>

#include <cmath>

#include "projfgd/core/error.hpp"

namespace projfgd {
namespace {

constexpr std::string_view letters = "IXZY";  // position = x + 2 z

}  // namespace

PauliString parse_pauli(std::string_view label) {
  if (label.empty() || label.size() > max_qubits) {
    throw InputError(
        fmt::format("a Pauli string has {} letters, expected 1 to {}", label.size(), max_qubits));
  }
  PauliString pauli;
  for (std::size_t i = 0; i < label.size(); ++i) {
    const auto code = letters.find(label[i]);
    if (code == std::string_view::npos) {
      throw InputError(fmt::format("Pauli string \"{}\": letter {} is '{}', expected I, X, Y or Z",
                                   label, i + 1, label[i]));
    }
    pauli.x = pauli.x << 1 | (code & 1);
    pauli.z = pauli.z << 1 | (code >> 1);
  }
  return pauli;
}

std::string pauli_label(const PauliString& pauli, int qubits) {
  std::string label;
  for (int k = qubits - 1; k >= 0; --k) {
    label += letters[(pauli.x >> k & 1) + 2 * (pauli.z >> k & 1)];
  }
  return label;
}

double pauli_scale(int qubits, std::size_t strings) {
  return std::sqrt(std::ldexp(1.0, qubits) / static_cast<double>(strings));
}

}  // namespace projfgd
