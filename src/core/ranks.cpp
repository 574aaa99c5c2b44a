#include "projfgd/core/ranks.hpp"

#include <cstring>

namespace projfgd {

void Alone::gather(const void* mine, const std::vector<std::size_t>& counts, void* all) const {
  if (counts.front() > 0) std::memcpy(all, mine, counts.front());
}

const Ranks& alone() {
  static const Alone only;
  return only;
}

}  // namespace projfgd
