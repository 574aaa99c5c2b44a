// Products with Pauli strings one by one, for factors of one or two columns and few strings a tile:
// there the Walsh-Hadamard transform of pauli.cu would compute far more sums than are asked for.
//
// A lane is a row of a tile, and the 32 lanes of a warp take one string after the other, so that
// no lane waits for one with more strings. The strings of one x follow each other and share the
// product w_x(j), or the row of V that their weights multiply. Four tiles of rows go together: what
// is looked up for a string serves all of them. Signs are factors +-1 of multiply-adds, which cost
// no more than the additions; the sign of the lane is that of a whole sum.
#pragma once

#include <array>

#include "device/pauli_tiles.hpp"

namespace projfgd::device {

/// Strings that a warp takes, four warps a block.
constexpr int direct_slots = 32;
constexpr int direct_threads = 128;
constexpr int direct_batch = direct_threads;  // strings of a block
/// Tiles of rows that go together.
constexpr int direct_tiles = 4;
/// Strings of one tile X up to which they are taken one by one: the transforms of a row of w_x, 2 x
/// 5 additions for each of 32 x, are some 320 of them.
constexpr double most_direct_strings = 320;
constexpr Index most_direct_columns = 2;

/// Bit j says whether (-1)^{z.j} is -1, for the offsets j of a tile.
PROJFGD_ON_DEVICE inline std::uint32_t signs_of(std::uint32_t z) {
  constexpr std::uint32_t bits[tile_bits] = {0xAAAAAAAAu, 0xCCCCCCCCu, 0xF0F0F0F0u, 0xFF00FF00u,
                                             0xFFFF0000u};
  std::uint32_t signs = 0;
  PROJFGD_UNROLL
  for (int b = 0; b < tile_bits; ++b) signs ^= z >> b & 1u ? bits[b] : 0u;
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

/// What a string is beyond its z.
struct DirectString {
  static constexpr std::uint32_t odd = 1u << 5,
                                 first = 1u << 6;  // of its x here; below: the offset of x
  PROJFGD_ON_DEVICE static std::uint32_t of(std::uint32_t slot, bool is_first) {
    return slot / tile % tile | (slot / odd_slot ? odd : 0u) | (is_first ? first : 0u);
  }
};

/// Sums of one batch of strings, which share the tile X of x, over a share of the tiles of j, half
/// of them where X is not 0:
///   partial[share][s] = +- sum_j (-1)^{z.j} (Re or Im) w_x(j)
template <class R, int columns>
struct DirectForward {
  static constexpr int threads = direct_threads, warps = threads / tile;
  static constexpr int at_once = columns == 1 ? 4 : 3;
  struct Shared {
    Complex<R> own[columns][direct_tiles][tile], partner[columns][direct_tiles][tile];
    alignas(16) R signs[threads + 1][direct_tiles];  // of the tiles, +-1; one is read ahead
    std::uint32_t strings[threads], lanes[threads];
    R sums[warps][8][pitch];
  };
  struct Own {
    R sums[direct_slots];
    std::uint32_t first, odd, lane;  // bits of the strings of this warp; signs of this lane
  };

  std::array<const Complex<R>*, columns> left, right;  // w = sum_c conj(right) left
  Index rows, tiles, strings, shares;
  const std::uint32_t *batch_x, *batch_string, *z;
  const std::uint16_t* slot;
  R* partial;

  template <class Block>
  PROJFGD_ON_DEVICE void operator()(Block& block) const {
    const Index batch = block.index / shares, share = block.index % shares;
    const Index x_tile = batch_x[batch], begin = batch_string[batch];
    const int count = static_cast<int>(batch_string[batch + 1] - begin);
    const int each = (count + warps - 1) / warps;  // strings of a warp
    block.each([&](int thread, Own&, Shared& shared) {
      if (thread >= count) return;
      const std::uint32_t at = slot[begin + thread];
      const bool is_first =
          thread % each == 0 || at / tile % tile != slot[begin + thread - 1] / tile % tile;
      shared.strings[thread] = DirectString::of(at, is_first);
      shared.lanes[thread] = signs_of(z[begin + thread]);
    });
    block.each([&](int thread, Own& own, Shared& shared) {
      own.first = own.odd = own.lane = 0;
      PROJFGD_UNROLL
      for (int k = 0; k < direct_slots; ++k) {
        own.sums[k] = 0;
        const int s = thread / tile * each + k;
        if (k >= each || s >= count) continue;
        own.first |= (shared.strings[s] & DirectString::first ? 1u : 0u) << k;
        own.odd |= (shared.strings[s] & DirectString::odd ? 1u : 0u) << k;
        own.lane |= (shared.lanes[s] >> thread % tile & 1u) << k;
      }
    });
    Index top = x_tile;  // the highest bit of X: of J and J^X one has it, and both say the same
    while ((top & (top - 1)) != 0) top &= top - 1;
    const Index halves = x_tile == 0 ? tiles : tiles / 2;
    for (Index first = share * direct_tiles; first < halves; first += shares * direct_tiles) {
      block.each([&](int thread, Own&, Shared& shared) {
        const int t = thread / tile, offset = thread % tile;
        const Index h = first + t, own_tile = tile_of(h, top);
        PROJFGD_UNROLL
        for (int c = 0; c < columns; ++c) {
          shared.own[c][t][offset] = entry(left[c], own_tile, offset, h < halves);
          shared.partner[c][t][offset] = entry(right[c], own_tile ^ x_tile, offset, h < halves);
        }
        if (thread >= count) return;
        const std::uint32_t string = z[begin + thread];
        PROJFGD_UNROLL
        for (int k = 0; k < direct_tiles; ++k) {
          const auto high = static_cast<std::uint32_t>(tile_of(first + k, top)) << tile_bits;
          shared.signs[thread][k] = is_odd(string & (high | PauliGroups::negative)) ? R(-1) : R(1);
        }
      });
      block.each([&](int thread, Own& own, Shared& shared) {
        const int from = thread / tile * each;
        add(thread % tile, from, each < count - from ? each : count - from, own, shared);
      });
    }
    const R twice = x_tile == 0 ? R(1) : R(2);
    for (int round = 0; round < direct_slots / 8; ++round) {
      block.each([&](int thread, Own& own, Shared& shared) {
        PROJFGD_UNROLL
        for (int k = 0; k < direct_slots; ++k) {
          if (k / 8 != round) continue;
          const std::uint32_t sign = own.lane << (31 - k) & 1u << 31;
          shared.sums[thread / tile][k % 8][thread % tile] = flipped(own.sums[k], sign);
        }
      });
      block.each([&](int thread, Own&, Shared& shared) {
        const int k = round * 8 + thread % 8, s = thread / 8 * each + k;
        if (thread >= tile || k >= each || s >= count) return;
        R sum = 0;
        for (int lane = 0; lane < tile; ++lane) sum += shared.sums[thread / 8][thread % 8][lane];
        partial[share * strings + begin + s] = twice * sum;
      });
    }
  }

 private:
  /// The h-th tile without the bit `top`.
  PROJFGD_ON_DEVICE static Index tile_of(Index h, Index top) {
    return top == 0 ? h : (h & ~(top - 1)) * 2 + (h & (top - 1));
  }
  PROJFGD_ON_DEVICE Complex<R> entry(const Complex<R>* column, Index at, int offset,
                                     bool is_there) const {
    const Index row = at * tile + offset;
    return is_there && row < rows ? column[row] : Complex<R>{0, 0};
  }

  /// Adds four tiles to the sums of a warp's strings, which begin at `begin`.
  PROJFGD_ON_DEVICE static void add(int lane, int begin, int count, Own& own,
                                    const Shared& shared) {
    Complex<R> mine[columns][direct_tiles];
    PROJFGD_UNROLL
    for (int c = 0; c < columns; ++c) {
      PROJFGD_UNROLL
      for (int t = 0; t < direct_tiles; ++t) mine[c][t] = shared.own[c][t][lane];
    }
    R re[direct_tiles] = {}, im[direct_tiles] = {}, next[direct_tiles];
    PROJFGD_UNROLL
    for (int t = 0; t < direct_tiles; ++t) next[t] = shared.signs[begin][t];
    PROJFGD_UNROLL
    for (int k = 0; k < direct_slots; ++k) {
      if (k >= count) break;
      R signs[direct_tiles];
      PROJFGD_UNROLL
      for (int t = 0; t < direct_tiles; ++t) {
        signs[t] = next[t];
        next[t] = shared.signs[begin + k + 1][t];
      }
      if (own.first >> k & 1u) {
        const int other = lane ^ static_cast<int>(shared.strings[begin + k] % tile);
        PROJFGD_UNROLL
        for (int t = 0; t < direct_tiles; ++t) {
          re[t] = im[t] = 0;
          PROJFGD_UNROLL
          for (int c = 0; c < columns; ++c) {
            const Complex<R> partner = shared.partner[c][t][other];
            re[t] += partner.re * mine[c][t].re + partner.im * mine[c][t].im;
            im[t] += partner.re * mine[c][t].im - partner.im * mine[c][t].re;
          }
        }
      }
      if (own.odd >> k & 1u) {
        PROJFGD_UNROLL
        for (int t = 0; t < direct_tiles; ++t) own.sums[k] += signs[t] * im[t];
      } else {
        PROJFGD_UNROLL
        for (int t = 0; t < direct_tiles; ++t) own.sums[k] += signs[t] * re[t];
      }
    }
  }
};

/// Sixteen tiles of rows of one column of (sum_s c_s P_s) V, four a warp, over a share of the
/// batches of strings:
///   partial[share][j] = sum_x e_x(j) V[j^x],  e_x(j) = sum_z +-c_z (-1)^{z.j} (1 or i)
template <class R>
struct DirectAdjoint {
  static constexpr int threads = direct_threads, at_once = 5;
  static constexpr int block_tiles = threads / tile * direct_tiles;
  struct Shared {
    Complex<R> partner[block_tiles][tile];
    alignas(16) R weights[direct_batch][block_tiles];   // with the signs of the tiles
    alignas(8) std::uint32_t strings[direct_batch][2];  // and the signs of the lanes
  };
  struct Own {
    Complex<R> sums[direct_tiles];
  };

  const Complex<R>* v;
  Index rows, tiles, columns, shares, batches;
  const std::uint32_t *batch_x, *batch_string, *z;
  const std::uint16_t* slot;
  const R* c;
  Complex<R>* partial;

  template <class Block>
  PROJFGD_ON_DEVICE void operator()(Block& block) const {
    const Index groups = (tiles + block_tiles - 1) / block_tiles;
    const Index share = block.index % shares, first = block.index / shares % groups * block_tiles;
    const Index column = block.index / shares / groups;
    block.each([&](int, Own& own, Shared&) {
      PROJFGD_UNROLL
      for (int t = 0; t < direct_tiles; ++t) own.sums[t] = {0, 0};
    });
    for (Index batch = share; batch < batches; batch += shares) {
      const Index x_tile = batch_x[batch], begin = batch_string[batch];
      const int count = static_cast<int>(batch_string[batch + 1] - begin);
      block.each([&](int thread, Own&, Shared& shared) {
        for (int k = thread; k < block_tiles * tile; k += threads) {
          const Index row = ((first + k / tile) ^ x_tile) * tile + k % tile;
          shared.partner[k / tile][k % tile] =
              row < rows ? v[column * rows + row] : Complex<R>{0, 0};
        }
        if (thread >= count) return;
        const std::uint32_t string = z[begin + thread], at = slot[begin + thread];
        const bool is_first =
            thread == 0 || at / tile % tile != slot[begin + thread - 1] / tile % tile;
        shared.strings[thread][0] = DirectString::of(at, is_first);
        shared.strings[thread][1] = signs_of(string);
        const R weight = c[begin + thread];
        for (int k = 0; k < block_tiles; ++k) {
          const int t = (k + thread) % block_tiles;  // another bank for each of the threads
          const auto high = static_cast<std::uint32_t>(first + t) << tile_bits;
          shared.weights[thread][t] =
              is_odd(string & (high | PauliGroups::negative)) ? -weight : weight;
        }
      });
      block.each([&](int thread, Own& own, Shared& shared) { add(thread, count, own, shared); });
    }
    block.each([&](int thread, Own& own, Shared&) {
      PROJFGD_UNROLL
      for (int t = 0; t < direct_tiles; ++t) {
        const Index row = (first + thread / tile * direct_tiles + t) * tile + thread % tile;
        if (row < rows) partial[(share * columns + column) * rows + row] = own.sums[t];
      }
    });
  }

 private:
  /// Adds the strings of a batch, one x after the other. The rows that an x multiplies are asked
  /// for when it begins, and used when it ends.
  PROJFGD_ON_DEVICE static void add(int thread, int count, Own& own, const Shared& shared) {
    const int lane = thread % tile, first = thread / tile * direct_tiles;
    R re[direct_tiles] = {}, im[direct_tiles] = {};
    Complex<R> rows_of_x[direct_tiles] = {};
    const auto finish = [&] {
      PROJFGD_UNROLL
      for (int t = 0; t < direct_tiles; ++t) {
        own.sums[t].re += re[t] * rows_of_x[t].re - im[t] * rows_of_x[t].im;
        own.sums[t].im += re[t] * rows_of_x[t].im + im[t] * rows_of_x[t].re;
        re[t] = im[t] = 0;
      }
    };
    for (int s = 0; s < count; ++s) {
      const std::uint32_t string = shared.strings[s][0];
      const R sign = flipped(R(1), shared.strings[s][1] << (tile - 1 - lane) & 1u << 31);
      R weights[direct_tiles];
      PROJFGD_UNROLL
      for (int t = 0; t < direct_tiles; ++t) weights[t] = shared.weights[s][first + t];
      if (string & DirectString::first) {
        finish();  // nothing the first time
        PROJFGD_UNROLL
        for (int t = 0; t < direct_tiles; ++t) {
          rows_of_x[t] = shared.partner[first + t][lane ^ static_cast<int>(string % tile)];
        }
      }
      if (string & DirectString::odd) {
        PROJFGD_UNROLL
        for (int t = 0; t < direct_tiles; ++t) im[t] += sign * weights[t];
      } else {
        PROJFGD_UNROLL
        for (int t = 0; t < direct_tiles; ++t) re[t] += sign * weights[t];
      }
    }
    finish();
  }
};

}  // namespace projfgd::device
