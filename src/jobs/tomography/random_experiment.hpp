// What simulated experiments draw from their seed.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "projfgd/core/random.hpp"
#include "projfgd/measures/state.hpp"

namespace projfgd {

/// Different purposes take different streams of the seed.
enum Stream : std::uint64_t {
  state_stream = 0x51,
  choice_stream,
  noise_stream,
  shot_stream,
  bootstrap_stream
};

/// Normal numbers, scaled to trace one.
StateFactor random_state(Index n, Index rank, std::uint64_t seed);

/// `count` distinct numbers below `bound`, in random order.
std::vector<std::uint64_t> distinct_numbers(std::uint64_t count, std::uint64_t bound,
                                            std::uint64_t seed);

/// How often each of the outcomes comes in `shots` draws from p, by the numbers of the stream from
/// `first` on; outcomes that never come are left out.
std::map<Index, std::int64_t> draw_outcomes(const Vector<double>& p, std::int64_t shots,
                                            const RandomStream& random, std::uint64_t first);

}  // namespace projfgd
