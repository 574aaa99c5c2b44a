#include "projfgd/core/sums.hpp"

#include <vector>

#include "projfgd/core/chunks.hpp"

namespace projfgd {

Sums sum_chunks(Index size, const std::function<Sums(Index, Index)>& body) {
  constexpr Index chunk = Index{1} << 14, worth_threads = 8;
  std::vector<Sums> parts((size + chunk - 1) / chunk);
  for_each_chunk(size, chunk, worth_threads,
                 [&](Index k, Index begin, Index length) { parts[k] = body(begin, length); });
  Sums total{};
  for (const Sums& part : parts) {
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += part[i];
  }
  return total;
}

}  // namespace projfgd
