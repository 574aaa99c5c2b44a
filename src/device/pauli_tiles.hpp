// Tiles of rows, and strings in the order of the device; see device/pauli.hpp.
#pragma once

#include <cstdint>

#include "device/complex.hpp"
#include "projfgd/operators/pauli.hpp"

namespace projfgd::device {

/// Rows in a tile, a power of two.
constexpr int tile_bits = 5;
constexpr int tile = 1 << tile_bits;
/// A row of 32 numbers, with one more so that a column lies in 32 banks.
constexpr int pitch = tile + 1;
constexpr std::uint32_t odd_slot = tile * tile;  // slot = odd, offset of x, offset of z

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

}  // namespace projfgd::device
