// What simulated experiments draw from their seed.
#pragma once

#include <cstdint>
#include <vector>

#include "projfgd/measures/state.hpp"

namespace projfgd {

/// The file of the state that was measured, beside the data.
inline constexpr const char* truth_file = "truth.npy";

/// Different purposes take different streams of the seed.
enum Stream : std::uint64_t { state_stream = 0x51, choice_stream, noise_stream, shot_stream };

/// Normal numbers, scaled to trace one.
StateFactor random_state(Index n, Index rank, std::uint64_t seed);

/// `count` distinct numbers below `bound`, in random order.
std::vector<std::uint64_t> distinct_numbers(std::uint64_t count, std::uint64_t bound,
                                            std::uint64_t seed);

}  // namespace projfgd
