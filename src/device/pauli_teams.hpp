// Products with many Pauli strings or columns: all products of two tiles of rows at once, and their
// Walsh-Hadamard transforms; see device/pauli.hpp.
#pragma once

#include <algorithm>

#include "device/pauli_tiles.hpp"
#include "device/warp_product.hpp"
#include "projfgd/device/pauli.hpp"

namespace projfgd::device {

/// Threads in a block: each warp computes 16 x 16 of the products of two tiles.
constexpr int team_threads = 4 * warp;
/// Strings that a thread adds up in its registers.
constexpr int sums_per_thread = 16;
/// Of them it reads so many before it uses the first.
constexpr int read_together = 8;
static_assert(sums_per_thread % read_together == 0);
/// Columns that are loaded at once. An adjoint product takes them together, because its weights are
/// made for all of them.
constexpr int columns_together = 24;

/// v(z) = sum_k (-1)^{z.k} v(k)
template <class R>
PROJFGD_ON_DEVICE void walsh_hadamard(R (&v)[tile]) {
  PROJFGD_UNROLL
  for (int half = 1; half < tile; half *= 2) {
    PROJFGD_UNROLL
    for (int k = 0; k < tile; ++k) {
      if (k & half) continue;
      const R a = v[k], b = v[k | half];
      v[k] = a + b;
      v[k | half] = a - b;
    }
  }
}

PROJFGD_ON_DEVICE inline int parity_of(TeamString s) { return static_cast<int>(s.slot / tile); }
PROJFGD_ON_DEVICE inline int x_offset(TeamString s) { return static_cast<int>(s.slot % tile); }
PROJFGD_ON_DEVICE inline int z_offset(TeamString s) { return static_cast<int>(s.z % tile); }

/// (-1)^{bits of mask}
template <class R>
PROJFGD_ON_DEVICE R signed_by(R value, std::uint32_t mask) {
  return is_odd(mask) ? -value : value;
}

/// The rows of one tile, as many columns as go together, in double precision. A column begins 4
/// numbers further than a multiple of 16: four rows of four columns lie in different banks.
struct TileRows {
  double re[columns_together][tile + 4], im[columns_together][tile + 4];

  PROJFGD_ON_DEVICE Complex<double> at(int row, int column) const {
    return {re[column][row], im[column][row]};
  }
  template <class R>
  PROJFGD_ON_DEVICE void put(int row, int column, const Complex<R>& entry) {
    re[column][row] = entry.re;
    im[column][row] = entry.im;
  }
};

/// Sums of one batch of strings, which share the tile X of x, over a share of the tiles of j:
///   partial[share][s] = +- sum_j (-1)^{z.j} (Re or Im) w_x(j)
template <class R>
struct TeamForward {
  static constexpr int threads = team_threads, at_once = 3;
  struct Shared {
    TileRows own, partner;
    double parts[2][tile][pitch];  // real and imaginary parts, by the offset of x
  };
  struct Own {
    WarpProduct<2> products;
    double sums[sums_per_thread];
  };

  const Complex<R>*u, *d;  // columns [U D] and [D U] where cross is set
  bool cross;
  Index rows, tiles, columns, strings, shares;
  const std::uint32_t *batch_x, *batch_string;
  const TeamString* string;
  R* partial;

  template <class Block>
  PROJFGD_ON_DEVICE void operator()(Block& block) const {
    const Index batch = block.index / shares, share = block.index % shares;
    const Index x_tile = batch_x[batch];
    const Index begin = batch_string[batch], count = batch_string[batch + 1] - begin;
    block.each_warp([&](int, Own& own, Shared&) {
      PROJFGD_UNROLL
      for (int i = 0; i < sums_per_thread; ++i) own.sums[i] = 0;
    });
    const Index top = highest_bit(x_tile);  // of J and J^X one has it, and both say the same
    const Index all = cross ? 2 * columns : columns;
    for (Index own_tile = share; own_tile < tiles; own_tile += shares) {
      if ((own_tile & top) != 0) continue;
      for (Index first = 0; first < all; first += columns_together) {
        const int loaded =
            static_cast<int>(first + columns_together < all ? columns_together : all - first);
        const int padded = (loaded + 3) / 4 * 4;
        block.each([&](int thread, Own& own, Shared& shared) {
          if (first == 0) own.products.set_zero();
          const int offset = thread % tile;
          for (int c = thread / tile; c < padded; c += threads / tile) {
            const bool second = first + c >= columns;
            const Index column = first + c - (second ? columns : 0);
            shared.own.put(offset, c, entry(second ? d : u, own_tile, offset, column, c < loaded));
            shared.partner.put(
                offset, c,
                entry(second || !cross ? u : d, own_tile ^ x_tile, offset, column, c < loaded));
          }
        });
        block.each([&](int thread, Own& own, Shared& shared) {
          const int own_row = thread / warp / 2 * 16, partner_row = thread / warp % 2 * 16;
          add_product(
              thread % warp, padded, [&](int i, int k) { return shared.own.at(own_row + i, k); },
              [&](int k, int j) {
                const Complex<double> right = shared.partner.at(partner_row + j, k);
                return Complex<double>{right.re, -right.im};
              },
              own.products);
        });
      }
      block.each([&](int thread, Own& own, Shared& shared) {
        const int own_row = thread / warp / 2 * 16, partner_row = thread / warp % 2 * 16;
        const int lane = thread % warp;
        PROJFGD_UNROLL
        for (int n = 0; n < 2; ++n) {
          PROJFGD_UNROLL
          for (int e = 0; e < 4; ++e) {
            const int j = own_row + own.products.row(lane, e);
            const int x = j ^ (partner_row + own.products.column(lane, n, e));
            shared.parts[0][x][j] = own.products.re[n][e];
            shared.parts[1][x][j] = own.products.im[n][e];
          }
        }
      });
      block.each([&](int thread, Own&, Shared& shared) {
        if (thread >= 2 * tile) return;
        double(&row)[pitch] = shared.parts[thread / tile][thread % tile];
        double v[tile];
        PROJFGD_UNROLL
        for (int k = 0; k < tile; ++k) v[k] = row[k];
        walsh_hadamard(v);
        PROJFGD_UNROLL
        for (int k = 0; k < tile; ++k) row[k] = v[k];
      });
      // The next tiles are loaded while others still read these parts.
      block.each_warp([&](int thread, Own& own, Shared& shared) {
        const auto high = static_cast<std::uint32_t>(own_tile) << tile_bits;
        PROJFGD_UNROLL
        for (int i = 0; i < sums_per_thread; i += read_together) {
          if (static_cast<Index>(i) * threads >= count) break;
          TeamString next[read_together];
          PROJFGD_UNROLL
          for (int k = 0; k < read_together; ++k) {
            const Index s = static_cast<Index>(i + k) * threads + thread;
            next[k] = s < count ? string[begin + s] : TeamString{0, 0};
          }
          PROJFGD_UNROLL
          for (int k = 0; k < read_together; ++k) {
            const double sum =
                shared.parts[parity_of(next[k])][x_offset(next[k])][z_offset(next[k])];
            own.sums[i + k] += signed_by(sum, next[k].z & (high | PauliGroups::negative));
          }
        }
      });
    }
    const double twice = x_tile == 0 ? 1 : 2;
    block.each_warp([&](int thread, Own& own, Shared&) {
      PROJFGD_UNROLL
      for (int i = 0; i < sums_per_thread; ++i) {
        const Index s = static_cast<Index>(i) * threads + thread;
        if (s < count) partial[share * strings + begin + s] = static_cast<R>(twice * own.sums[i]);
      }
    });
  }

 private:
  PROJFGD_ON_DEVICE Complex<R> entry(const Complex<R>* factor, Index at, int offset, Index column,
                                     bool is_there) const {
    const Index row = at * tile + offset;
    return is_there && row < rows ? factor[row + column * rows] : Complex<R>{0, 0};
  }
};

/// Two neighbouring tiles of rows of (sum_s c_s P_s) V, as many columns as go together, over a
/// share of the tiles X:
///   partial[share][j] = sum_x e_x(j) V[j^x],  e_x(j) = sum_z +-c_z (-1)^{z.j} (1 or i)
/// Both tiles take the strings of an X at once, and two warps each multiply its e by V.
template <class R>
struct TeamAdjoint {
  static constexpr int own_tiles = 2;
  static constexpr int threads = team_threads, at_once = 3;
  static_assert(threads == own_tiles * 2 * tile);
  struct Shared {
    TileRows partner[own_tiles];
    // e as [part][offset of j^x][offset of j], of which warps read 4 x 8 in few banks twice;
    // weights and their transforms as [part][offset of x][offset of z].
    double parts[own_tiles][2][tile][tile + 5];
  };
  struct Own {
    double v[tile];
    WarpProduct<columns_together / 8> sums;
  };

  const Complex<R>* v;
  Index rows, tiles, columns, shares, teams;
  const std::uint32_t *team_x, *team_row, *team_other, *row_string;
  const TeamString* string;
  const R* c;
  Complex<R>* partial;

  PROJFGD_ON_DEVICE static Index groups(Index tiles) { return (tiles + own_tiles - 1) / own_tiles; }

  template <class Block>
  PROJFGD_ON_DEVICE void operator()(Block& block) const {
    const Index all_groups = groups(tiles);
    const Index share = block.index % shares;
    const Index own_tile = block.index / shares % all_groups * own_tiles;
    const Index first = block.index / shares / all_groups * columns_together;
    const int together =
        static_cast<int>(first + columns_together < columns ? columns_together : columns - first);
    block.each_warp([&](int, Own& own, Shared&) { own.sums.set_zero(); });
    for (Index team = share; team < teams; team += shares) {
      block.each([&](int thread, Own&, Shared& shared) {
        for (int k = thread / tile; k < own_tiles * columns_together; k += threads / tile) {
          const int t = k % own_tiles, column = k / own_tiles, offset = thread % tile;
          const Index row = ((own_tile + t) ^ team_x[team]) * tile + offset;
          shared.partner[t].put(offset, column,
                                column < together && row < rows ? v[(first + column) * rows + row]
                                                                : Complex<R>{0, 0});
        }
        double* const parts = &shared.parts[0][0][0][0];  // what strings do not fill
        constexpr int size = sizeof(shared.parts) / sizeof(double);
        for (int k = thread; k < size; k += threads) parts[k] = 0;
      });
      make_weights(block, team, own_tile);
      block.each([&](int thread, Own& own, Shared& shared) {
        const int t = thread / (2 * warp), own_row = thread / warp % 2 * 16;
        const auto& parts = shared.parts[t];
        const auto& partner = shared.partner[t];
        add_product(
            thread % warp, tile,
            [&](int i, int k) {
              return Complex<double>{parts[0][k][own_row + i], parts[1][k][own_row + i]};
            },
            [&](int k, int j) { return partner.at(k, j); }, own.sums);
      });
    }
    block.each_warp([&](int thread, Own& own, Shared&) {
      const int lane = thread % warp;
      const Index tile_row = (own_tile + thread / (2 * warp)) * tile + thread / warp % 2 * 16;
      PROJFGD_UNROLL
      for (int n = 0; n < columns_together / 8; ++n) {
        PROJFGD_UNROLL
        for (int e = 0; e < 4; ++e) {
          const Index row = tile_row + own.sums.row(lane, e);
          const int column = own.sums.column(lane, n, e);
          if (row >= rows || column >= together) continue;
          partial[(share * columns + first + column) * rows + row] = {
              static_cast<R>(own.sums.re[n][e]), static_cast<R>(own.sums.im[n][e])};
        }
      }
    });
  }

 private:
  /// A string of one row, its weight, and where the sums of its slot are.
  struct Term {
    bool is_there = false;
    TeamString string{0, 0};
    double weight = 0;

    Term() = default;
    PROJFGD_ON_DEVICE Term(const TeamAdjoint& all, std::uint32_t row, std::uint32_t end, int thread)
        : Term() {
      if (row >= end) return;
      const std::uint32_t s = all.row_string[row] + static_cast<std::uint32_t>(thread);
      is_there = s < all.row_string[row + 1];
      if (!is_there) return;
      string = all.string[s];
      weight = static_cast<double>(all.c[s]);
    }
    /// Of a tile of j, in the parts of the block.
    PROJFGD_ON_DEVICE double& sum(Shared& shared, int t) const {
      return shared.parts[t][parity_of(string)][x_offset(string)][z_offset(string)];
    }
  };

  /// e_x(j) of both tiles of j for all offsets of x.
  template <class Block>
  PROJFGD_ON_DEVICE void make_weights(Block& block, Index team, Index own_tile) const {
    const auto high = static_cast<std::uint32_t>(own_tile) << tile_bits;
    const std::uint32_t begin = team_row[team], others = team_other[team], end = team_row[team + 1];
    // A thread has all strings of a slot: it needs no barrier between the first and the others.
    block.each([&](int thread, Own&, Shared& shared) {
      for (std::uint32_t row = begin; row < end; row += read_together) {
        Term next[read_together];
        PROJFGD_UNROLL
        for (int k = 0; k < read_together; ++k) next[k] = Term(*this, row + k, end, thread);
        PROJFGD_UNROLL
        for (int k = 0; k < read_together; ++k) {
          if (!next[k].is_there) continue;
          const std::uint32_t z = next[k].string.z;
          double first = signed_by(next[k].weight, z & (high | PauliGroups::negative));
          double second = z >> tile_bits & 1u ? -first : first;
          if (row + k >= others) {
            first += next[k].sum(shared, 0);
            second += next[k].sum(shared, 1);
          }
          next[k].sum(shared, 0) = first;
          next[k].sum(shared, 1) = second;
        }
      }
    });
    block.each([&](int thread, Own& own, Shared& shared) {
      const auto& row = shared.parts[thread / (2 * tile)][thread / tile % 2][thread % tile];
      PROJFGD_UNROLL
      for (int k = 0; k < tile; ++k) own.v[k] = row[k];
      walsh_hadamard(own.v);
    });
    block.each([&](int thread, Own& own, Shared& shared) {
      const int x = thread % tile;
      auto& part = shared.parts[thread / (2 * tile)][thread / tile % 2];
      PROJFGD_UNROLL
      for (int j = 0; j < tile; ++j) part[j ^ x][j] = own.v[j];
    });
  }
};

}  // namespace projfgd::device
