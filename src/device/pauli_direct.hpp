// Products with Pauli strings one by one, for factors of one or two columns and few strings a tile:
// there the Walsh-Hadamard transforms of pauli_teams.hpp would compute far more sums than are asked
// for.
//
// A tile has 512 rows j = (own, lane): a thread has sixteen rows of its own in registers, one for
// each value of `own`, and its lane is the other index. Then x = (own, lane) too. The sixteen rows
// j^x of four neighbouring x are the same ones in another order, and are read once. Strings of one
// x are lists by the part of w_x, real or imaginary, and by the lowest bit of z.own: a list needs
// the sums of two rows
//   t(k) = w_x(2k) +- w_x(2k+1),
// which cost four multiply-adds each, and a string of it seven more by +-1,
//   ((t0 +- t1) +- (t2 +- t3)) +- ((t4 +- t5) +- (t6 +- t7)).
// Signs of the lane wait until the strings of a chunk are done: then each thread adds up one of
// them. The adjoint product (pauli_direct_adjoint.hpp) goes the other way.
#pragma once

#include <array>

#include "device/pauli_tiles.hpp"
#include "projfgd/device/pauli.hpp"

namespace projfgd::device {

constexpr int lanes = 32, lane_bits = 5;
constexpr int own_bits = 4, own_rows = 1 << own_bits;
constexpr int direct_rows = own_rows * lanes, direct_bits = own_bits + lane_bits;
constexpr int direct_warps = 4, direct_threads = direct_warps * lanes;
/// Sums of two rows, and the signs that a string brings to them.
constexpr int pairs = own_rows / 2, pair_signs = own_bits - 1;
static_assert(pair_signs == DirectItem::signs);
/// Blocks at once: three of 168 registers a thread in double precision, so that the sixteen rows,
/// their partners and the sums stay in registers.
template <class R>
constexpr int direct_blocks_at_once = sizeof(R) == sizeof(double) ? 3 : 5;
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

/// (-1)^{lowest bit}. A GPU makes it by one instruction.
template <class R>
PROJFGD_ON_DEVICE R unit(std::uint32_t bits) {
  return flipped(R(1), bits << 31);
}
#if defined(__CUDA_ARCH__)
template <>
__device__ inline double unit<double>(std::uint32_t bits) {
  return __hiloint2double(static_cast<int>((bits << 31) + 0x3FF00000u), 0);
}
#endif

/// A number that all threads of a warp have in common, told to the compiler: branches on it then
/// need no code that brings threads together again.
PROJFGD_ON_DEVICE inline std::uint32_t of_warp(std::uint32_t common) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_or_sync(0xFFFFFFFFu, common);
#else
  return common;
#endif
}

/// What the strings of one of the 16 lists of an item have in common: x as one of its four, the
/// part of w_x, and the sign of the second of two rows.
struct DirectList {
  int x;
  bool imaginary, minus;
  PROJFGD_ON_DEVICE constexpr explicit DirectList(int number)
      : x(number / 4), imaginary(number / 2 % 2 != 0), minus(number % 2 != 0) {}
};
PROJFGD_ON_DEVICE inline int count_of(const std::uint32_t (&counts)[2], int list) {
  return static_cast<int>(counts[list / 8] >> (4 * (list % 8)) & 15u);
}

/// What a block has of the strings of one batch.
struct DirectShared {
  DirectItem items[most_direct_items];
  std::uint32_t signs[most_direct_chunks][pair_signs];
  std::uint32_t first_item[most_direct_chunks + 1];
  std::uint32_t first_string[most_direct_chunks + 1];

  PROJFGD_ON_DEVICE void load(int thread, const DirectTables::View& tables, Index batch) {
    const std::uint32_t begin = tables.batch_chunk[batch];
    const std::uint32_t chunks = tables.batch_chunk[batch + 1] - begin;
    const std::uint32_t item = tables.chunk_item[begin];
    const std::uint32_t count = tables.chunk_item[begin + chunks] - item;
    for (std::uint32_t k = thread; k < count; k += direct_threads) {
      items[k] = tables.items[item + k];
    }
    for (std::uint32_t k = thread; k <= chunks; k += direct_threads) {
      first_item[k] = tables.chunk_item[begin + k] - item;
      first_string[k] = tables.chunk_string[begin + k];
    }
    for (std::uint32_t k = thread; k < chunks * pair_signs; k += direct_threads) {
      signs[k / pair_signs][k % pair_signs] = tables.chunk_signs[begin * pair_signs + k];
    }
  }
};

/// The next string's signs for the sums of two rows; each chunk has a word for each of them.
template <class R>
PROJFGD_ON_DEVICE void take_signs(std::uint32_t (&words)[pair_signs], R (&signs)[pair_signs]) {
  PROJFGD_UNROLL
  for (int b = 0; b < pair_signs; ++b) {
    signs[b] = unit<R>(words[b]);
    words[b] >>= 1;
  }
}

/// sum_k (-1)^{bits of k with a sign} t(k)
template <class R>
PROJFGD_ON_DEVICE R signed_sum(const R (&t)[pairs], const R (&signs)[pair_signs]) {
  R v[pairs / 2];
  PROJFGD_UNROLL
  for (int k = 0; k < pairs / 2; ++k) v[k] = t[2 * k] + signs[0] * t[2 * k + 1];
  PROJFGD_UNROLL
  for (int b = 1; b < pair_signs; ++b) {
    PROJFGD_UNROLL
    for (int k = 0; k < pairs / 2 >> b; ++k) v[k] = v[2 * k] + signs[b] * v[2 * k + 1];
  }
  return v[0];
}

/// The same of what 2^level lanes have.
template <int level, class R>
PROJFGD_ON_DEVICE R lane_sum(const R* part, const R (&signs)[lane_bits]) {
  if constexpr (level == 1) {
    const Complex<R> two = *reinterpret_cast<const Complex<R>*>(part);
    return two.re + signs[0] * two.im;
  } else {
    constexpr int half = 1 << (level - 1);
    const R first = lane_sum<level - 1>(part, signs),
            second = lane_sum<level - 1>(part + half, signs);
    return first + signs[level - 1] * second;
  }
}

/// Sums of one batch of strings, which share the tile X of x, over a share of the tiles of j, half
/// of them where X is not 0, and for one column:
///   partial[column, share][s] = +- sum_j (-1)^{z.j} (Re or Im) conj(right[j^x]) left[j]
template <class R>
struct DirectForward {
  static constexpr int threads = direct_threads, at_once = direct_blocks_at_once<R>;
  struct Shared {
    Complex<R> theirs[direct_rows];
    DirectShared strings;
    std::uint32_t z[most_direct_chunks][lanes];
    R sums[most_direct_chunks][lanes];
    // Of a string, of a lane. Two more numbers keep rows aligned and in different banks.
    alignas(2 * sizeof(R)) R parts[direct_warps][lanes][lanes + 2];
  };
  struct Own {
    Complex<R> mine[own_rows];
  };

  std::array<const Complex<R>*, most_direct_columns> left, right;
  Index rows, tiles, strings, shares, batches;
  DirectTables::View tables;
  R* partial;

  template <class Block>
  PROJFGD_ON_DEVICE void operator()(Block& block) const {
    const Index batch = block.index / shares % batches;
    const Index column = block.index / shares / batches;
    const auto share = static_cast<std::uint32_t>(block.index % shares);
    const std::uint32_t x_tile = tables.batch_x[batch];
    const int chunks = static_cast<int>(tables.batch_chunk[batch + 1] - tables.batch_chunk[batch]);
    // Of J and J^X one has the highest bit of X, and both say the same.
    const auto top = static_cast<std::uint32_t>(highest_bit(x_tile));
    const auto halves = static_cast<std::uint32_t>(x_tile == 0 ? tiles : tiles / 2);
    block.each(
        [&](int thread, Own&, Shared& shared) { shared.strings.load(thread, tables, batch); });
    block.each_warp([&](int thread, Own&, Shared& shared) {
      for (int k = thread; k < chunks * lanes; k += threads) {
        const int chunk = k / lanes;
        const std::uint32_t s = shared.strings.first_string[chunk] + k % lanes;
        shared.z[chunk][k % lanes] = s < shared.strings.first_string[chunk + 1] ? tables.z[s] : 0;
        shared.sums[chunk][k % lanes] = 0;
      }
    });
    for (std::uint32_t half = share; half < halves; half += static_cast<std::uint32_t>(shares)) {
      // The half-th tile without the bit `top`.
      const std::uint32_t here = top == 0 ? half : (half & ~(top - 1)) * 2 + (half & (top - 1));
      block.each([&](int thread, Own& own, Shared&) {  // until all have done with the tile before
        PROJFGD_UNROLL
        for (int a = 0; a < own_rows; ++a) {
          own.mine[a] = entry(left[column], here, a * lanes + thread % lanes);
        }
      });
      block.each([&](int thread, Own&, Shared& shared) {
        PROJFGD_UNROLL
        for (int k = 0; k < direct_rows; k += threads) {
          shared.theirs[k + thread] = entry(right[column], here ^ x_tile, k + thread);
        }
      });
      for (int round = 0; round < chunks; round += direct_warps) {
        block.each_warp([&](int thread, Own& own, Shared& shared) {
          const int chunk = round + thread / lanes;
          if (chunk < chunks) add(thread, chunk, own, shared);
        });
        block.each_warp([&](int thread, Own&, Shared& shared) {
          const int lane = thread % lanes, chunk = round + thread / lanes;
          if (chunk >= chunks) return;
          const std::uint32_t z = shared.z[chunk][lane];
          R signs[lane_bits];
          PROJFGD_UNROLL
          for (int b = 0; b < lane_bits; ++b) signs[b] = unit<R>(z >> b);
          const R sum = lane_sum<lane_bits>(shared.parts[thread / lanes][lane], signs);
          const bool negative = is_odd(z & (here << direct_bits | PauliGroups::negative));
          shared.sums[chunk][lane] += negative ? -sum : sum;
        });
      }
    }
    const R twice = x_tile == 0 ? R(1) : R(2);
    block.each_warp([&](int thread, Own&, Shared& shared) {
      for (int k = thread; k < chunks * lanes; k += threads) {
        const int chunk = k / lanes;
        const std::uint32_t s = shared.strings.first_string[chunk] + k % lanes;
        if (s >= shared.strings.first_string[chunk + 1]) continue;
        partial[(column * shares + share) * strings + s] = twice * shared.sums[chunk][k % lanes];
      }
    });
  }

 private:
  PROJFGD_ON_DEVICE Complex<R> entry(const Complex<R>* factor, std::uint32_t at,
                                     std::uint32_t offset) const {
    const std::uint32_t row = at * direct_rows + offset;
    return row < static_cast<std::uint32_t>(rows) ? factor[row] : Complex<R>{0, 0};
  }

  /// sum +- the part of conj(partner) mine that the list is of
  PROJFGD_ON_DEVICE static R add_part(R sum, const DirectList& list, bool minus,
                                      const Complex<R>& mine, const Complex<R>& partner) {
    const R first = list.imaginary ? mine.im : mine.re;
    const R second = list.imaginary ? -mine.re : mine.im;
    return minus ? sum - partner.re * first - partner.im * second
                 : sum + partner.re * first + partner.im * second;
  }

  /// The part of this thread in the sums of a chunk of strings.
  PROJFGD_ON_DEVICE static void add(int thread, int chunk, const Own& own, Shared& shared) {
    const int lane = thread % lanes;
    R* part = &shared.parts[thread / lanes][0][lane];
    const DirectShared& strings = shared.strings;
    std::uint32_t words[pair_signs];
    PROJFGD_UNROLL
    for (int b = 0; b < pair_signs; ++b) words[b] = strings.signs[chunk][b];
    for (std::uint32_t i = strings.first_item[chunk]; i < strings.first_item[chunk + 1]; ++i) {
      const DirectItem item = strings.items[i];
      const std::uint32_t counts[2] = {of_warp(item.counts[0]), of_warp(item.counts[1])};
      const int other = static_cast<int>(item.x) ^ lane;
      Complex<R> theirs[own_rows];
      PROJFGD_UNROLL
      for (int a = 0; a < own_rows; ++a) theirs[a] = shared.theirs[other ^ (a * lanes)];
      PROJFGD_UNROLL
      for (int number = 0; number < DirectItem::lists; ++number) {
        const DirectList list(number);
        int count = count_of(counts, number);
        if (count == 0) continue;
        R t[pairs];
        PROJFGD_UNROLL
        for (int k = 0; k < pairs; ++k) {
          const int a = 2 * k, b = 2 * k + 1;
          t[k] = add_part(0, list, false, own.mine[a], theirs[a ^ list.x]);
          t[k] = add_part(t[k], list, list.minus, own.mine[b], theirs[b ^ list.x]);
        }
        PROJFGD_KEEP_LOOP
        do {
          R signs[pair_signs];
          take_signs(words, signs);
          *part = signed_sum(t, signs);
          part += lanes + 2;
        } while (--count > 0);
      }
    }
  }
};

}  // namespace projfgd::device
