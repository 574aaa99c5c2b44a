// Sums over the rows and over the columns of a matrix on a device, of several columns at a time.
#pragma once

#include <algorithm>

#include "device/complex.hpp"
#include "device/elements.hpp"

namespace projfgd::device {

/// Columns of a product that share one look at the matrix.
constexpr int columns_at_once = 4;
constexpr int lanes = 32;  // of a warp
/// Warps, and threads, that keep a GPU busy: some 30 warps on each of 132 multiprocessors.
constexpr Index enough_warps = Index{1} << 12, enough_threads = enough_warps * lanes;
/// Terms of a sum that are worth a thread.
constexpr Index terms_for_a_thread = 8;

inline Index strips_of(Index columns) { return (columns + columns_at_once - 1) / columns_at_once; }

/// What a matrix has at one place: a number, and the row of b that it multiplies.
template <class T>
struct MatrixEntry {
  Index row_of_b;
  T number;
};

/// out(i, c) = sum_e number_e b(row_e, c) over the entries e of row i of a matrix, which `Rows`
/// knows. A warp adds up a row, of which there may be several shares.
template <class T, class Rows>
struct RowSums {
  static constexpr int threads = 256, warps = threads / lanes;
  struct Own {};
  struct Shared {
    T sums[columns_at_once][threads];
  };

  Rows rows;  // rows.count; rows.begin(i), rows.end(i); rows.at(i, e)
  const T* b;
  Index height, columns;  // of b
  Index shares;
  T* out;  // of each share

  Index blocks() const { return (rows.count + warps - 1) / warps * strips_of(columns) * shares; }

  template <class Block>
  PROJFGD_ON_DEVICE void operator()(Block& block) const {
    const Index groups = (rows.count + warps - 1) / warps,
                strips = (columns + columns_at_once - 1) / columns_at_once;
    const Index first_row = block.index % groups * warps,
                first = block.index / groups % strips * columns_at_once,
                share = block.index / groups / strips;
    block.each_warp([&](int thread, Own&, Shared& shared) {
      const Index row = first_row + thread / lanes;
      T sum[columns_at_once]{};
      if (row < rows.count) {
        const Index end = rows.end(row), step = shares * lanes;
        for (Index e = rows.begin(row) + share * lanes + thread % lanes; e < end; e += step) {
          const MatrixEntry<T> entry = rows.at(row, e);
          PROJFGD_UNROLL
          for (int c = 0; c < columns_at_once; ++c) {
            if (first + c >= columns) break;
            sum[c] = sum[c] + product(entry.number, b[entry.row_of_b + (first + c) * height]);
          }
        }
      }
      PROJFGD_UNROLL
      for (int c = 0; c < columns_at_once; ++c) shared.sums[c][thread] = sum[c];
    });
    for (int half = lanes / 2; half > 0; half /= 2) {
      block.each_warp([&](int thread, Own&, Shared& shared) {
        if (thread % lanes >= half) return;
        PROJFGD_UNROLL
        for (int c = 0; c < columns_at_once; ++c) {
          shared.sums[c][thread] = shared.sums[c][thread] + shared.sums[c][thread + half];
        }
      });
    }
    block.each_warp([&](int thread, Own&, Shared& shared) {
      const int c = thread % lanes;
      const Index row = first_row + thread / lanes;
      if (c >= columns_at_once || row >= rows.count || first + c >= columns) return;
      out[(share * columns + first + c) * rows.count + row] = shared.sums[c][thread - c];
    });
  }
};

/// The rows of a full matrix, one after the other.
template <class T>
struct FullRows {
  const T* numbers;
  Index count, width;
  PROJFGD_ON_DEVICE Index begin(Index) const { return 0; }
  PROJFGD_ON_DEVICE Index end(Index) const { return width; }
  PROJFGD_ON_DEVICE MatrixEntry<T> at(Index row, Index e) const {
    return {e, numbers[row * width + e]};
  }
};

/// out(k, c) = sum_i a(i, k) b(i, c), or of conj(a(i, k)). A thread adds up a share of the rows.
template <class T>
struct ColumnSums {
  FullRows<T> a;
  bool conjugated;
  const T* b;
  Index columns, shares;
  T* out;  // of each share

  Index threads() const { return a.width * strips_of(columns) * shares; }

  PROJFGD_ON_DEVICE void operator()(Index i) const {
    const Index strips = (columns + columns_at_once - 1) / columns_at_once;
    const Index k = i % a.width, first = i / a.width % strips * columns_at_once,
                share = i / a.width / strips;
    T sum[columns_at_once]{};
    for (Index row = share; row < a.count; row += shares) {
      T number = a.numbers[row * a.width + k];
      if (conjugated) number = conjugate(number);
      PROJFGD_UNROLL
      for (int c = 0; c < columns_at_once; ++c) {
        if (first + c >= columns) break;
        sum[c] = sum[c] + product(number, b[row + (first + c) * a.count]);
      }
    }
    PROJFGD_UNROLL
    for (int c = 0; c < columns_at_once; ++c) {
      if (first + c < columns) out[(share * columns + first + c) * a.width + k] = sum[c];
    }
  }
};

/// out = the sum of the shares.
template <class T>
struct AddShares {
  const T* parts;
  Index size, shares;
  T* out;
  PROJFGD_ON_DEVICE void operator()(Index i) const {
    T sum = parts[i];
    for (Index share = 1; share < shares; ++share) sum = sum + parts[share * size + i];
    out[i] = sum;
  }
};

/// Shares in which so many sums of so many terms keep a GPU busy.
inline Index shares_of_terms(Index sums, Index terms, Index enough) {
  return std::clamp<Index>(enough / std::max<Index>(sums, 1), 1,
                           std::max<Index>(1, terms / terms_for_a_thread));
}

/// Runs what writes `size` numbers for each share, and leaves their sum at `out`.
template <class S, class Run>
void add_shares(Index shares, Index size, Array<S>& room, S* out, const Run& run) {
  if (shares == 1) return run(seen(out));
  room.resize(std::max(room.size(), shares * size));
  run(seen(room.data()));
  for_each(size, AddShares<SeenAs<S>>{seen(room.data()), size, shares, seen(out)});
}

}  // namespace projfgd::device
