#pragma once

#include <array>
#include <functional>

#include "projfgd/core/factor.hpp"

namespace projfgd {

using Sums = std::array<double, 3>;

/// Adds up body(begin, count) over fixed pieces of [0, size), in parallel and in a fixed order.
Sums sum_chunks(Index size, const std::function<Sums(Index begin, Index count)>& body);

}  // namespace projfgd
