#include "projfgd/measures/entanglement.hpp"

#include <algorithm>

#include "projfgd/core/small_matrix.hpp"

namespace projfgd {

double negativity(const StateFactor& u, const std::vector<int>& qubits) {
  validate_qubits(qubits, qubits_of(u.rows()));
  Index part = 0;
  for (const int qubit : qubits) part |= Index{1} << qubit;
  const Index n = u.rows();
  const StateFactor rho = u * u.adjoint();
  StateFactor turned(n, n);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) {
      turned(i, j) = rho((i & ~part) | (j & part), (j & ~part) | (i & part));
    }
  }
  // The eigenvalues have the sum 1, so that only the negative ones make the norm differ from it.
  return std::max(-hermitian_eigenvalues(turned).cwiseMin(0.0).sum(), 0.0);
}

}  // namespace projfgd
