#include "jobs/tomography/random_experiment.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace projfgd {

StateFactor random_state(Index n, Index rank, std::uint64_t seed) {
  StateFactor u(n, rank);
  fill_normal(RandomStream(seed, state_stream), u);
  return normalised(u);
}

std::vector<std::uint64_t> distinct_numbers(std::uint64_t count, std::uint64_t bound,
                                            std::uint64_t seed) {
  const RandomStream random(seed, choice_stream);
  std::vector<std::uint64_t> chosen;
  if (2 * count > bound) {  // shuffle all of them
    chosen.resize(bound);
    for (std::uint64_t k = 0; k < bound; ++k) chosen[k] = k;
    for (std::uint64_t k = 0; k < count; ++k) {
      std::swap(chosen[k], chosen[k + random.below(bound - k, k)]);
    }
    chosen.resize(count);
    return chosen;
  }
  std::unordered_set<std::uint64_t> seen;
  for (std::uint64_t k = 0; chosen.size() < count; ++k) {
    const std::uint64_t number = random.below(bound, k);
    if (seen.insert(number).second) chosen.push_back(number);
  }
  return chosen;
}

std::map<Index, std::int64_t> draw_outcomes(const Vector<double>& p, std::int64_t shots,
                                            const RandomStream& random, std::uint64_t first) {
  std::vector<double> cumulative(static_cast<std::size_t>(p.size()));
  double sum = 0;
  for (Index k = 0; k < p.size(); ++k) cumulative[static_cast<std::size_t>(k)] = sum += p[k];
  std::map<Index, std::int64_t> counts;
  for (std::int64_t shot = 0; shot < shots; ++shot) {
    const double at = sum * random.uniform(first + static_cast<std::uint64_t>(shot));
    const auto it = std::upper_bound(cumulative.begin(), cumulative.end() - 1, at);
    ++counts[it - cumulative.begin()];
  }
  return counts;
}

}  // namespace projfgd
