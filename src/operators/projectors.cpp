#include "projfgd/operators/projectors.hpp"

namespace projfgd {
namespace {

/// Rows that are products over the qubits: factor(state)[k] for digit k of the column, of `digits`
/// values a qubit, qubit 0 the lowest.
template <class S, class Factor>
Matrix<S> product_rows(const std::vector<Setting>& projectors, Index digits, const Factor& factor) {
  const auto qubits = projectors.empty() ? std::size_t{0} : projectors[0].size();
  Index columns = 1;
  for (std::size_t j = 0; j < qubits; ++j) columns *= digits;
  Matrix<S> rows = Matrix<S>::Ones(std::ssize(projectors), columns);
  for (Index i = 0; i < rows.rows(); ++i) {
    Index period = 1;
    for (const std::uint8_t state : projectors[static_cast<std::size_t>(i)]) {
      const auto values = factor(state);
      for (Index k = 0; k < columns; ++k) {
        rows(i, k) *= values[static_cast<std::size_t>(k / period % digits)];
      }
      period *= digits;
    }
  }
  return rows;
}

}  // namespace

Matrix<std::complex<double>> product_bras(const std::vector<QubitState>& states,
                                          const std::vector<Setting>& projectors) {
  return product_rows<std::complex<double>>(projectors, 2, [&](std::uint8_t state) {
    return QubitState{std::conj(states[state][0]), std::conj(states[state][1])};
  });
}

Matrix<double> projector_coordinates(const std::vector<QubitState>& states,
                                     const std::vector<Setting>& projectors) {
  return product_rows<double>(projectors, 4, [&](std::uint8_t state) {
    const auto& [a, b] = states[state];
    const std::complex<double> product = std::conj(a) * b;
    // (1, n) / 2 with the Bloch vector n of the state.
    return std::array<double, 4>{0.5, product.real(), product.imag(),
                                 (std::norm(a) - std::norm(b)) / 2};
  });
}

}  // namespace projfgd
