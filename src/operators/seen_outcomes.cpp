#include "projfgd/operators/seen_outcomes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <utility>

#include "product_basis_kernels.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/threads.hpp"
#include "projfgd/core/values.hpp"
#include "projfgd/operators/check.hpp"
#include "tiled_passes.hpp"

namespace projfgd {
namespace {

using product_basis::Gate;
using product_basis::Split;

template <class R>
using Gates = std::vector<Gate<R>>;

/// V or V^H of a qubit.
enum class Side { forward, adjoint };

template <class R>
Split<R> split_at(R* space, Index size) {
  return {space, space + size};
}

template <class R>
Split<R> moved(Split<R> a, Index by) {
  return {a.re + by, a.im + by};
}

template <class R>
bool moves(const Gate<R>& gate) {
  return gate.kind != Gate<R>::Kind::identity;
}

/// Runs the gates of qubits [from, to) over `size` numbers in `a`, qubit `from` at `stride`, with
/// `b` for the other side of a step. Returns the one of the two that has the result.
template <class R>
Split<R> run_gates(const Gates<R>& gates, int from, int to, Side side, Index size, Index stride,
                   Split<R> a, Split<R> b) {
  for (int j = from; j < to; ++j) {
    const Gate<R>& gate = gates[static_cast<std::size_t>(j)];
    if (!moves(gate)) continue;
    const auto apart = static_cast<std::size_t>(stride << (j - from));
    if (side == Side::forward) {
      product_basis::apply(gate, static_cast<std::size_t>(size), apart, a, b);
    } else {
      product_basis::apply_adjoint(gate, static_cast<std::size_t>(size), apart, a, b, false);
    }
    std::swap(a, b);
  }
  return a;
}

template <class R>
void copy(Split<R> from, Index count, Split<R> to) {
  std::copy_n(from.re, count, to.re);
  std::copy_n(from.im, count, to.im);
}

template <class R>
void add(Split<R> from, Index count, Split<R> to) {
  for (Index k = 0; k < count; ++k) to.re[k] += from.re[k];
  for (Index k = 0; k < count; ++k) to.im[k] += from.im[k];
}

/// a <- V_s a, or V_s^H a, for a setting with these gates. Where `sum` is given the result is added
/// to it instead.
template <class R>
void rotate(const Gates<R>& gates, Side side, Split<R> a, const Split<R>* sum,
            BufferPool<R>& pool) {
  const int qubits = static_cast<int>(gates.size());
  const Tiles tiles(qubits);
  const bool has_high = std::any_of(gates.begin() + tiles.low, gates.end(), moves<R>);
  const bool adds_strips = sum != nullptr && has_high;
  const Index tile = tiles.tile();
  tiles.for_tiles(pool, 4 * tile, [&](Index begin, R* work) {
    const Split<R> first = split_at(work, tile), second = split_at(work + 2 * tile, tile);
    copy(moved(a, begin), tile, first);
    const Split<R> result = run_gates(gates, 0, tiles.low, side, tile, 1, first, second);
    if (sum != nullptr && !has_high) {
      add(result, tile, moved(*sum, begin));
    } else {
      copy(result, tile, moved(a, begin));
    }
  });
  if (!has_high) return;
  const Index size = tiles.strip_size(), width = tiles.strip;
  tiles.for_strips(pool, 4 * size, [&](Index begin, R* work) {
    const Split<R> first = split_at(work, size), second = split_at(work + 2 * size, size);
    for (Index row = 0; row < tiles.tiles(); ++row) {
      copy(moved(a, begin + row * tile), width, moved(first, row * width));
    }
    const Split<R> result = run_gates(gates, tiles.low, qubits, side, size, width, first, second);
    for (Index row = 0; row < tiles.tiles(); ++row) {
      const Split<R> from = moved(result, row * width);
      if (adds_strips) {
        add(from, width, moved(*sum, begin + row * tile));
      } else {
        copy(from, width, moved(a, begin + row * tile));
      }
    }
  });
}

template <class R>
using QubitReadout = std::array<std::array<R, 2>, 2>;

/// p <- C p, or C^T p, for one qubit of `size` numbers.
template <class R>
void misread(const QubitReadout<R>& c, bool transposed, Index size, Index stride, R* p) {
  const R c00 = c[0][0], c01 = c[transposed ? 1 : 0][transposed ? 0 : 1];
  const R c10 = c[transposed ? 0 : 1][transposed ? 1 : 0], c11 = c[1][1];
  for (Index block = 0; block < size; block += 2 * stride) {
    R* const a = p + block;
    R* const b = a + stride;
    for (Index k = 0; k < stride; ++k) {
      const R x = a[k], y = b[k];
      a[k] = c00 * x + c01 * y;
      b[k] = c10 * x + c11 * y;
    }
  }
}

/// The same for all qubits.
template <class R>
void misread_all(const std::vector<QubitReadout<R>>& readout, bool transposed, R* p,
                 BufferPool<R>& pool) {
  const int qubits = static_cast<int>(readout.size());
  const Tiles tiles(qubits);
  const Index tile = tiles.tile(), size = tiles.strip_size(), width = tiles.strip;
  tiles.for_tiles(pool, 1, [&](Index begin, R*) {
    for (int j = 0; j < tiles.low; ++j) {
      misread(readout[static_cast<std::size_t>(j)], transposed, tile, Index{1} << j, p + begin);
    }
  });
  if (tiles.high == 0) return;
  tiles.for_strips(pool, size, [&](Index begin, R* work) {
    for (Index row = 0; row < tiles.tiles(); ++row) {
      std::copy_n(p + begin + row * tile, width, work + row * width);
    }
    for (int j = tiles.low; j < qubits; ++j) {
      misread(readout[static_cast<std::size_t>(j)], transposed, size, width << (j - tiles.low),
              work);
    }
    for (Index row = 0; row < tiles.tiles(); ++row) {
      std::copy_n(work + row * width, width, p + begin + row * tile);
    }
  });
}

template <class S, class R>
void take_column(const Matrix<S>& u, Index column, Split<R> out) {
  const S* from = u.col(column).data();
  for_chunks(u.rows(), [&](Index begin, Index count) {
    for (Index k = begin; k < begin + count; ++k) {
      out.re[k] = from[k].real();
      out.im[k] = from[k].imag();
    }
  });
}

}  // namespace

template <class S>
SeenOutcomesOperator<S>::SeenOutcomesOperator(SeenOutcomes seen,
                                              const std::vector<QubitBasis>& bases,
                                              const Readout& readout)
    : seen_(std::move(seen)) {
  qubits_ = checked_qubits(seen_.settings, bases);
  if (!readout.empty()) validate(readout, qubits_);
  if (readout.full.size() > 0) {
    throw InputError("readout: found a matrix over all outcomes, expected one for each qubit");
  }
  for (const auto& c : readout.per_qubit) {
    readout_.push_back({{{static_cast<Real>(c[0][0]), static_cast<Real>(c[0][1])},
                         {static_cast<Real>(c[1][0]), static_cast<Real>(c[1][1])}}});
  }
  require_size("first outcomes of the settings", static_cast<Index>(seen_.first.size()),
               static_cast<Index>(seen_.settings.size()) + 1);
  require_size("outcomes", static_cast<Index>(seen_.outcomes.size()), seen_.first.back());
  for (const std::uint32_t outcome : seen_.outcomes) {
    if (outcome >= rows()) {
      throw InputError(fmt::format("outcomes: found {}, expected less than {}", outcome, rows()));
    }
  }
  for (const Setting& setting : seen_.settings) {
    gates_.emplace_back();
    for (const auto basis : setting) {
      gates_.back().push_back(product_basis::to_gate<Real>(bases[basis]));
    }
  }
}

template <class S>
double SeenOutcomesOperator<S>::work_space(Index columns) const {
  const auto n = static_cast<double>(rows());
  const double pieces = 4.0 * threads() * static_cast<double>(Tiles(qubits_).piece());
  return (3 + 4 + 2 * static_cast<double>(columns)) * n + pieces;
}

template <class S>
void SeenOutcomesOperator<S>::forward(const Factor& u, Vector<Real>& y) const {
  require_factor(u, rows());
  predict(u, nullptr, y);
}

template <class S>
void SeenOutcomesOperator<S>::forward(const Factor& u, const Factor& d, Vector<Real>& y) const {
  require_factors(u, d, rows());
  predict(u, &d, y);
}

template <class S>
void SeenOutcomesOperator<S>::predict(const Factor& u, const Factor* d, Vector<Real>& y) const {
  const Index n = rows();
  y.setZero(measurements());
  const auto lent = work_space_.lend(5 * n);
  const Split<Real> a = split_at(lent.get(), n), b = split_at(lent.get() + 2 * n, n);
  Real* const all = lent.get() + 4 * n;  // probabilities of all outcomes, where detectors err
  const Real trace = dot(u, d == nullptr ? u : *d);
  const auto product = [&](Index k) {  // Re(a conj(b))
    return d == nullptr ? a.re[k] * a.re[k] + a.im[k] * a.im[k]
                        : a.re[k] * b.re[k] + a.im[k] * b.im[k];
  };
  for (Index s = 0; s < static_cast<Index>(seen_.settings.size()); ++s) {
    const Gates& gates = gates_[static_cast<std::size_t>(s)];
    Real* const p = y.data() + seen_.begin(s);
    const std::uint32_t* const outcomes =
        seen_.outcomes.data() + seen_.first[static_cast<std::size_t>(s)];
    const Index count = seen_.count(s);
    for (Index c = 0; c < u.cols(); ++c) {
      take_column(u, c, a);
      rotate<Real>(gates, Side::forward, a, nullptr, work_space_);
      if (d != nullptr) {
        take_column(*d, c, b);
        rotate<Real>(gates, Side::forward, b, nullptr, work_space_);
      }
      if (!reads_wrongly()) {
        for (Index i = 0; i < count; ++i) p[i] += product(outcomes[i]);
        continue;
      }
      for_chunks(n, [&](Index begin, Index length) {
        for (Index k = begin; k < begin + length; ++k) {
          all[k] = (c == 0 ? Real(0) : all[k]) + product(k);
        }
      });
    }
    if (reads_wrongly()) {
      misread_all(readout_, false, all, work_space_);
      for (Index i = 0; i < count; ++i) p[i] = all[outcomes[i]];
    }
    double of_seen = 0;
    for (Index i = 0; i < count; ++i) of_seen += static_cast<double>(p[i]);
    p[count] = static_cast<Real>(static_cast<double>(trace) - of_seen);
  }
}

template <class S>
void SeenOutcomesOperator<S>::adjoint_times(const Vector<Real>& w, const Factor& v,
                                            Factor& g) const {
  require_weights(w, measurements(), v, rows());
  const Index n = rows(), settings = static_cast<Index>(seen_.settings.size());
  const auto lent = work_space_.lend(7 * n);
  const Split<Real> a = split_at(lent.get(), n), b = split_at(lent.get() + 2 * n, n),
                    sum = split_at(lent.get() + 4 * n, n);
  Real* const all = lent.get() + 6 * n;
  // Each setting's weights are that of the outcomes not seen, and what those seen have beyond it.
  double rest = 0;
  for (Index s = 0; s < settings; ++s) rest += static_cast<double>(w[seen_.begin(s + 1) - 1]);
  g.resize(v.rows(), v.cols());
  for (Index c = 0; c < v.cols(); ++c) {
    std::fill_n(sum.re, 2 * n, Real(0));
    for (Index s = 0; s < settings; ++s) {
      const Gates& gates = gates_[static_cast<std::size_t>(s)];
      const Real* const weights = w.data() + seen_.begin(s);
      const std::uint32_t* const outcomes =
          seen_.outcomes.data() + seen_.first[static_cast<std::size_t>(s)];
      const Index count = seen_.count(s);
      take_column(v, c, a);
      rotate<Real>(gates, Side::forward, a, nullptr, work_space_);
      if (reads_wrongly()) {
        std::fill_n(all, n, Real(0));
        for (Index i = 0; i < count; ++i) all[outcomes[i]] = weights[i] - weights[count];
        misread_all(readout_, true, all, work_space_);
        for_chunks(n, [&](Index begin, Index length) {
          for (Index k = begin; k < begin + length; ++k) {
            a.re[k] *= all[k];
            a.im[k] *= all[k];
          }
        });
        rotate<Real>(gates, Side::adjoint, a, &sum, work_space_);
      } else {
        std::fill_n(b.re, 2 * n, Real(0));
        for (Index i = 0; i < count; ++i) {
          const Real weight = weights[i] - weights[count];
          b.re[outcomes[i]] = weight * a.re[outcomes[i]];
          b.im[outcomes[i]] = weight * a.im[outcomes[i]];
        }
        rotate<Real>(gates, Side::adjoint, b, &sum, work_space_);
      }
    }
    const S* from = v.col(c).data();
    S* to = g.col(c).data();
    for_chunks(n, [&](Index begin, Index length) {
      for (Index k = begin; k < begin + length; ++k) {
        to[k] = static_cast<Real>(rest) * from[k] + S(sum.re[k], sum.im[k]);
      }
    });
  }
}

template class SeenOutcomesOperator<std::complex<float>>;
template class SeenOutcomesOperator<std::complex<double>>;

}  // namespace projfgd
