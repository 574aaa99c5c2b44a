#include "jobs/tomography/random_experiment.hpp"

#include <unordered_set>
#include <utility>

#include "projfgd/core/random.hpp"

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

}  // namespace projfgd
