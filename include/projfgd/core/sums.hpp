// Loops and sums over fixed pieces of a range, in parallel and in a fixed order: the same bits for
// any number of threads. Compiled once, so that users of our headers need no OpenMP.
#pragma once

#include <array>
#include <cstddef>

#include "projfgd/core/factor.hpp"
#include "projfgd/core/function_ref.hpp"

namespace projfgd {

using Sums = std::array<double, 3>;

inline void add_to(Sums& total, const Sums& part) {
  for (std::size_t i = 0; i < total.size(); ++i) total[i] += part[i];
}

/// Calls body(begin, count) for pieces that make up [0, size).
void for_chunks(Index size, FunctionRef<void(Index begin, Index count)> body);

/// Adds up body(begin, count) over such pieces.
Sums sum_chunks(Index size, FunctionRef<Sums(Index begin, Index count)> body);

}  // namespace projfgd
