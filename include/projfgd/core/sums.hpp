#pragma once

#include <array>

#include "projfgd/core/factor.hpp"
#include "projfgd/core/function_ref.hpp"

namespace projfgd {

using Sums = std::array<double, 3>;

/// Adds up body(begin, count) over fixed pieces of [0, size), in parallel and in a fixed order.
Sums sum_chunks(Index size, FunctionRef<Sums(Index begin, Index count)> body);

}  // namespace projfgd
