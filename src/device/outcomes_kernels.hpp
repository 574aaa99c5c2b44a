// Settings in parts: butterflies of their qubits, outcomes that were seen, and sums over settings;
// see device/outcomes.hpp.
#pragma once

#include <algorithm>
#include <cstdint>

#include "device/complex.hpp"
#include "device/elements.hpp"

namespace projfgd::device {

/// Amplitudes that a block holds: 32 kB in double precision, of the 48 that every GPU has.
constexpr int amplitude_bits = 11;
/// Numbers in a row that a block reads at least where its qubits are high ones: two sectors of
/// memory.
constexpr int run_bits = 2;
/// Bytes for the amplitudes of the settings that go together.
constexpr double work_bytes = 256e6;
/// Sums over settings that run side by side, so that a GPU is busy: some 1000 on each of 132
/// multiprocessors.
constexpr Index enough_sums = Index{1} << 17;

constexpr int gate_size = 8;  // numbers of a gate

/// The qubits [from, from + count) of a pass, and the tiles that it takes amplitudes in: 2^run
/// neighbours for each state of these qubits.
struct Pass {
  int from, count, run;

  static Pass starting_at(int from, int qubits) {
    const int count = std::min(qubits - from, amplitude_bits - std::min(from, run_bits));
    return {from, count, std::min(from, amplitude_bits - count)};
  }
  PROJFGD_ON_DEVICE int bits() const { return count + run; }
  /// Where the amplitude `at` of tile `tile` is.
  PROJFGD_ON_DEVICE Index place(Index tile, Index at) const {
    const Index lows = Index{1} << (from - run), low = tile & (lows - 1),
                high = tile >> (from - run);
    return (((high << count) + (at >> run)) << from) + (low << run) +
           (at & ((Index{1} << run) - 1));
  }
};

/// Columns of 2^bits amplitudes that fit a tile.
inline Index columns_together(const Pass& pass) {
  return Index{1} << (amplitude_bits - pass.bits());
}

/// Butterflies of one pass over the amplitudes of settings and columns:
///   out = V_s in, or V_s^H (weights in).
template <class R>
struct RotateKernel {
  static constexpr int threads = 256;
  struct Own {};
  struct Shared {
    Complex<R> at[1 << amplitude_bits];
  };

  Pass pass;
  Index rows, columns, tiles;
  Index together;  // columns that share a block, where one is smaller than a tile
  int qubits;
  bool adjoint;
  const std::uint8_t* basis;  // of the first setting here
  const R *gates, *weights;   // one for each setting and outcome; null: none
  const Complex<R>* in;
  Index in_stride;  // from one setting to the next; 0: all have the same
  Complex<R>* out;

  /// Row k of the gate, or column k conjugate: out_k = a x + b y.
  struct Row {
    Complex<R> a, b;
  };
  PROJFGD_ON_DEVICE Row row(const R* gate, int k) const {
    if (!adjoint) return {{gate[4 * k], gate[4 * k + 1]}, {gate[4 * k + 2], gate[4 * k + 3]}};
    return {{gate[2 * k], -gate[2 * k + 1]}, {gate[4 + 2 * k], -gate[4 + 2 * k + 1]}};
  }
  PROJFGD_ON_DEVICE static Complex<R> apply(const Row& row, const Complex<R>& x,
                                            const Complex<R>& y) {
    return {row.a.re * x.re - row.a.im * x.im + row.b.re * y.re - row.b.im * y.im,
            row.a.re * x.im + row.a.im * x.re + row.b.re * y.im + row.b.im * y.re};
  }

  template <class Block>
  PROJFGD_ON_DEVICE void operator()(Block& block) const {
    const Index groups = (columns + together - 1) / together;
    const Index tile = block.index % tiles, column = block.index / tiles % groups * together;
    const Index setting = block.index / tiles / groups, one = Index{1} << pass.bits();
    const Index size = one * (together < columns - column ? together : columns - column);
    const Complex<R>* const from = in + setting * in_stride + column * rows;
    Complex<R>* const to = out + (setting * columns + column) * rows;
    block.each([&](int thread, Own&, Shared& shared) {
      for (Index at = thread; at < size; at += threads) {
        const Index k = pass.place(tile, at & (one - 1));
        Complex<R> value = from[at / one * rows + k];
        if (weights != nullptr) {
          const R weight = weights[setting * rows + k];
          value.re *= weight;
          value.im *= weight;
        }
        shared.at[at] = value;
      }
    });
    for (int j = 0; j < pass.count; ++j) {
      const int letter = basis[setting * qubits + pass.from + j];
      if (letter == 2) continue;  // Z, for whom the amplitudes are what they are
      const R* const gate = gates + letter * gate_size;
      block.each([&](int thread, Own&, Shared& shared) {
        const Row first = row(gate, 0), second = row(gate, 1);
        const Index apart = Index{1} << (pass.run + j);
        for (Index pair = thread; pair < size / 2; pair += threads) {
          const Index a = (pair & ~(apart - 1)) * 2 + (pair & (apart - 1)), b = a + apart;
          const Complex<R> x = shared.at[a], y = shared.at[b];
          shared.at[a] = apply(first, x, y);
          shared.at[b] = apply(second, x, y);
        }
      });
    }
    block.each([&](int thread, Own&, Shared& shared) {
      for (Index at = thread; at < size; at += threads) {
        to[at / one * rows + pass.place(tile, at & (one - 1))] = shared.at[at];
      }
    });
  }
};

/// p_k = sum_c Re a_{k,c} conj(b_{k,c}) for the outcomes of one setting after the other.
template <class R>
struct Chances {
  const Complex<R>*a, *b;
  Index rows, columns;
  R* p;
  PROJFGD_ON_DEVICE void operator()(Index i) const {
    const Index first = i / rows * rows * columns + i % rows;
    R sum = 0;
    for (Index c = 0; c < columns; ++c) {
      const Complex<R> x = a[first + c * rows], y = b[first + c * rows];
      sum += x.re * y.re + x.im * y.im;
    }
    p[i] = sum;
  }
};

/// What a detector makes of two outcomes that differ in one qubit.
template <class R>
struct Misread {
  R c00, c01, c10, c11;
  Index apart;
  R* p;
  PROJFGD_ON_DEVICE void operator()(Index pair) const {
    const Index a = (pair & ~(apart - 1)) * 2 + (pair & (apart - 1));
    const R x = p[a], y = p[a + apart];
    p[a] = c00 * x + c01 * y;
    p[a + apart] = c10 * x + c11 * y;
  }
};

/// y = p of the outcomes that were seen; those of setting s have s places of sums before them.
template <class R>
struct TakeSeen {
  const std::uint32_t *outcome, *owner;
  Index first, first_setting, rows;
  const R* p;
  R* y;
  PROJFGD_ON_DEVICE void operator()(Index i) const {
    const Index k = first + i, setting = owner[k];
    y[k + setting] = p[(setting - first_setting) * rows + outcome[k]];
  }
};

/// The last number of each setting, of all outcomes that were not seen: the trace less the others.
template <class R>
struct TakeRest {
  static constexpr int threads = loop_threads;
  struct Own {};
  struct Shared {
    double sums[threads];
  };
  const Index* begin;
  double trace;
  R* y;

  template <class Block>
  PROJFGD_ON_DEVICE void operator()(Block& block) const {
    const Index setting = block.index, first = begin[setting], end = begin[setting + 1];
    block.each([&](int thread, Own&, Shared& shared) {
      double sum = 0;
      for (Index k = first + thread; k < end; k += threads) sum += y[k + setting];
      shared.sums[thread] = sum;
    });
    for (int half = threads / 2; half > 0; half /= 2) {
      block.each([&](int thread, Own&, Shared& shared) {
        if (thread < half) shared.sums[thread] += shared.sums[thread + half];
      });
    }
    block.each([&](int thread, Own&, Shared& shared) {
      if (thread == 0) y[end + setting] = static_cast<R>(trace - shared.sums[0]);
    });
  }
};

/// The weight of an outcome that was seen, beyond that of those that were not.
template <class R>
struct PutSeen {
  const std::uint32_t *outcome, *owner;
  const Index* begin;
  Index first, first_setting, rows;
  const R* w;
  R* weights;
  PROJFGD_ON_DEVICE void operator()(Index i) const {
    const Index k = first + i, setting = owner[k];
    weights[(setting - first_setting) * rows + outcome[k]] =
        w[k + setting] - w[begin[setting + 1] + setting];
  }
};

template <class R>
struct RestOf {
  const Index* begin;
  const R* w;
  PROJFGD_ON_DEVICE double operator()(Index, Index setting) const {
    return w[begin[setting + 1] + setting];
  }
};

/// sums[share][i] += sum of a[setting][i] over a share of the settings here, or = at the beginning.
template <class R>
struct AddSettings {
  const R* a;
  Index size, count, shares;
  bool begins;
  R* sums;
  PROJFGD_ON_DEVICE void operator()(Index i) const {
    const Index share = i / size;
    R sum = begins ? R(0) : sums[i];
    for (Index s = share; s < count; s += shares) sum += a[s * size + i % size];
    sums[i] = sum;
  }
};

/// g = rest v + the sum of the shares.
template <class R>
struct AddSettingShares {
  const R *sums, *v;
  Index size, shares;
  R rest;
  R* g;
  PROJFGD_ON_DEVICE void operator()(Index i) const {
    R sum = rest * v[i];
    for (Index share = 0; share < shares; ++share) sum += sums[share * size + i];
    g[i] = sum;
  }
};

/// Settings that go together.
template <class R>
Index batch_of(Index rows, Index columns, Index settings) {
  const double each = 2.0 * sizeof(R) * static_cast<double>(rows) * static_cast<double>(columns);
  return std::clamp<Index>(static_cast<Index>(work_bytes / each), 1, settings);
}

inline Index setting_shares(Index size, Index batch) {
  return std::clamp<Index>(enough_sums / size, 1, std::max<Index>(1, batch));
}

template <class R>
const Complex<R>* amplitudes(const Array<R>& work) {
  return reinterpret_cast<const Complex<R>*>(work.data());
}

}  // namespace projfgd::device
