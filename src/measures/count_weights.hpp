// What bounds the weight of a rare count, for settings and for projectors.
#pragma once

namespace projfgd {

/// Share of the mean in the probabilities that weights are made of: no weight exceeds that of the
/// mean by more than its inverse.
constexpr double uniform_share = 0.1;

/// Counts that chi-square expects at least. A fit gives outcomes that never occur a little
/// probability; divided by so little, a single count would dominate the sum.
constexpr double least_expected = 0.5;

}  // namespace projfgd
