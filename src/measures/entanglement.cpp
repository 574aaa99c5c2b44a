#include "projfgd/measures/entanglement.hpp"

#include <algorithm>

#include "projfgd/core/small_matrix.hpp"

namespace projfgd {
namespace {

StateFactor partial_transpose(const StateFactor& rho, const std::vector<int>& qubits) {
  const Index n = rho.rows();
  validate_qubits(qubits, qubits_of(n));
  Index part = 0;
  for (const int qubit : qubits) part |= Index{1} << qubit;
  StateFactor turned(n, n);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) {
      turned(i, j) = rho((i & ~part) | (j & part), (j & ~part) | (i & part));
    }
  }
  return turned;
}

}  // namespace

Vector<double> partial_transpose_eigenvalues(const StateFactor& u, const std::vector<int>& qubits) {
  return hermitian_eigenvalues(partial_transpose(u * u.adjoint(), qubits));
}

double negativity(const StateFactor& u, const std::vector<int>& qubits) {
  // The eigenvalues have the sum 1, so that only the negative ones make the norm differ from it.
  return std::max(-partial_transpose_eigenvalues(u, qubits).cwiseMin(0.0).sum(), 0.0);
}

StateFactor negativity_observable(const StateFactor& u, const std::vector<int>& qubits,
                                  Index eigenvectors) {
  const auto eigen = hermitian_eigen(partial_transpose(u * u.adjoint(), qubits));
  const StateFactor vectors = eigen.vectors.leftCols(eigenvectors);
  return -partial_transpose(vectors * vectors.adjoint(), qubits);
}

}  // namespace projfgd
