#include "projfgd/operators/product_basis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "product_basis_kernels.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/operators/check.hpp"
#include "projfgd/operators/pauli_string.hpp"

namespace projfgd {
namespace {

using product_basis::Gate;
using product_basis::Pairs;
using product_basis::Split;

constexpr Index adjoint_parts = 8;  // fixed, so that sums do not depend on the number of threads
constexpr Index forward_parts = 64;
constexpr Index work_worth_threads = Index{1} << 17;  // amplitudes over all settings

template <class R>
Gate<R> to_gate(const QubitBasis& basis) {
  Gate<R> gate{Gate<R>::Kind::general, {}, {}};
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      gate.re[i][j] = static_cast<R>(basis[i][j].real());
      gate.im[i][j] = static_cast<R>(basis[i][j].imag());
    }
  }
  const std::complex<double> one(1), zero(0);
  if (basis[0][0] == one && basis[1][1] == one && basis[0][1] == zero && basis[1][0] == zero) {
    gate.kind = Gate<R>::Kind::identity;
  } else if (basis[0][0] == basis[1][0] && basis[0][0].imag() == 0 && basis[0][1] == -basis[1][1]) {
    gate.kind = Gate<R>::Kind::equatorial;
  }
  return gate;
}

/// A factor with its real and imaginary parts apart.
template <class R>
class SplitBuffer {
 public:
  explicit SplitBuffer(Index size) : values_(2 * size), size_(size) {}
  Split<R> view() { return {values_.data(), values_.data() + size_}; }

 private:
  std::vector<R> values_;
  Index size_;
};

template <class S, class R>
void take_apart(const Matrix<S>& u, Split<R> out) {
  for (Index k = 0; k < u.size(); ++k) {
    out.re[k] = u.data()[k].real();
    out.im[k] = u.data()[k].imag();
  }
}

template <class R>
class PairBuffer {
 public:
  explicit PairBuffer(Index half) : values_(4 * half), half_(half) {}
  Pairs<R> view() {
    R* p = values_.data();
    return {p, p + half_, p + 2 * half_, p + 3 * half_};
  }
  void clear() { std::fill(values_.begin(), values_.end(), R(0)); }

 private:
  std::vector<R> values_;
  Index half_;
};

/// The amplitudes of one factor at every depth of the tree along the current setting's prefix:
/// level(d) has qubits 0 .. d-1 rotated.
template <class R>
class Path {
 public:
  Path(Split<R> root, int qubits, Index size, const std::vector<Gate<R>>& gates)
      : gates_(gates), size_(size), levels_(qubits, root) {
    for (int d = 1; d < qubits; ++d) buffers_.emplace_back(size);
  }

  /// Rotates the qubits from `depth` on, all but the last.
  void descend(const Setting& setting, int depth) {
    for (int d = depth; d + 1 < static_cast<int>(levels_.size()); ++d) {
      const Gate<R>& gate = gates_[setting[d]];
      if (gate.kind == Gate<R>::Kind::identity) {
        levels_[d + 1] = levels_[d];
      } else {
        levels_[d + 1] = buffers_[d].view();
        product_basis::apply(gate, static_cast<std::size_t>(size_), std::size_t{1} << d, levels_[d],
                             levels_[d + 1]);
      }
    }
  }
  Split<R> leaf() const { return levels_.back(); }

 private:
  const std::vector<Gate<R>>& gates_;
  Index size_;
  std::vector<Split<R>> levels_;
  std::vector<SplitBuffer<R>> buffers_;
};

bool precedes(const Setting& a, const Setting& b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [](int x, int y) { return x < y; });
}

int common_prefix(const Setting& a, const Setting& b) {
  int d = 0;
  while (d < static_cast<int>(a.size()) && a[d] == b[d]) ++d;
  return d;
}

/// Calls leaf_begins(setting, depth) when the prefix without the last qubit changes from `depth`
/// on, member(position) for every setting, leaf_ends(depth) before the prefix changes again.
template <class Begin, class Member, class End>
void walk(const std::vector<Setting>& settings, const std::vector<Index>& order, Index from,
          Index to, const Begin& leaf_begins, const Member& member, const End& leaf_ends) {
  const int last = static_cast<int>(settings[order[from]].size()) - 1;
  for (Index i = from; i < to; ++i) {
    const Setting& setting = settings[order[i]];
    const int depth = i == from ? 0 : common_prefix(settings[order[i - 1]], setting);
    if (i > from && depth < last) leaf_ends(settings[order[i - 1]], depth);
    if (i == from || depth < last) leaf_begins(setting, depth);
    member(order[i]);
  }
  leaf_ends(settings[order[to - 1]], 0);
}

template <class R>
std::vector<Gate<R>> to_gates(const std::vector<QubitBasis>& bases) {
  std::vector<Gate<R>> gates;
  gates.reserve(bases.size());
  for (const QubitBasis& basis : bases) gates.push_back(to_gate<R>(basis));
  return gates;
}

}  // namespace

void require_unitary(const QubitBasis& v, const std::string& what) {
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      const auto product = v[i][0] * std::conj(v[j][0]) + v[i][1] * std::conj(v[j][1]);
      if (!(std::abs(product - (i == j ? 1.0 : 0.0)) <= 1e-6)) {
        throw InputError(
            fmt::format("{}: found states that are not orthonormal, expected a unitary", what));
      }
    }
  }
}

QubitBasis pauli_basis(char letter) {
  const double s = std::sqrt(0.5);
  const std::complex<double> i(0, 1);
  switch (letter) {
    case 'X':
      return {{{s, s}, {s, -s}}};
    case 'Y':
      return {{{s, -s * i}, {s, s * i}}};
    case 'Z':
      return {{{1, 0}, {0, 1}}};
    default:
      throw InputError(fmt::format("basis: found '{}', expected X, Y or Z", letter));
  }
}

std::vector<QubitBasis> pauli_bases() {
  return {pauli_basis('X'), pauli_basis('Y'), pauli_basis('Z')};
}

template <class S>
ProductBasisOperator<S>::ProductBasisOperator(std::vector<Setting> settings,
                                              std::vector<QubitBasis> bases)
    : settings_(std::move(settings)), bases_(std::move(bases)), order_(settings_.size()) {
  if (settings_.empty() || settings_[0].empty()) {
    throw InputError("settings: found none, expected at least one setting of at least one qubit");
  }
  if (settings_[0].size() > max_qubits) {
    throw ResourceError(fmt::format("counts: found {} qubits, at most {} are possible",
                                    settings_[0].size(), max_qubits));
  }
  qubits_ = static_cast<int>(settings_[0].size());
  for (std::size_t b = 0; b < bases_.size(); ++b)
    require_unitary(bases_[b], fmt::format("basis {}", b));
  for (std::size_t s = 0; s < settings_.size(); ++s) {
    if (settings_[s].size() != settings_[0].size()) {
      throw InputError(fmt::format("setting {}: found {} qubits, expected {} as in the first", s,
                                   settings_[s].size(), settings_[0].size()));
    }
    for (const auto b : settings_[s]) {
      if (b >= bases_.size()) {
        throw InputError(
            fmt::format("setting {}: found basis {}, expected less than {}", s, b, bases_.size()));
      }
    }
  }
  std::iota(order_.begin(), order_.end(), Index{0});
  std::stable_sort(order_.begin(), order_.end(),
                   [this](Index a, Index b) { return precedes(settings_[a], settings_[b]); });
}

template <class S>
void ProductBasisOperator<S>::forward(const Factor& u, Vector<Real>& y) const {
  require_factor(u, rows());
  predict({&u}, y);
}

template <class S>
void ProductBasisOperator<S>::forward(const Factor& u, const Factor& d, Vector<Real>& y) const {
  require_factors(u, d, rows());
  predict({&u, &d}, y);
}

template <class S>
void ProductBasisOperator<S>::predict(std::vector<const Factor*> factors, Vector<Real>& y) const {
  y.resize(measurements());
  const Index n = rows(), half = n / 2, columns = factors[0]->cols(), size = n * columns;
  const auto gates = to_gates<Real>(bases_);
  std::vector<SplitBuffer<Real>> roots;
  for (const Factor* u : factors) {
    roots.emplace_back(size);
    take_apart(*u, roots.back().view());
  }
  const Index parts = std::min(forward_parts, settings());
#pragma omp parallel if (settings() * size > work_worth_threads)
  {
    std::vector<Path<Real>> paths;
    paths.reserve(roots.size());
    for (auto& root : roots) paths.emplace_back(root.view(), qubits_, size, gates);
    PairBuffer<Real> sums(half);
    const auto leaf_begins = [&](const Setting& setting, int depth) {
      for (auto& path : paths) path.descend(setting, depth);
      if (paths.size() == 1) {
        product_basis::moments<Real>(half, columns, paths[0].leaf(), sums.view());
      } else {
        product_basis::moments<Real>(half, columns, paths[0].leaf(), paths[1].leaf(), sums.view());
      }
    };
    const auto member = [&](Index s) {
      product_basis::probabilities(gates[settings_[s].back()], half, sums.view(), y.data() + s * n);
    };
#pragma omp for schedule(dynamic)
    for (Index part = 0; part < parts; ++part) {
      walk(settings_, order_, part * settings() / parts, (part + 1) * settings() / parts,
           leaf_begins, member, [](const Setting&, int) {});
    }
  }
}

template <class S>
void ProductBasisOperator<S>::adjoint_times(const Vector<Real>& w, const Factor& v,
                                            Factor& g) const {
  require_weights(w, measurements(), v, rows());
  const Index n = rows(), half = n / 2, size = v.size();
  const auto gates = to_gates<Real>(bases_);
  SplitBuffer<Real> root(size);
  take_apart(v, root.view());
  const Index parts = std::min(adjoint_parts, settings());
  std::vector<SplitBuffer<Real>> totals;
  for (Index part = 0; part < parts; ++part) totals.emplace_back(size);
#pragma omp parallel if (settings() * size > work_worth_threads)
  {
    Path<Real> path(root.view(), qubits_, size, gates);
    PairBuffer<Real> weights(half);
    std::vector<SplitBuffer<Real>> sums;  // sums[d]: what the tree below depth d + 1 sends back
    for (int d = 0; d + 1 < qubits_; ++d) sums.emplace_back(size);
#pragma omp for schedule(dynamic)
    for (Index part = 0; part < parts; ++part) {
      const auto sum_at = [&](int d) { return d == 0 ? totals[part].view() : sums[d - 1].view(); };
      std::vector<bool> fresh(qubits_, true);
      const int leaf = qubits_ - 1;
      walk(
          settings_, order_, part * settings() / parts, (part + 1) * settings() / parts,
          [&](const Setting& setting, int depth) {
            path.descend(setting, depth);
            weights.clear();
          },
          [&](Index s) {
            product_basis::add_weights(gates[settings_[s].back()], half, w.data() + s * n,
                                       weights.view());
          },
          [&](const Setting& setting, int depth) {
            product_basis::apply_pairs<Real>(half, v.cols(), weights.view(), path.leaf(),
                                             sum_at(leaf));
            fresh[leaf] = false;
            for (int d = leaf - 1; d >= depth; --d) {
              product_basis::apply_adjoint(gates[setting[d]], size, std::size_t{1} << d,
                                           sum_at(d + 1), sum_at(d), !fresh[d]);
              fresh[d] = false;
              fresh[d + 1] = true;
            }
          });
    }
  }
  g.resize(v.rows(), v.cols());
#pragma omp parallel for schedule(static) if (size > 1 << 14)
  for (Index k = 0; k < size; ++k) {
    Real re = 0, im = 0;
    for (auto& total : totals) {
      re += total.view().re[k];
      im += total.view().im[k];
    }
    g.data()[k] = S(re, im);
  }
}

template class ProductBasisOperator<std::complex<float>>;
template class ProductBasisOperator<std::complex<double>>;

}  // namespace projfgd
