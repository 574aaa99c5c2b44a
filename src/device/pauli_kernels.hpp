// Products with many Pauli strings or columns: all products of two tiles of rows at once, and their
// Walsh-Hadamard transforms; see device/pauli.hpp.
#pragma once

#include <algorithm>

#include "device/elements.hpp"
#include "device/pauli_tiles.hpp"

namespace projfgd::device {

/// Threads in a block, each with 4 x 2 of the products of two tiles; half of them take a row and
/// part of a transform each.
constexpr int team_threads = tile * tile / 8;
static_assert(team_threads >= 2 * tile);
/// Strings that a thread adds up in its registers, and columns that a forward product loads at
/// once.
constexpr int sums_per_thread = 16;
constexpr int loaded_columns = 8;
/// Columns of an adjoint product that go together, because its weights are made for all of them.
constexpr int columns_together = 24;
/// Blocks that keep a large GPU busy: some eight on each of 132 multiprocessors.
constexpr Index enough_blocks = 1024;

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

/// (-1)^{bits of mask}
template <class R>
PROJFGD_ON_DEVICE R signed_by(R value, std::uint32_t mask) {
  return is_odd(mask) ? -value : value;
}

/// The rows of one tile, as many columns as go together: [column][offset]. Of a factor whose rows
/// are fewer than a tile, the rest is 0.
template <class R, int columns>
struct TileRows {
  Complex<R> at[columns][tile];

  PROJFGD_ON_DEVICE void load(int offset, const Complex<R>* factor, Index rows, Index first,
                              Index column, int slot, int to) {
    const Index row = first + offset;
    at[slot][to] = row < rows ? factor[row + column * rows] : Complex<R>{0, 0};
  }
};

/// Where an offset lies of which threads read every group-th: so that they read neighbours.
template <int group>
PROJFGD_ON_DEVICE int by_groups(int offset) {
  return offset % group * (tile / group) + offset / group;
}

/// Sums of one batch of strings, which share the tile X of x, over a share of the tiles of j:
///   partial[share][s] = +- sum_j (-1)^{z.j} (Re or Im) w_x(j)
template <class R>
struct ForwardKernel {
  static constexpr int threads = team_threads, at_once = 4;
  static constexpr int own_rows = 4, partner_rows = 2;  // of a thread
  struct Shared {
    TileRows<R, loaded_columns> own, partner;
    R parts[2][tile][pitch];  // real and imaginary parts, by the offset of x
  };
  struct Own {
    R re[own_rows][partner_rows], im[own_rows][partner_rows];
    R sums[sums_per_thread];
  };

  const Complex<R>*u, *d;  // columns [U D] and [D U] where cross is set
  bool cross;
  Index rows, tiles, columns, strings, shares;
  const std::uint32_t *batch_x, *batch_string, *z;
  const std::uint16_t* slot;
  R* partial;

  /// Products of one loaded column, own rows with partners.
  PROJFGD_ON_DEVICE static void multiply(int thread, Own& own, const Shared& shared, int c) {
    const int a = thread % (tile / own_rows), b = thread / (tile / own_rows);
    Complex<R> left[own_rows], right[partner_rows];
    PROJFGD_UNROLL
    for (int e = 0; e < own_rows; ++e) left[e] = shared.own.at[c][e * (tile / own_rows) + a];
    PROJFGD_UNROLL
    for (int f = 0; f < partner_rows; ++f) {
      right[f] = shared.partner.at[c][f * (tile / partner_rows) + b];
    }
    PROJFGD_UNROLL
    for (int e = 0; e < own_rows; ++e) {
      PROJFGD_UNROLL
      for (int f = 0; f < partner_rows; ++f) {  // conj(right) left
        own.re[e][f] += right[f].re * left[e].re + right[f].im * left[e].im;
        own.im[e][f] += right[f].re * left[e].im - right[f].im * left[e].re;
      }
    }
  }

  template <class Block>
  PROJFGD_ON_DEVICE void operator()(Block& block) const {
    const Index batch = block.index / shares, share = block.index % shares;
    const Index x_tile = batch_x[batch];
    const Index begin = batch_string[batch], count = batch_string[batch + 1] - begin;
    block.each([&](int, Own& own, Shared&) {
      PROJFGD_UNROLL
      for (int i = 0; i < sums_per_thread; ++i) own.sums[i] = 0;
    });
    Index top = x_tile;  // the highest bit of X: of J and J^X one has it, and both say the same
    while ((top & (top - 1)) != 0) top &= top - 1;
    for (Index own_tile = share; own_tile < tiles; own_tile += shares) {
      if ((own_tile & top) != 0) continue;
      const Index partner_tile = own_tile ^ x_tile;
      const Index all = cross ? 2 * columns : columns;
      for (Index first = 0; first < all; first += loaded_columns) {
        const int loaded =
            static_cast<int>(first + loaded_columns < all ? loaded_columns : all - first);
        block.each([&](int thread, Own&, Shared& shared) {
          const int offset = thread % tile;
          const bool mine = thread / tile % 2 == 0;
          for (int c = thread / (2 * tile); c < loaded; c += threads / (2 * tile)) {
            const Index column = (first + c) % columns;
            const bool second = first + c >= columns;
            const Complex<R>* const factor = mine == second ? d : u;
            if (mine) {
              shared.own.load(offset, factor, rows, own_tile * tile, column, c,
                              by_groups<own_rows>(offset));
            } else {
              shared.partner.load(offset, factor, rows, partner_tile * tile, column, c,
                                  by_groups<partner_rows>(offset));
            }
          }
        });
        block.each([&](int thread, Own& own, Shared& shared) {
          if (first == 0) {
            PROJFGD_UNROLL
            for (int e = 0; e < own_rows; ++e) {
              PROJFGD_UNROLL
              for (int f = 0; f < partner_rows; ++f) own.re[e][f] = own.im[e][f] = 0;
            }
          }
          for (int c = 0; c < loaded; ++c) multiply(thread, own, shared, c);
        });
      }
      block.each([&](int thread, Own& own, Shared& shared) {
        const int a = thread % (tile / own_rows), b = thread / (tile / own_rows);
        PROJFGD_UNROLL
        for (int e = 0; e < own_rows; ++e) {
          PROJFGD_UNROLL
          for (int f = 0; f < partner_rows; ++f) {
            const int j = own_rows * a + e, x = j ^ (partner_rows * b + f);
            shared.parts[0][x][j] = own.re[e][f];
            shared.parts[1][x][j] = own.im[e][f];
          }
        }
      });
      block.each([&](int thread, Own&, Shared& shared) {
        if (thread >= 2 * tile) return;
        R(&row)[pitch] = shared.parts[thread / tile][thread % tile];
        R v[tile];
        PROJFGD_UNROLL
        for (int k = 0; k < tile; ++k) v[k] = row[k];
        walsh_hadamard(v);
        PROJFGD_UNROLL
        for (int k = 0; k < tile; ++k) row[k] = v[k];
      });
      block.each([&](int thread, Own& own, Shared& shared) {
        const auto high = static_cast<std::uint32_t>(own_tile) << tile_bits;
        PROJFGD_UNROLL
        for (int i = 0; i < sums_per_thread; ++i) {
          const Index s = static_cast<Index>(i) * threads + thread;
          if (s >= count) break;
          const std::uint32_t at = slot[begin + s], string = z[begin + s];
          const R sum = shared.parts[at / odd_slot][at / tile % tile][at % tile];
          own.sums[i] += signed_by(sum, string & (high | PauliGroups::negative));
        }
      });
    }
    const R twice = x_tile == 0 ? R(1) : R(2);
    block.each([&](int thread, Own& own, Shared&) {
      PROJFGD_UNROLL
      for (int i = 0; i < sums_per_thread; ++i) {
        const Index s = static_cast<Index>(i) * threads + thread;
        if (s < count) partial[share * strings + begin + s] = twice * own.sums[i];
      }
    });
  }
};

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

/// One tile of rows of (sum_s c_s P_s) V, as many columns as go together, over a share of the
/// tiles X:
///   partial[share][j] = sum_x e_x(j) V[j^x],  e_x(j) = sum_z +-c_z (-1)^{z.j} (1 or i)
/// A lane is a row, and the columns are dealt to the warps.
template <class R>
struct AdjointKernel {
  static constexpr int threads = team_threads, at_once = 4, warps = threads / tile;
  static constexpr int own_columns = columns_together / warps;
  static_assert(columns_together % warps == 0);
  struct Shared {
    TileRows<R, columns_together> partner;
    R parts[2][tile][pitch];
  };
  struct Own {
    R v[tile];
    Complex<R> sums[own_columns];
  };

  const Complex<R>* v;
  Index rows, tiles, columns, shares, teams;
  const std::uint32_t *team_x, *team_run, *run, *z;
  const std::uint16_t* slot;
  const R* c;
  Complex<R>* partial;

  /// e_x(j) for one tile of j and all offsets of x, as parts[.][offset of j^x][offset of j].
  template <class Block>
  PROJFGD_ON_DEVICE void make_weights(Block& block, Index team, Index own_tile) const {
    block.each([&](int thread, Own&, Shared& shared) {
      const auto high = static_cast<std::uint32_t>(own_tile) << tile_bits;
      for (Index k = team_run[team] + thread; k < team_run[team + 1]; k += threads) {
        R sum = 0;
        for (Index s = run[k]; s < run[k + 1]; ++s) {
          sum += signed_by(c[s], z[s] & (high | PauliGroups::negative));
        }
        const std::uint32_t at = slot[run[k]];
        shared.parts[at / odd_slot][at / tile % tile][at % tile] = sum;
      }
    });
    block.each([&](int thread, Own& own, Shared& shared) {
      if (thread >= 2 * tile) return;
      const R(&row)[pitch] = shared.parts[thread / tile][thread % tile];
      PROJFGD_UNROLL
      for (int k = 0; k < tile; ++k) own.v[k] = row[k];
      walsh_hadamard(own.v);
    });
    block.each([&](int thread, Own& own, Shared& shared) {
      if (thread >= 2 * tile) return;
      const int x = thread % tile;
      PROJFGD_UNROLL
      for (int j = 0; j < tile; ++j) shared.parts[thread / tile][j ^ x][j] = own.v[j];
    });
  }

  template <class Block>
  PROJFGD_ON_DEVICE void operator()(Block& block) const {
    const Index share = block.index % shares, own_tile = block.index / shares % tiles;
    const Index first = block.index / shares / tiles * columns_together;
    const int together =
        static_cast<int>(first + columns_together < columns ? columns_together : columns - first);
    block.each([&](int, Own& own, Shared&) {
      PROJFGD_UNROLL
      for (int k = 0; k < own_columns; ++k) own.sums[k] = {0, 0};
    });
    for (Index team = share; team < teams; team += shares) {
      const Index partner_tile = own_tile ^ team_x[team];
      block.each([&](int thread, Own&, Shared& shared) {  // and what strings do not fill
        for (int k = thread / tile; k < together; k += warps) {
          shared.partner.load(thread % tile, v, rows, partner_tile * tile, first + k, k,
                              thread % tile);
        }
        for (int k = thread; k < 2 * tile * pitch; k += threads) {
          shared.parts[k / (tile * pitch)][k / pitch % tile][k % pitch] = 0;
        }
      });
      make_weights(block, team, own_tile);
      block.each([&](int thread, Own& own, Shared& shared) {
        const int j = thread % tile, warp = thread / tile;
        for (int p = 0; p < tile; ++p) {
          const R re = shared.parts[0][p][j], im = shared.parts[1][p][j];
          PROJFGD_UNROLL
          for (int k = 0; k < own_columns; ++k) {
            if (k * warps + warp >= together) break;
            const Complex<R> entry = shared.partner.at[k * warps + warp][p];
            own.sums[k].re += re * entry.re - im * entry.im;
            own.sums[k].im += re * entry.im + im * entry.re;
          }
        }
      });
    }
    block.each([&](int thread, Own& own, Shared&) {
      const Index row = own_tile * tile + thread % tile;
      if (row >= rows) return;
      PROJFGD_UNROLL
      for (int k = 0; k < own_columns; ++k) {
        const int column = k * warps + thread / tile;
        if (column >= together) break;
        partial[(share * columns + first + column) * rows + row] = own.sums[k];
      }
    });
  }
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

inline Index tiles_of(Index rows) { return std::max<Index>(1, rows / tile); }

/// Shares of a sum over `parts`, for `blocks` blocks each.
inline Index shares_of(Index blocks, Index parts) {
  return std::clamp<Index>(enough_blocks / std::max<Index>(blocks, 1), 1, parts);
}

template <class S>
const Complex<RealOf<S>>* entries(const DeviceFactor<S>& u) {
  return reinterpret_cast<const Complex<RealOf<S>>*>(u.data());
}

}  // namespace projfgd::device
