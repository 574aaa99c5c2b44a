// Tiles of rows, and strings in the order of the device; see device/pauli.hpp.
#pragma once

#include <algorithm>
#include <cstdint>

#include "device/complex.hpp"
#include "projfgd/device/factor.hpp"
#include "projfgd/operators/pauli.hpp"

namespace projfgd::device {

/// Rows in a tile, a power of two.
constexpr int tile_bits = 5;
constexpr int tile = 1 << tile_bits;
/// A row of 32 numbers, with one more so that a column lies in 32 banks.
constexpr int pitch = tile + 1;

/// Whether the number of bits is odd.
PROJFGD_ON_DEVICE inline bool is_odd(std::uint32_t mask) {
#if defined(__CUDA_ARCH__)
  return __popc(mask) & 1;
#else
  mask ^= mask >> 16;
  mask ^= mask >> 8;
  mask ^= mask >> 4;
  return 0x6996u >> (mask & 15u) & 1u;
#endif
}

/// The highest of the bits of x alone; 0 of 0.
PROJFGD_ON_DEVICE inline Index highest_bit(Index x) {
  while ((x & (x - 1)) != 0) x &= x - 1;
  return x;
}

/// Blocks that keep a large GPU busy: some eight on each of 132 multiprocessors.
constexpr Index enough_blocks = 1024;

/// Tiles of so many rows.
inline Index tiles_of(Index rows, Index in_a_tile) { return std::max<Index>(1, rows / in_a_tile); }

/// Waves of blocks that a kernel should take: some blocks take several times as long as others, and
/// while the last of them run, a part of the device is idle.
constexpr Index waves = 4;

/// The most blocks that sums are shared among, of which `resident` run at the same time.
inline Index most_shared(Index resident) { return std::max(enough_blocks, waves * resident); }

/// Shares of a sum over `parts`, for `blocks` blocks each: the fewest that end first.
inline Index shares_of(Index blocks, Index parts, Index resident) {
  const auto times = [](Index a, Index b) { return (a + b - 1) / b; };
  const Index most = std::clamp<Index>(most_shared(resident) / std::max<Index>(blocks, 1), 1,
                                       std::max<Index>(parts, 1));
  const auto time = [&](Index shares) {
    return std::max(times(blocks * shares, resident), waves) * times(parts, shares);
  };
  Index best = 1;
  for (Index shares = 2; shares <= most; ++shares) {
    if (time(shares) < time(best)) best = shares;
  }
  return best;
}

/// y[place] = scale times the sum of the shares.
template <class R>
struct AddStringShares {
  const R* partial;
  const std::uint32_t* place;
  Index strings, shares;
  R scale;
  R* y;
  PROJFGD_ON_DEVICE void operator()(Index s) const {
    R sum = 0;
    for (Index share = 0; share < shares; ++share) sum += partial[share * strings + s];
    y[place[s]] = scale * sum;
  }
};

template <class R>
struct OrderedWeights {
  const R* w;
  const std::uint32_t* place;
  R scale;
  R* c;
  PROJFGD_ON_DEVICE void operator()(Index s) const { c[s] = scale * w[place[s]]; }
};

/// g = the sum of the shares, as real numbers.
template <class R>
struct AddRows {
  const R* partial;
  Index size, shares;
  R* g;
  PROJFGD_ON_DEVICE void operator()(Index k) const {
    R sum = 0;
    for (Index share = 0; share < shares; ++share) sum += partial[share * size + k];
    g[k] = sum;
  }
};

template <class S>
const Complex<RealOf<S>>* entries(const DeviceFactor<S>& u) {
  return reinterpret_cast<const Complex<RealOf<S>>*>(u.data());
}

}  // namespace projfgd::device
