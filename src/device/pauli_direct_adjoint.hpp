// The adjoint product with Pauli strings one by one; see pauli_direct.hpp.
#pragma once

#include "device/pauli_direct.hpp"

namespace projfgd::device {

/// Two neighbouring tiles of rows of one column of (sum_s c_s P_s) V, over a share of the batches
/// of strings:
///   partial[share][j] = sum_x e_x(j) V[j^x],  e_x(j) = sum_z +-c_z (-1)^{z.j} (1 or i)
/// Every second warp works for one of the tiles.
template <class R>
struct DirectAdjoint {
  static constexpr int threads = direct_threads, at_once = 2, own_tiles = 2;
  struct Shared {
    Complex<R> theirs[own_tiles][direct_rows];
    DirectShared<R> strings;
    R weights[most_direct_chunks + 1][lanes];  // one of the chunk that is none is read ahead
    std::uint32_t signs[own_tiles][most_direct_chunks + 1][lanes];
    Complex<R> sums[direct_warps][direct_rows];
  };
  struct Own {
    Complex<R> sums[own_rows];
  };

  const Complex<R>* v;
  Index rows, tiles, columns, shares, batches;
  DirectTables::View tables;
  const R* c;
  Complex<R>* partial;

  PROJFGD_ON_DEVICE static Index groups(Index tiles) { return (tiles + own_tiles - 1) / own_tiles; }

  template <class Block>
  PROJFGD_ON_DEVICE void operator()(Block& block) const {
    const Index all_groups = groups(tiles);
    const Index share = block.index % shares;
    const Index first = block.index / shares % all_groups * own_tiles;
    const Index column = block.index / shares / all_groups;
    block.each_warp([&](int, Own& own, Shared&) {
      PROJFGD_UNROLL
      for (int a = 0; a < own_rows; ++a) own.sums[a] = {0, 0};
    });
    for (Index batch = share; batch < batches; batch += shares) {
      const std::uint32_t begin = tables.batch_chunk[batch];
      const int chunks = static_cast<int>(tables.batch_chunk[batch + 1] - begin);
      block.each([&](int thread, Own&, Shared& shared) {
        shared.strings.load(thread, tables, batch);
        PROJFGD_UNROLL
        for (int t = 0; t < own_tiles; ++t) {
          const Index row = ((first + t) ^ tables.batch_x[batch]) * direct_rows + thread;
          shared.theirs[t][thread] = row < rows ? v[column * rows + row] : Complex<R>{0, 0};
        }
        const auto high = static_cast<std::uint32_t>(first) << direct_bits;
        for (int k = thread; k < chunks * lanes; k += threads) {
          const int chunk = k / lanes;
          const std::uint32_t s = tables.chunk_string[begin + chunk] + k % lanes;
          if (s >= tables.chunk_string[begin + chunk + 1]) continue;
          const std::uint32_t string = tables.z[s];
          std::uint32_t signs = signs_of(string);
          if (is_odd(string & (high | PauliGroups::negative))) signs = ~signs;
          shared.weights[chunk][k % lanes] = c[s];
          shared.signs[0][chunk][k % lanes] = signs;
          shared.signs[1][chunk][k % lanes] = string >> direct_bits & 1u ? ~signs : signs;
        }
      });
      block.each([&](int thread, Own& own, Shared& shared) {
        const int warp = thread / lanes;
        for (int chunk = warp / own_tiles; chunk < chunks; chunk += direct_warps / own_tiles) {
          add(thread % lanes, warp % own_tiles, chunk, own, shared);
        }
      });
    }
    block.each([&](int thread, Own& own, Shared& shared) {
      PROJFGD_UNROLL
      for (int a = 0; a < own_rows; ++a) {
        shared.sums[thread / lanes][a * lanes + thread % lanes] = own.sums[a];
      }
    });
    block.each_warp([&](int thread, Own&, Shared& shared) {
      PROJFGD_UNROLL
      for (int t = 0; t < own_tiles; ++t) {
        const Index row = (first + t) * direct_rows + thread;
        if (row >= rows) continue;
        Complex<R> sum = shared.sums[t][thread];
        for (int warp = t + own_tiles; warp < direct_warps; warp += own_tiles) {
          sum = sum + shared.sums[warp][thread];
        }
        partial[(share * columns + column) * rows + row] = sum;
      }
    });
  }

 private:
  /// Adds what the strings of a chunk give to the rows of this thread.
  PROJFGD_ON_DEVICE static void add(int lane, int t, int chunk, Own& own, const Shared& shared) {
    const DirectShared<R>& strings = shared.strings;
    const R* weight = shared.weights[chunk];  // the next string is read ahead
    const std::uint32_t* sign = shared.signs[t][chunk];
    R next_weight = *weight;
    std::uint32_t next_sign = *sign;
    for (std::uint32_t i = strings.first_item[chunk]; i < strings.first_item[chunk + 1]; ++i) {
      const DirectItem item = strings.items[i];
      const int other = static_cast<int>(item.x) ^ lane;
      Complex<R> theirs[own_rows];
      PROJFGD_UNROLL
      for (int a = 0; a < own_rows; ++a) theirs[a] = shared.theirs[t][other ^ (a * lanes)];
      std::uint64_t signs = item.signs;
      OwnSigns<R> next = strings.signs[signs % own_rows];
      PROJFGD_UNROLL
      for (int list = 0; list < 2 * DirectItem::offsets; ++list) {
        int count = static_cast<int>(item.counts >> (4 * list) & 15u);
        if (count == 0) continue;
        R e[own_rows], terms[own_rows / 2];
        const auto next_terms = [&] {
          terms[0] = flipped(next_weight, next_sign << (31 - lane) & 1u << 31);
          next_weight = *++weight;
          next_sign = *++sign;
          PROJFGD_UNROLL
          for (int b = 1; b < own_bits; ++b) {
            PROJFGD_UNROLL
            for (int k = 0; k < 1 << (b - 1); ++k) terms[k | 1 << (b - 1)] = next.at[b] * terms[k];
          }
        };
        const auto after = [&] {
          signs >>= own_bits;
          next = strings.signs[signs % own_rows];
        };
        next_terms();
        PROJFGD_UNROLL
        for (int k = 0; k < own_rows / 2; ++k) {
          e[2 * k] = terms[k];
          e[2 * k + 1] = next.at[0] * terms[k];
        }
        after();
        PROJFGD_KEEP_LOOP
        while (--count > 0) {
          next_terms();
          PROJFGD_UNROLL
          for (int k = 0; k < own_rows / 2; ++k) {
            e[2 * k] += terms[k];
            e[2 * k + 1] += next.at[0] * terms[k];
          }
          after();
        }
        PROJFGD_UNROLL
        for (int a = 0; a < own_rows; ++a) {
          const Complex<R> partner = theirs[a ^ (list / 2)];
          if (list % 2 == 0) {
            own.sums[a].re += e[a] * partner.re;
            own.sums[a].im += e[a] * partner.im;
          } else {
            own.sums[a].re -= e[a] * partner.im;
            own.sums[a].im += e[a] * partner.re;
          }
        }
      }
    }
  }
};

}  // namespace projfgd::device
