// The inner loops of maps between states, their Pauli coordinates and outcome probabilities. They
// are compiled once for every instruction set and chosen at run time.
#pragma once

#include <array>
#include <cstddef>

namespace projfgd::coordinates {

/// What one qubit adds: outcome o has the probability sum_c rows[o][c] x_c of the coordinates
/// x = (1, <X>, <Y>, <Z>). Where a basis looks along one of the three axes alone, `axis` is its
/// coordinate, and the other two need not be read; else 0.
template <class R>
struct QubitMap {
  std::array<std::array<R, 4>, 2> rows{};
  int axis = 0;
};

/// out[k, o, rest] = sum_c rows[o][c] in[k, c, rest] for k below `low`; `size` is that of in.
template <class R>
void contract(const QubitMap<R>& map, std::size_t low, std::size_t size, const R* in, R* out);

/// out[k, c, rest] += sum_o rows[o][c] in[k, o, rest]; `size` is that of out.
template <class R>
void expand(const QubitMap<R>& map, std::size_t low, std::size_t size, const R* in, R* out);

/// Traces of a matrix M with all Pauli strings, in place: entry (row, column) at the position whose
/// digits to the base 4 are 2 row_j + column_j becomes tr(P M), P_j = I, X, Y, Z for the digits.
template <class R>
void to_coordinates(std::size_t size, R* re, R* im);

/// The matrix sum_P x_P P, backwards.
template <class R>
void from_coordinates(std::size_t size, R* re, R* im);

}  // namespace projfgd::coordinates
