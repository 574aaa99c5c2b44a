#include <algorithm>
#include <array>
#include <cmath>
#include <complex>

#include "device/complex.hpp"
#include "device/elements.hpp"
#include "operators/product_basis_kernels.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/device/outcomes.hpp"

namespace projfgd {

namespace device {
namespace {

/// Amplitudes that a block holds: 32 kB in double precision, of the 48 that every GPU has.
constexpr int tile_bits = 11;
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
    const int count = std::min(qubits - from, tile_bits - std::min(from, run_bits));
    return {from, count, std::min(from, tile_bits - count)};
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
Index columns_together(const Pass& pass) { return Index{1} << (tile_bits - pass.bits()); }

/// Butterflies of one pass over the amplitudes of settings and columns:
///   out = V_s in, or V_s^H (weights in).
template <class R>
struct RotateKernel {
  static constexpr int threads = 256;
  struct Own {};
  struct Shared {
    Complex<R> at[1 << tile_bits];
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
struct AddShares {
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

Index shares_of(Index size, Index batch) {
  return std::clamp<Index>(enough_sums / size, 1, std::max<Index>(1, batch));
}

template <class R>
const Complex<R>* amplitudes(const Array<R>& work) {
  return reinterpret_cast<const Complex<R>*>(work.data());
}

}  // namespace
}  // namespace device

template <class S>
DeviceOutcomesOperator<S>::DeviceOutcomesOperator(const std::vector<Setting>& settings,
                                                  const std::vector<QubitBasis>& bases,
                                                  const Readout& readout)
    : DeviceOutcomesOperator(settings, bases, readout, nullptr) {}

template <class S>
DeviceOutcomesOperator<S>::DeviceOutcomesOperator(const SeenOutcomes& seen,
                                                  const std::vector<QubitBasis>& bases,
                                                  const Readout& readout)
    : DeviceOutcomesOperator(seen.settings, bases, readout, &seen) {}

template <class S>
DeviceOutcomesOperator<S>::DeviceOutcomesOperator(const std::vector<Setting>& settings,
                                                  const std::vector<QubitBasis>& bases,
                                                  const Readout& readout, const SeenOutcomes* seen)
    : qubits_(checked_qubits(settings, bases)),
      settings_(static_cast<Index>(settings.size())),
      all_(seen == nullptr) {
  if (!readout.empty()) validate(readout, qubits_);
  if (readout.full.size() > 0) {
    throw InputError("readout: found a matrix over all outcomes, expected one for each qubit");
  }
  for (const auto& c : readout.per_qubit) {
    errors_.push_back({static_cast<Real>(c[0][0]), static_cast<Real>(c[0][1]),
                       static_cast<Real>(c[1][0]), static_cast<Real>(c[1][1])});
  }
  std::vector<std::uint8_t> letters;
  for (const Setting& setting : settings) {
    letters.insert(letters.end(), setting.begin(), setting.end());
  }
  std::vector<Real> gates;
  for (const QubitBasis& basis : bases) {
    for (int k = 0; k < 4; ++k) {
      gates.push_back(static_cast<Real>(basis[k / 2][k % 2].real()));
      gates.push_back(static_cast<Real>(basis[k / 2][k % 2].imag()));
    }
  }
  device::put(letters, basis_);
  device::put(gates, gates_);
  if (all_) return;
  first_ = seen->first;
  seen_ = static_cast<Index>(seen->outcomes.size());
  require_size("first outcomes of the settings", static_cast<Index>(first_.size()), settings_ + 1);
  require_size("outcomes", seen_, first_.back());
  std::vector<std::uint32_t> owner;
  for (Index s = 0; s < settings_; ++s) {
    owner.insert(owner.end(), static_cast<std::size_t>(seen->count(s)),
                 static_cast<std::uint32_t>(s));
  }
  for (const std::uint32_t outcome : seen->outcomes) {
    if (outcome >= rows()) {
      throw InputError("outcomes: found " + std::to_string(outcome) + ", expected less than " +
                       std::to_string(rows()));
    }
  }
  device::put(first_, begin_);
  device::put(seen->outcomes, outcome_);
  device::put(owner, owner_);
}

template <class S>
double DeviceOutcomesOperator<S>::bytes(int qubits, double settings, double seen, Index columns) {
  const double rows = std::ldexp(1., qubits), numbers = 2 * rows * static_cast<double>(columns);
  const double batch =
      std::clamp(std::floor(device::work_bytes / (sizeof(Real) * numbers)), 1., settings);
  const double measurements = seen > 0 ? seen + settings : settings * rows;
  const double shares =
      std::max(1., std::min(static_cast<double>(device::enough_sums) / numbers, batch));
  constexpr double vectors = 2, factors = 3, rotated = 2;
  const double tables =
      settings * (qubits + sizeof(Index)) + seen * 2 * sizeof(std::uint32_t) + 4096;
  return tables + sizeof(Real) * (rotated * batch * numbers + batch * rows + shares * numbers +
                                  factors * numbers + vectors * measurements);
}

template <class S>
void DeviceOutcomesOperator<S>::rotate(const Factor& u, Index first, Index count,
                                       device::Array<Real>& work) const {
  using device::Complex;
  work.resize(std::max(work.size(), 2 * count * u.size()));
  auto* const out = reinterpret_cast<Complex<Real>*>(work.data());
  const auto* in = reinterpret_cast<const Complex<Real>*>(u.data());
  Index stride = 0;
  for (int from = 0; from < qubits_;) {
    const device::Pass pass = device::Pass::starting_at(from, qubits_);
    const Index tiles = rows() >> pass.bits(), together = device::columns_together(pass);
    device::run_blocks(count * ((u.cols() + together - 1) / together) * tiles,
                       device::RotateKernel<Real>{pass, rows(), u.cols(), tiles, together, qubits_,
                                                  false, basis_.data() + first * qubits_,
                                                  gates_.data(), nullptr, in, stride, out});
    in = out;
    stride = u.size();
    from += pass.count;
  }
}

template <class S>
void DeviceOutcomesOperator<S>::rotate_back(const Real* weights, Index columns, Index first,
                                            Index count, device::Array<Real>& work) const {
  using device::Complex;
  auto* const all = reinterpret_cast<Complex<Real>*>(work.data());
  for (int from = 0; from < qubits_;) {
    const device::Pass pass = device::Pass::starting_at(from, qubits_);
    const Index tiles = rows() >> pass.bits(), together = device::columns_together(pass);
    device::run_blocks(
        count * ((columns + together - 1) / together) * tiles,
        device::RotateKernel<Real>{pass, rows(), columns, tiles, together, qubits_, true,
                                   basis_.data() + first * qubits_, gates_.data(),
                                   from == 0 ? weights : nullptr, all, rows() * columns, all});
    from += pass.count;
  }
}

template <class S>
void DeviceOutcomesOperator<S>::misread(bool transposed, Index count, Real* p) const {
  for (std::size_t j = 0; j < errors_.size(); ++j) {
    const auto& c = errors_[j];
    device::for_each(count * rows() / 2,
                     device::Misread<Real>{c[0], transposed ? c[2] : c[1], transposed ? c[1] : c[2],
                                           c[3], Index{1} << j, p});
  }
}

template <class S>
void DeviceOutcomesOperator<S>::predict(const Factor& u, const Factor* d, Values& y) const {
  const Index n = rows(), batch = device::batch_of<Real>(n, u.cols(), settings_);
  y.resize(measurements());
  if (!all_) chances_.resize(std::max(chances_.size(), batch * n));
  for (Index first = 0; first < settings_; first += batch) {
    const Index count = std::min(batch, settings_ - first);
    rotate(u, first, count, work_);
    if (d != nullptr) rotate(*d, first, count, cross_);
    Real* const p = all_ ? y.data() + first * n : chances_.data();
    device::for_each(count * n,
                     device::Chances<Real>{device::amplitudes(work_),
                                           device::amplitudes(d ? cross_ : work_), n, u.cols(), p});
    misread(false, count, p);
    if (all_) continue;
    const Index from = first_[static_cast<std::size_t>(first)];
    device::for_each(
        first_[static_cast<std::size_t>(first + count)] - from,
        device::TakeSeen<Real>{outcome_.data(), owner_.data(), from, first, n, p, y.data()});
  }
  if (all_) return;
  const double trace = dot(u, d == nullptr ? u : *d);
  device::run_blocks(settings_, device::TakeRest<Real>{begin_.data(), trace, y.data()});
}

template <class S>
void DeviceOutcomesOperator<S>::forward(const Factor& u, Values& y) const {
  require_size("rows of the factor", u.rows(), rows());
  predict(u, nullptr, y);
}

template <class S>
void DeviceOutcomesOperator<S>::forward(const Factor& u, const Factor& d, Values& y) const {
  require_size("rows of the factor", u.rows(), rows());
  require_size("rows of the direction", d.rows(), rows());
  require_size("columns of the direction", d.cols(), u.cols());
  predict(u, &d, y);
}

template <class S>
void DeviceOutcomesOperator<S>::adjoint_times(const Values& w, const Factor& v, Factor& g) const {
  require_size("weights", w.size(), measurements());
  require_size("rows of the factor", v.rows(), rows());
  const Index n = rows(), batch = device::batch_of<Real>(n, v.cols(), settings_);
  const Index size = 2 * v.size(), shares = device::shares_of(size, batch);
  sums_.resize(std::max(sums_.size(), shares * size));
  const bool copies = !all_ || !errors_.empty();
  if (copies) chances_.resize(std::max(chances_.size(), batch * n));
  for (Index first = 0; first < settings_; first += batch) {
    const Index count = std::min(batch, settings_ - first);
    const Real* weights = w.data() + first * n;
    if (copies) {
      if (all_) {
        device::copy_within(chances_.data(), weights,
                            sizeof(Real) * static_cast<std::size_t>(count * n));
      } else {
        device::for_each(count * n, device::SetZero<Real>{chances_.data()});
        const Index from = first_[static_cast<std::size_t>(first)];
        device::for_each(first_[static_cast<std::size_t>(first + count)] - from,
                         device::PutSeen<Real>{outcome_.data(), owner_.data(), begin_.data(), from,
                                               first, n, w.data(), chances_.data()});
      }
      misread(true, count, chances_.data());
      weights = chances_.data();
    }
    rotate(v, first, count, work_);
    rotate_back(weights, v.cols(), first, count, work_);
    device::for_each(shares * size, device::AddSettings<Real>{work_.data(), size, count, shares,
                                                              first == 0, sums_.data()});
  }
  double rest = 0;
  if (!all_) {
    device::sum_terms(1, settings_, device::RestOf<Real>{begin_.data(), w.data()}, &rest);
  }
  g.resize(v.rows(), v.cols());
  device::for_each(size, device::AddShares<Real>{
                             sums_.data(), reinterpret_cast<const Real*>(v.data()), size, shares,
                             static_cast<Real>(rest), reinterpret_cast<Real*>(g.data())});
}

template class DeviceOutcomesOperator<std::complex<float>>;
template class DeviceOutcomesOperator<std::complex<double>>;

}  // namespace projfgd
