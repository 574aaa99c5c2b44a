#include "projfgd/operators/product_basis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "pauli_transform.hpp"
#include "product_basis_kernels.hpp"
#include "projfgd/core/chunks.hpp"
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

/// `size` numbers with their real and imaginary parts apart, in 2 size of work space.
template <class R>
Split<R> split_at(R* space, Index size) {
  return {space, space + size};
}

template <class S, class R>
void take_apart(const Matrix<S>& u, Split<R> out) {
  for (Index k = 0; k < u.size(); ++k) {
    out.re[k] = u.data()[k].real();
    out.im[k] = u.data()[k].imag();
  }
}

/// In 4 half of work space.
template <class R>
Pairs<R> pairs_at(R* space, Index half) {
  return {space, space + half, space + 2 * half, space + 3 * half};
}

/// The amplitudes of one factor at every depth of the tree along the current setting's prefix:
/// level(d) has qubits 0 .. d-1 rotated. Needs `space(qubits, size)` of work space.
template <class R>
class Path {
 public:
  static Index space(int qubits, Index size) { return 2 * size * (qubits - 1); }

  Path(Split<R> root, int qubits, Index size, const std::vector<Gate<R>>& gates, R* space)
      : gates_(gates), size_(size), last_(qubits - 1), space_(space) {
    levels_[0] = root;
  }

  /// Rotates the qubits from `depth` on, all but the last.
  void descend(const Setting& setting, int depth) {
    for (int d = depth; d < last_; ++d) {
      const Gate<R>& gate = gates_[setting[d]];
      if (gate.kind == Gate<R>::Kind::identity) {
        levels_[d + 1] = levels_[d];
      } else {
        levels_[d + 1] = split_at(space_ + 2 * size_ * d, size_);
        product_basis::apply(gate, static_cast<std::size_t>(size_), std::size_t{1} << d, levels_[d],
                             levels_[d + 1]);
      }
    }
  }
  Split<R> leaf() const { return levels_[last_]; }

 private:
  const std::vector<Gate<R>>& gates_;
  Index size_;
  int last_;
  R* space_;
  std::array<Split<R>, max_qubits> levels_;
};

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

}  // namespace

namespace product_basis {

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

template Gate<float> to_gate(const QubitBasis&);
template Gate<double> to_gate(const QubitBasis&);

}  // namespace product_basis

int checked_qubits(const std::vector<Setting>& settings, const std::vector<QubitBasis>& bases) {
  if (settings.empty() || settings[0].empty()) {
    throw InputError("settings: found none, expected at least one setting of at least one qubit");
  }
  if (settings[0].size() > max_qubits) {
    throw ResourceError(fmt::format("counts: found {} qubits, at most {} are possible",
                                    settings[0].size(), max_qubits));
  }
  for (std::size_t b = 0; b < bases.size(); ++b) {
    require_unitary(bases[b], fmt::format("basis {}", b));
  }
  for (std::size_t s = 0; s < settings.size(); ++s) {
    if (settings[s].size() != settings[0].size()) {
      throw InputError(fmt::format("setting {}: found {} qubits, expected {} as in the first", s,
                                   settings[s].size(), settings[0].size()));
    }
    for (const auto b : settings[s]) {
      if (b >= bases.size()) {
        throw InputError(
            fmt::format("setting {}: found basis {}, expected less than {}", s, b, bases.size()));
      }
    }
  }
  return static_cast<int>(settings[0].size());
}

template <class S>
ProductBasisOperator<S>::ProductBasisOperator(std::vector<Setting> settings,
                                              const std::vector<QubitBasis>& bases)
    : settings_(std::move(settings)) {
  qubits_ = checked_qubits(settings_, bases);
  for (const QubitBasis& basis : bases) {
    gates_.push_back(product_basis::to_gate<Real>(basis));
  }
  order_ = sorted_from_qubit_0(settings_);
  const std::vector<int> same = common_prefixes(settings_, order_);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const Setting& setting = settings_[order_[i]];
    for (int d = same[i]; d < qubits_ - 1; ++d) {
      if (gates_[setting[d]].kind != Gate<Real>::Kind::identity) ++butterflies_;
    }
    if (same[i] < qubits_ - 1 || i == 0) ++leaves_;
  }
  if (rows() <= measurements() / rows()) {
    by_matrix_ = std::make_shared<coordinates::DenseOutcomes<Real>>(settings_, bases);
  }
}

template <class S>
bool ProductBasisOperator<S>::forms_matrix(Index columns) const {
  if (by_matrix_ == nullptr) return false;
  const double of_column = 3 * static_cast<double>(butterflies_) + 4 * static_cast<double>(leaves_);
  const double by_columns = static_cast<double>(rows()) * static_cast<double>(columns) * of_column +
                            4 * static_cast<double>(measurements());
  return by_matrix_->cost(columns) < by_columns;
}

template <class S>
void ProductBasisOperator<S>::forward(const Factor& u, Vector<Real>& y) const {
  require_factor(u, rows());
  if (!forms_matrix(u.cols())) return predict(u, nullptr, y);
  y.resize(measurements());
  by_matrix_->forward(u, u, y.data());
}

template <class S>
void ProductBasisOperator<S>::forward(const Factor& u, const Factor& d, Vector<Real>& y) const {
  require_factors(u, d, rows());
  if (!forms_matrix(u.cols())) return predict(u, &d, y);
  y.resize(measurements());
  by_matrix_->forward(u, d, y.data());
}

template <class S>
void ProductBasisOperator<S>::predict(const Factor& u, const Factor* d, Vector<Real>& y) const {
  y.resize(measurements());
  const Index n = rows(), half = n / 2, columns = u.cols(), size = u.size();
  const Index sides = d == nullptr ? 1 : 2;
  const auto roots = work_space_.lend(2 * sides * size);
  const Split<Real> root_u = split_at(roots.get(), size);
  const Split<Real> root_d = sides == 1 ? root_u : split_at(root_u.im + size, size);
  take_apart(u, root_u);
  if (d != nullptr) take_apart(*d, root_d);
  const Index parts = std::min(forward_parts, settings());
  parallel_for_if(settings() * size > work_worth_threads, parts, [&](Index part) {
    const Index path_space = Path<Real>::space(qubits_, size);
    const auto lent = work_space_.lend(sides * path_space + 4 * half);
    Path<Real> path_u(root_u, qubits_, size, gates_, lent.get());
    Path<Real> path_d(root_d, qubits_, size, gates_, lent.get() + (sides - 1) * path_space);
    const Pairs<Real> sums = pairs_at(lent.get() + sides * path_space, half);
    const auto leaf_begins = [&](const Setting& setting, int depth) {
      path_u.descend(setting, depth);
      if (d == nullptr) {
        product_basis::moments<Real>(half, columns, path_u.leaf(), sums);
      } else {
        path_d.descend(setting, depth);
        product_basis::moments<Real>(half, columns, path_u.leaf(), path_d.leaf(), sums);
      }
    };
    const auto member = [&](Index s) {
      product_basis::probabilities(gates_[settings_[s].back()], half, sums, y.data() + s * n);
    };
    walk(settings_, order_, part_begin(part, parts), part_begin(part + 1, parts), leaf_begins,
         member, [](const Setting&, int) {});
  });
}

template <class S>
double ProductBasisOperator<S>::work_space(Index columns) const {
  if (forms_matrix(columns)) return by_matrix_->work_space();
  const double size = static_cast<double>(rows()) * static_cast<double>(columns);
  const double parts = static_cast<double>(std::min(adjoint_parts, settings()));
  const double a_thread = 4 * (qubits_ - 1) * size + 2 * static_cast<double>(rows());
  return 2 * size * (1 + parts) + threads() * a_thread;
}

template <class S>
void ProductBasisOperator<S>::adjoint_times(const Vector<Real>& w, const Factor& v,
                                            Factor& g) const {
  require_weights(w, measurements(), v, rows());
  if (forms_matrix(v.cols())) return by_matrix_->adjoint_times(w.data(), v, g);
  const Index n = rows(), half = n / 2, size = v.size();
  const Index parts = std::min(adjoint_parts, settings());
  const auto shared = work_space_.lend(2 * size * (1 + parts));
  const Split<Real> root = split_at(shared.get(), size);
  Real* const totals = shared.get() + 2 * size;  // one a part
  take_apart(v, root);
  parallel_for_if(settings() * size > work_worth_threads, parts, [&](Index part) {
    const Index path_space = Path<Real>::space(qubits_, size);
    const auto lent = work_space_.lend(2 * path_space + 4 * half);
    Path<Real> path(root, qubits_, size, gates_, lent.get());
    Real* const sums = lent.get() + path_space;  // what the tree below each depth sends back
    Real* const weights = lent.get() + 2 * path_space;
    const Pairs<Real> pairs = pairs_at(weights, half);
    const auto sum_at = [&](int d) {
      return split_at(d == 0 ? totals + 2 * size * part : sums + 2 * size * (d - 1), size);
    };
    std::array<bool, max_qubits> fresh;
    fresh.fill(true);
    const int leaf = qubits_ - 1;
    walk(
        settings_, order_, part_begin(part, parts), part_begin(part + 1, parts),
        [&](const Setting& setting, int depth) {
          path.descend(setting, depth);
          std::fill_n(weights, 4 * half, Real(0));
        },
        [&](Index s) {
          product_basis::add_weights(gates_[settings_[s].back()], half, w.data() + s * n, pairs);
        },
        [&](const Setting& setting, int depth) {
          product_basis::apply_pairs<Real>(half, v.cols(), pairs, path.leaf(), sum_at(leaf));
          fresh[leaf] = false;
          for (int d = leaf - 1; d >= depth; --d) {
            product_basis::apply_adjoint(gates_[setting[d]], size, std::size_t{1} << d,
                                         sum_at(d + 1), sum_at(d), !fresh[d]);
            fresh[d] = false;
            fresh[d + 1] = true;
          }
        });
  });
  g.resize(v.rows(), v.cols());
  for_each_chunk(size, sum_chunk, 2, [&](Index, Index begin, Index length) {
    for (Index k = begin; k < begin + length; ++k) {
      Real re = 0, im = 0;
      for (Index part = 0; part < parts; ++part) {
        const Split<Real> total = split_at(totals + 2 * size * part, size);
        re += total.re[k];
        im += total.im[k];
      }
      g.data()[k] = S(re, im);
    }
  });
}

template class ProductBasisOperator<std::complex<float>>;
template class ProductBasisOperator<std::complex<double>>;

}  // namespace projfgd
