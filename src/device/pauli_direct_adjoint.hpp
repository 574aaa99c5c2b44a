// The adjoint product with Pauli strings one by one; see pauli_direct.hpp.
#pragma once

#include "device/pauli_direct.hpp"

namespace projfgd::device {

/// One tile of rows of one column of (sum_s c_s P_s) V, over a share of the batches of strings:
///   partial[share][j] = sum_x e_x(j) V[j^x],  e_x(j) = sum_z +-c_z (-1)^{z.j} (1 or i)
/// The warps take one chunk after the other, and their sums are added up at the end.
template <class R>
struct DirectAdjoint {
  static constexpr int threads = direct_threads, at_once = direct_blocks_at_once<R>;
  struct Strings {
    R weights[most_direct_chunks + 1][lanes];  // one of the chunk that is none is read ahead
    std::uint32_t signs[most_direct_chunks + 1][lanes];
  };
  struct Shared {
    Complex<R> theirs[direct_rows];
    DirectShared strings;
    union {
      Strings of;
      Complex<R> sums[direct_warps][direct_rows];
    };
  };
  struct Own {
    Complex<R> sums[own_rows];
  };

  const Complex<R>* v;
  Index rows, tiles, columns, shares, batches;
  DirectTables::View tables;
  const R* c;
  Complex<R>* partial;

  template <class Block>
  PROJFGD_ON_DEVICE void operator()(Block& block) const {
    const auto share = static_cast<std::uint32_t>(block.index % shares);
    const auto here = static_cast<std::uint32_t>(block.index / shares % tiles);
    const Index column = block.index / shares / tiles;
    block.each_warp([&](int, Own& own, Shared&) {
      PROJFGD_UNROLL
      for (int a = 0; a < own_rows; ++a) own.sums[a] = {0, 0};
    });
    for (std::uint32_t batch = share; batch < static_cast<std::uint32_t>(batches);
         batch += static_cast<std::uint32_t>(shares)) {
      const std::uint32_t begin = tables.batch_chunk[batch];
      const int chunks = static_cast<int>(tables.batch_chunk[batch + 1] - begin);
      block.each([&](int thread, Own&, Shared& shared) {
        shared.strings.load(thread, tables, batch);
        const std::uint32_t there = (here ^ tables.batch_x[batch]) * direct_rows;
        for (std::uint32_t k = thread; k < direct_rows; k += threads) {
          const bool is_there = there + k < static_cast<std::uint32_t>(rows);
          shared.theirs[k] = is_there ? v[column * rows + there + k] : Complex<R>{0, 0};
        }
        for (int k = thread; k < chunks * lanes; k += threads) {
          const int chunk = k / lanes;
          const std::uint32_t s = tables.chunk_string[begin + chunk] + k % lanes;
          if (s >= tables.chunk_string[begin + chunk + 1]) continue;
          const std::uint32_t z = tables.z[s], signs = signs_of(z);
          const bool negative = is_odd(z & (here << direct_bits | PauliGroups::negative));
          shared.of.weights[chunk][k % lanes] = c[s];
          shared.of.signs[chunk][k % lanes] = negative ? ~signs : signs;
        }
      });
      block.each([&](int thread, Own& own, Shared& shared) {
        for (int chunk = thread / lanes; chunk < chunks; chunk += direct_warps) {
          add(thread % lanes, chunk, own, shared);
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
      for (int k = thread; k < direct_rows; k += threads) {
        const Index row = here * Index{direct_rows} + k;
        if (row >= rows) continue;
        Complex<R> sum = shared.sums[0][k];
        for (int warp = 1; warp < direct_warps; ++warp) sum = sum + shared.sums[warp][k];
        partial[(share * columns + column) * rows + row] = sum;
      }
    });
  }

 private:
  /// Adds what the strings of a chunk give to the rows of this thread.
  PROJFGD_ON_DEVICE static void add(int lane, int chunk, Own& own, const Shared& shared) {
    const DirectShared& strings = shared.strings;
    const R* weight = shared.of.weights[chunk];  // the next string is read ahead
    const std::uint32_t* sign = shared.of.signs[chunk];
    R next_weight = *weight;
    std::uint32_t next_sign = *sign;
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
        R e[pairs], signs[pair_signs];  // e_x of the first of two rows; and of the second, or -e_x
        const auto next = [&] {
          take_signs(words, signs);
          const R first = flipped(next_weight, next_sign << (31 - lane) & 1u << 31);
          next_weight = *++weight;
          next_sign = *++sign;
          return first;
        };
        e[0] = next();
        PROJFGD_UNROLL
        for (int b = 0; b < pair_signs; ++b) {
          PROJFGD_UNROLL
          for (int k = 0; k < 1 << b; ++k) e[k | 1 << b] = signs[b] * e[k];
        }
        PROJFGD_KEEP_LOOP
        while (--count > 0) {
          constexpr int half = pairs / 2;
          R terms[half];
          terms[0] = next();
          PROJFGD_UNROLL
          for (int b = 0; b < pair_signs - 1; ++b) {
            PROJFGD_UNROLL
            for (int k = 0; k < 1 << b; ++k) terms[k | 1 << b] = signs[b] * terms[k];
          }
          PROJFGD_UNROLL
          for (int k = 0; k < half; ++k) {
            e[k] += terms[k];
            e[k | half] += signs[pair_signs - 1] * terms[k];
          }
        }
        PROJFGD_UNROLL
        for (int a = 0; a < own_rows; ++a) {
          const R factor = list.minus && a % 2 != 0 ? -e[a / 2] : e[a / 2];
          const Complex<R> partner = theirs[a ^ list.x];
          if (list.imaginary) {
            own.sums[a].re -= factor * partner.im;
            own.sums[a].im += factor * partner.re;
          } else {
            own.sums[a].re += factor * partner.re;
            own.sums[a].im += factor * partner.im;
          }
        }
      }
    }
  }
};

}  // namespace projfgd::device
