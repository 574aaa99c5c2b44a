// The bases in which a qubit is measured.
#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "projfgd/core/error.hpp"
#include "projfgd/operators/product_basis.hpp"

namespace projfgd {

void require_unitary(const QubitBasis& v, const std::string& what) {
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      const auto product = v[i][0] * std::conj(v[j][0]) + v[i][1] * std::conj(v[j][1]);
      if (!(std::abs(product - (i == j ? 1.0 : 0.0)) <= 1e-6)) {
        throw InputError(
            fmt::format("{}: found states that are not orthonormal, expected a unitary", what));
      }
    }
  }
}

QubitBasis pauli_basis(char letter) {
  const double s = std::sqrt(0.5);
  const std::complex<double> i(0, 1);
  switch (letter) {
    case 'X':
      return {{{s, s}, {s, -s}}};
    case 'Y':
      return {{{s, -s * i}, {s, s * i}}};
    case 'Z':
      return {{{1, 0}, {0, 1}}};
    default:
      throw InputError(fmt::format("basis: found '{}', expected X, Y or Z", letter));
  }
}

std::vector<QubitBasis> pauli_bases() {
  return {pauli_basis('X'), pauli_basis('Y'), pauli_basis('Z')};
}

}  // namespace projfgd
