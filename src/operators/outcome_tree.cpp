#include "outcome_tree.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "projfgd/core/chunks.hpp"

namespace projfgd {

int common_prefix(const Setting& a, const Setting& b) {
  return static_cast<int>(std::ranges::mismatch(a, b).in1 - a.begin());
}

std::vector<Index> sorted_from_qubit_0(const std::vector<Setting>& settings) {
  std::vector<Index> order(settings.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, [&](Index a, Index b) {
    return std::ranges::lexicographical_compare(settings[static_cast<std::size_t>(a)],
                                                settings[static_cast<std::size_t>(b)]);
  });
  return order;
}

std::vector<int> common_prefixes(const std::vector<Setting>& settings,
                                 const std::vector<Index>& order) {
  std::vector<int> same(order.size(), 0);
  for (std::size_t i = 1; i < order.size(); ++i) {
    same[i] = common_prefix(settings[static_cast<std::size_t>(order[i - 1])],
                            settings[static_cast<std::size_t>(order[i])]);
  }
  return same;
}

namespace coordinates {
namespace {

constexpr Index most_parts = 8;  // fixed, so that sums do not depend on the number of threads
constexpr double work_worth_threads = 1 << 17;  // multiplications: some 50 us of one core

template <class R>
void find_axis(QubitMap<R>& map) {
  int axes = 0;
  for (std::size_t c = 1; c < 4; ++c) {
    if (map.rows[0][c] == 0 && map.rows[1][c] == 0) continue;
    map.axis = static_cast<int>(c);
    ++axes;
  }
  if (axes != 1) map.axis = 0;
}

}  // namespace

template <class R>
std::vector<QubitMap<R>> qubit_maps(const std::vector<QubitBasis>& bases) {
  std::vector<QubitMap<R>> maps;
  for (const QubitBasis& basis : bases) {
    QubitMap<R> map;
    for (std::size_t k = 0; k < 2; ++k) {
      const std::complex<double> product = basis[k][0] * std::conj(basis[k][1]);
      const double along_z = (std::norm(basis[k][0]) - std::norm(basis[k][1])) / 2;
      map.rows[k] = {R(0.5), static_cast<R>(product.real()), static_cast<R>(product.imag()),
                     static_cast<R>(along_z)};
    }
    find_axis(map);
    maps.push_back(map);
  }
  return maps;
}

template <class R>
QubitMap<R> reported(const std::array<std::array<double, 2>, 2>& readout,
                     const QubitMap<R>& ideal) {
  QubitMap<R> map = ideal;
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t c = 0; c < 4; ++c) {
      map.rows[k][c] =
          static_cast<R>(readout[k][0] * ideal.rows[0][c] + readout[k][1] * ideal.rows[1][c]);
    }
  }
  return map;
}

template <class R>
OutcomeTree<R>::OutcomeTree(std::vector<Setting> settings,
                            std::vector<std::vector<QubitMap<R>>> maps)
    : settings_(std::move(settings)),
      order_(sorted_from_qubit_0(settings_)),
      same_(common_prefixes(settings_, order_)),
      maps_(std::move(maps)) {
  const int leaf = qubits() - 1;
  for (const int same : same_) {
    // Its levels below the common beginning, and in any case the last.
    for (int d = std::min(same, leaf); d <= leaf; ++d) {
      cost_ += 2 * static_cast<double>(level_size(d + 1));
    }
  }
}

template <class R>
OutcomeTree<R> OutcomeTree<R>::with_maps(std::vector<std::vector<QubitMap<R>>> maps) const {
  OutcomeTree other = *this;
  other.maps_ = std::move(maps);
  return other;
}

template <class R>
Index OutcomeTree<R>::parts() const {
  return std::min(most_parts, settings());
}

template <class R>
bool OutcomeTree<R>::is_worth_threads() const {
  return cost_ > work_worth_threads;
}

template <class R>
double OutcomeTree<R>::cost() const {
  return cost_;
}

template <class R>
double OutcomeTree<R>::work_space() const {
  return static_cast<double>(size()) *
         static_cast<double>(parts() + std::min<Index>(parts(), threads()));
}

template <class R>
void OutcomeTree<R>::forward(const R* x, R* p) const {
  const int leaf = qubits() - 1;  // the last level that is kept
  parallel_for_if(is_worth_threads(), parts(), [&](Index part) {
    const auto levels = work_space_.lend(size());
    const auto level = [&](int d) { return d == 0 ? x : levels.get() + level_begin(d); };
    for (Index i = part_begin(part); i < part_begin(part + 1); ++i) {
      const Index s = order_[static_cast<std::size_t>(i)];
      int d = i == part_begin(part) ? 0 : same_[static_cast<std::size_t>(i)];
      for (; d < leaf; ++d) {
        contract(map(s, d), std::size_t{1} << d, static_cast<std::size_t>(level_size(d)), level(d),
                 levels.get() + level_begin(d + 1));
      }
      contract(map(s, leaf), std::size_t{1} << leaf, static_cast<std::size_t>(level_size(leaf)),
               level(leaf), p + s * outcomes());
    }
  });
}

template <class R>
void OutcomeTree<R>::adjoint(const R* w, R* x) const {
  const int leaf = qubits() - 1;
  const auto shared = work_space_.lend(size() * parts());
  parallel_for_if(is_worth_threads(), parts(), [&](Index part) {
    const auto levels = work_space_.lend(size());
    R* const sum = shared.get() + size() * part;
    std::fill_n(sum, size(), R(0));
    std::fill_n(levels.get(), size(), R(0));
    const auto level = [&](int d) { return d == 0 ? sum : levels.get() + level_begin(d); };
    const Index end = part_begin(part + 1);
    for (Index i = part_begin(part); i < end; ++i) {
      const Index s = order_[static_cast<std::size_t>(i)];
      expand(map(s, leaf), std::size_t{1} << leaf, static_cast<std::size_t>(level_size(leaf)),
             w + s * outcomes(), level(leaf));
      // What the levels below the next setting's common beginning have, they send back.
      const int depth = i + 1 == end ? 0 : same_[static_cast<std::size_t>(i + 1)];
      for (int d = leaf - 1; d >= depth; --d) {
        expand(map(s, d), std::size_t{1} << d, static_cast<std::size_t>(level_size(d)),
               level(d + 1), level(d));
        std::fill_n(level(d + 1), level_size(d + 1), R(0));
      }
    }
  });
  for_each_chunk(size(), sum_chunk, sum_chunks_worth_threads,
                 [&](Index, Index begin, Index length) {
                   std::copy_n(shared.get() + begin, length, x + begin);
                   for (Index part = 1; part < parts(); ++part) {
                     const R* from = shared.get() + size() * part;
                     for (Index k = begin; k < begin + length; ++k) x[k] += from[k];
                   }
                 });
}

#define PROJFGD_INSTANTIATE(R)                                                                    \
  template std::vector<QubitMap<R>> qubit_maps(const std::vector<QubitBasis>&);                   \
  template QubitMap<R> reported(const std::array<std::array<double, 2>, 2>&, const QubitMap<R>&); \
  template class OutcomeTree<R>;

PROJFGD_INSTANTIATE(float)
PROJFGD_INSTANTIATE(double)

}  // namespace coordinates
}  // namespace projfgd
