#include "projfgd/operators/split.hpp"

#include <numeric>

namespace projfgd {

Parts balanced_parts(const Ranks& ranks, const std::vector<std::vector<Index>>& groups,
                     const std::vector<double>& work) {
  Parts parts;
  parts.ranks = &ranks;
  const double all = std::accumulate(work.begin(), work.end(), 0.0);
  const auto size = static_cast<std::size_t>(ranks.size());
  double done = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    // A group is that of the rank in whose share of the work its middle lies.
    const double middle = all > 0 ? (done + work[g] / 2) / all : 0;
    const auto rank =
        std::min(static_cast<std::size_t>(middle * static_cast<double>(size)), size - 1);
    const auto here = static_cast<Index>(parts.order.size());
    parts.first.resize(std::max(parts.first.size(), rank + 1), here);
    parts.order.insert(parts.order.end(), groups[g].begin(), groups[g].end());
    done += work[g];
  }
  parts.first.resize(size + 1, static_cast<Index>(parts.order.size()));
  return parts;
}

Parts equal_parts(const Ranks& ranks, Index count, Index size) {
  Parts parts;
  parts.ranks = &ranks;
  parts.order.resize(static_cast<std::size_t>(count * size));
  std::iota(parts.order.begin(), parts.order.end(), Index{0});
  for (Index k = 0; k <= ranks.size(); ++k) {
    parts.first.push_back(count * k / ranks.size() * size);
  }
  return parts;
}

}  // namespace projfgd
