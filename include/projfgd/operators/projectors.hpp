// Projectors on products of one-qubit states. They are rank one: RankOneOperator measures them.
#pragma once

#include <array>
#include <complex>
#include <vector>

#include "projfgd/operators/product_basis.hpp"

namespace projfgd {

/// A state of one qubit, its two amplitudes, of length 1.
using QubitState = std::array<std::complex<double>, 2>;

/// <psi_i|, one a row. A projector lists the states of its qubits, qubit 0 first, as positions in
/// the list; qubit j is bit j of the column.
Matrix<std::complex<double>> product_bras(const std::vector<QubitState>& states,
                                          const std::vector<Setting>& projectors);

/// <psi_i| X |psi_i> = sum_P T_iP x_P with the coordinates x of OutcomeMap: T, m x 4^q.
Matrix<double> projector_coordinates(const std::vector<QubitState>& states,
                                     const std::vector<Setting>& projectors);

}  // namespace projfgd
