// Tensor products of 2 x 2 maps on many qubits, in pieces that fit the cache.
#pragma once

#include <algorithm>

#include "projfgd/core/buffer_pool.hpp"
#include "projfgd/core/threads.hpp"

namespace projfgd {

/// An array over 2^q indices as tiles of consecutive ones, which hold the low qubits, and as strips
/// across the tiles, which hold the high ones. What a piece computes does not depend on the thread.
struct Tiles {
  static constexpr int most_low = 10;       // qubits: 16 KiB of complex numbers, half of a first
                                            // cache, with as much for the other side of a step
  static constexpr Index strip_width = 16;  // numbers next to each other: whole cache lines

  explicit Tiles(int qubits)
      : low(std::min(qubits, most_low)), high(qubits - low), strip(Index{1} << std::min(low, 4)) {
    static_assert(strip_width == Index{1} << 4);
  }

  int low, high;  ///< qubits
  Index strip;    ///< numbers of a strip in a tile

  Index tile() const { return Index{1} << low; }
  Index tiles() const { return Index{1} << high; }
  Index strips() const { return tile() / strip; }
  Index strip_size() const { return strip * tiles(); }
  /// Of the larger of the two.
  Index piece() const { return std::max(tile(), strip_size()); }

  /// body(begin of a tile, work space) for all tiles.
  template <class R, class Body>
  void for_tiles(BufferPool<R>& pool, Index space, const Body& body) const {
    for_pieces(tiles(), tile(), pool, space, [&](Index k, R* work) { body(k * tile(), work); });
  }
  /// body(begin of a strip, work space) for all strips; the next row of one is a tile further.
  template <class R, class Body>
  void for_strips(BufferPool<R>& pool, Index space, const Body& body) const {
    for_pieces(strips(), strip_size(), pool, space,
               [&](Index k, R* work) { body(k * strip, work); });
  }

 private:
  template <class R, class Body>
  static void for_pieces(Index count, Index size, BufferPool<R>& pool, Index space,
                         const Body& body) {
    constexpr Index most_groups = 64, size_worth_threads = Index{1} << 15;
    const Index groups = std::min(count, most_groups);
    parallel_for_if(count * size >= size_worth_threads, groups, [&](Index group) {
      const auto lent = pool.lend(space);
      for (Index k = group * count / groups; k < (group + 1) * count / groups; ++k) {
        body(k, lent.get());
      }
    });
  }
};

}  // namespace projfgd
