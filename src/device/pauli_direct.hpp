// Products with Pauli strings one by one, for factors of one or two columns and few strings a tile:
// there the Walsh-Hadamard transforms of pauli_teams.hpp would compute far more sums than are asked
// for.
//
// A tile has 256 rows j = (own, lane): a thread has eight rows of its own in registers, one for
// each value of `own`, and its lane is the other index. Then x = (own, lane) too. The rows j^x for
// all x with one lane are eight others, which are read once. For each x the thread makes eight
// products w_x(j), and a string costs it seven multiply-adds by +-1,
//   sum_own (-1)^{z.own} w = ((w0 +- w1) +- (w2 +- w3)) +- ((w4 +- w5) +- (w6 +- w7)),
// with three signs. Signs of the lane wait until 32 strings are done: then each thread adds up one
// of them. The adjoint product (pauli_direct_adjoint.hpp) goes the other way.
#pragma once

#include <array>

#include "device/pauli_tiles.hpp"
#include "projfgd/device/pauli.hpp"

namespace projfgd::device {

constexpr int lanes = 32, lane_bits = 5;
constexpr int own_bits = 3, own_rows = 1 << own_bits;
constexpr int direct_rows = own_rows * lanes, direct_bits = own_bits + lane_bits;
constexpr int direct_warps = 8, direct_threads = direct_warps * lanes;
static_assert(direct_threads == direct_rows);  // each thread loads a row
static_assert(own_bits * DirectItem::most_strings <= 64);
/// Strings of one tile X of 32 offsets up to which they are taken one by one: the transforms of a
/// row of w_x, 2 x 5 additions for each of 32 x, are some 320 of them.
constexpr double most_direct_strings = 320;
constexpr Index most_direct_columns = 2;

/// Bit j says whether (-1)^{z.j} is -1, for the lanes j.
PROJFGD_ON_DEVICE inline std::uint32_t signs_of(std::uint32_t z) {
  constexpr std::uint32_t bits[lane_bits] = {0xAAAAAAAAu, 0xCCCCCCCCu, 0xF0F0F0F0u, 0xFF00FF00u,
                                             0xFFFF0000u};
  std::uint32_t signs = 0;
  PROJFGD_UNROLL
  for (int b = 0; b < lane_bits; ++b) signs ^= z >> b & 1u ? bits[b] : 0u;
  return signs;
}

/// The value, or its negative where the highest bit is set; the others are 0.
PROJFGD_ON_DEVICE inline double flipped(double value, std::uint32_t sign) {
#if defined(__CUDA_ARCH__)
  return __hiloint2double(__double2hiint(value) ^ static_cast<int>(sign), __double2loint(value));
#else
  return sign >> 31 ? -value : value;
#endif
}
PROJFGD_ON_DEVICE inline float flipped(float value, std::uint32_t sign) {
#if defined(__CUDA_ARCH__)
  return __int_as_float(__float_as_int(value) ^ static_cast<int>(sign));
#else
  return sign >> 31 ? -value : value;
#endif
}

/// The signs of a string for the bits of `own`, +-1. A block has those of all eight in a table,
/// which is read one string ahead: making them takes longer than using them.
template <class R>
struct alignas(4 * sizeof(R)) OwnSigns {
  R at[own_bits];
  PROJFGD_ON_DEVICE void set(int bits) {
    PROJFGD_UNROLL
    for (int b = 0; b < own_bits; ++b) at[b] = bits >> b & 1 ? R(-1) : R(1);
  }
};

/// sum_own (-1)^{z.own} w(own)
template <class R>
PROJFGD_ON_DEVICE R signed_sum(const R (&w)[own_rows], const OwnSigns<R>& signs) {
  R v[own_rows / 2];
  PROJFGD_UNROLL
  for (int k = 0; k < own_rows / 2; ++k) v[k] = w[2 * k] + signs.at[0] * w[2 * k + 1];
  PROJFGD_UNROLL
  for (int b = 1; b < own_bits; ++b) {
    PROJFGD_UNROLL
    for (int k = 0; k < own_rows / 2 >> b; ++k) v[k] = v[2 * k] + signs.at[b] * v[2 * k + 1];
  }
  return v[0];
}

/// What a block has of the strings of one batch.
template <class R>
struct DirectShared {
  OwnSigns<R> signs[own_rows];
  DirectItem items[most_direct_items];
  std::uint32_t first_item[most_direct_chunks + 1];
  std::uint32_t first_string[most_direct_chunks + 1];

  PROJFGD_ON_DEVICE void load(int thread, const DirectTables::View& tables, Index batch) {
    const std::uint32_t begin = tables.batch_chunk[batch];
    const std::uint32_t chunks = tables.batch_chunk[batch + 1] - begin;
    const std::uint32_t item = tables.chunk_item[begin];
    const std::uint32_t count = tables.chunk_item[begin + chunks] - item;
    if (thread < own_rows) signs[thread].set(thread);
    for (std::uint32_t k = thread; k < count; k += direct_threads)
      items[k] = tables.items[item + k];
    for (std::uint32_t k = thread; k <= chunks; k += direct_threads) {
      first_item[k] = tables.chunk_item[begin + k] - item;
      first_string[k] = tables.chunk_string[begin + k];
    }
  }
};

/// Sums of one batch of strings, which share the tile X of x, over a share of the tiles of j, half
/// of them where X is not 0:
///   partial[share][s] = +- sum_j (-1)^{z.j} (Re or Im) w_x(j)
template <class R, int columns>
struct DirectForward {
  static constexpr int threads = direct_threads, at_once = columns == 1 ? 2 : 1;
  struct Shared {
    Complex<R> mine[2][columns][direct_rows], theirs[2][columns][direct_rows];  // in turn
    DirectShared<R> strings;
    std::uint32_t z[most_direct_chunks][lanes], signs[most_direct_chunks][lanes];
    R sums[most_direct_chunks][lanes];
    R parts[direct_warps][lanes][lanes + 1];  // of a string, of a lane
  };
  struct Own {
    Complex<R> mine[columns][own_rows];
    Complex<R> next[columns][2];
  };

  std::array<const Complex<R>*, columns> left, right;  // w = sum_c conj(right) left
  Index rows, tiles, strings, shares;
  DirectTables::View tables;
  R* partial;

  template <class Block>
  PROJFGD_ON_DEVICE void operator()(Block& block) const {
    const Index batch = block.index / shares, share = block.index % shares;
    const Index x_tile = tables.batch_x[batch];
    const int chunks = static_cast<int>(tables.batch_chunk[batch + 1] - tables.batch_chunk[batch]);
    const Index top = highest_bit(x_tile);  // of J and J^X one has it, and both say the same
    const Index halves = x_tile == 0 ? tiles : tiles / 2;
    block.each([&](int thread, Own& own, Shared& shared) {
      shared.strings.load(thread, tables, batch);
      load(thread, own, tile_of(share, top), x_tile);
    });
    block.each_warp([&](int thread, Own&, Shared& shared) {
      for (int k = thread; k < chunks * lanes; k += threads) {
        const int chunk = k / lanes;
        const std::uint32_t s = shared.strings.first_string[chunk] + k % lanes;
        const bool is_there = s < shared.strings.first_string[chunk + 1];
        const std::uint32_t string = is_there ? tables.z[s] : 0;
        shared.z[chunk][k % lanes] = string;
        shared.signs[chunk][k % lanes] = signs_of(string);
        shared.sums[chunk][k % lanes] = 0;
      }
    });
    int turn = 0;
    for (Index half = share; half < halves; half += shares, turn ^= 1) {
      const Index here = tile_of(half, top), next = tile_of(half + shares, top);
      block.each([&](int thread, Own& own, Shared& shared) {
        PROJFGD_UNROLL
        for (int c = 0; c < columns; ++c) {
          shared.mine[turn][c][thread] = own.next[c][0];
          shared.theirs[turn][c][thread] = own.next[c][1];
        }
      });
      block.each_warp([&](int thread, Own& own, Shared& shared) {
        if (half + shares < halves) load(thread, own, next, x_tile);
        PROJFGD_UNROLL
        for (int c = 0; c < columns; ++c) {
          PROJFGD_UNROLL
          for (int a = 0; a < own_rows; ++a) {
            own.mine[c][a] = shared.mine[turn][c][a * lanes + thread % lanes];
          }
        }
      });
      for (int round = 0; round < chunks; round += direct_warps) {
        block.each_warp([&](int thread, Own& own, Shared& shared) {
          const int chunk = round + thread / lanes;
          if (chunk < chunks) add(thread, chunk, turn, own, shared);
        });
        block.each_warp([&](int thread, Own&, Shared& shared) {
          const int lane = thread % lanes, chunk = round + thread / lanes;
          if (chunk >= chunks) return;
          const R(&part)[lanes + 1] = shared.parts[thread / lanes][lane];
          const std::uint32_t signs = shared.signs[chunk][lane];
          R sum[4] = {};
          PROJFGD_UNROLL
          for (int k = 0; k < lanes; ++k) {
            sum[k % 4] += flipped(part[k], signs << (31 - k) & 1u << 31);
          }
          const R all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
          const auto high = static_cast<std::uint32_t>(here) << direct_bits;
          const bool negative = is_odd(shared.z[chunk][lane] & (high | PauliGroups::negative));
          shared.sums[chunk][lane] += negative ? -all : all;
        });
      }
    }
    const R twice = x_tile == 0 ? R(1) : R(2);
    block.each_warp([&](int thread, Own&, Shared& shared) {
      for (int k = thread; k < chunks * lanes; k += threads) {
        const int chunk = k / lanes;
        const std::uint32_t s = shared.strings.first_string[chunk] + k % lanes;
        if (s >= shared.strings.first_string[chunk + 1]) continue;
        partial[share * strings + s] = twice * shared.sums[chunk][k % lanes];
      }
    });
  }

 private:
  /// The h-th tile without the bit `top`.
  PROJFGD_ON_DEVICE static Index tile_of(Index h, Index top) {
    return top == 0 ? h : (h & ~(top - 1)) * 2 + (h & (top - 1));
  }
  PROJFGD_ON_DEVICE void load(int thread, Own& own, Index here, Index x_tile) const {
    const Index row = here * direct_rows + thread, other = (here ^ x_tile) * direct_rows + thread;
    PROJFGD_UNROLL
    for (int c = 0; c < columns; ++c) {
      own.next[c][0] = row < rows ? left[c][row] : Complex<R>{0, 0};
      own.next[c][1] = other < rows ? right[c][other] : Complex<R>{0, 0};
    }
  }

  /// The part of this thread in the sums of a chunk of strings.
  PROJFGD_ON_DEVICE static void add(int thread, int chunk, int turn, const Own& own,
                                    Shared& shared) {
    const int lane = thread % lanes;
    R* part = &shared.parts[thread / lanes][0][lane];
    const DirectShared<R>& strings = shared.strings;
    for (std::uint32_t i = strings.first_item[chunk]; i < strings.first_item[chunk + 1]; ++i) {
      const DirectItem item = strings.items[i];
      const int other = static_cast<int>(item.x) ^ lane;
      Complex<R> theirs[columns][own_rows];
      PROJFGD_UNROLL
      for (int c = 0; c < columns; ++c) {
        PROJFGD_UNROLL
        for (int a = 0; a < own_rows; ++a) {
          theirs[c][a] = shared.theirs[turn][c][other ^ (a * lanes)];
        }
      }
      std::uint64_t signs = item.signs;
      OwnSigns<R> next = strings.signs[signs % own_rows];
      PROJFGD_UNROLL
      for (int list = 0; list < 2 * DirectItem::offsets; ++list) {
        int count = static_cast<int>(item.counts >> (4 * list) & 15u);
        if (count == 0) continue;
        R w[own_rows];
        PROJFGD_UNROLL
        for (int a = 0; a < own_rows; ++a) {
          PROJFGD_UNROLL
          for (int c = 0; c < columns; ++c) {
            const Complex<R> mine = own.mine[c][a], partner = theirs[c][a ^ (list / 2)];
            const R term = list % 2 == 0 ? partner.re * mine.re + partner.im * mine.im
                                         : partner.re * mine.im - partner.im * mine.re;
            w[a] = c == 0 ? term : w[a] + term;
          }
        }
        PROJFGD_KEEP_LOOP
        do {
          *part = signed_sum(w, next);
          part += lanes + 1;
          signs >>= own_bits;
          next = strings.signs[signs % own_rows];
        } while (--count > 0);
      }
    }
  }
};

}  // namespace projfgd::device
