#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "projfgd/core/random.hpp"

namespace projfgd {

/// A Poisson number of this mean, from the uniform and normal numbers at one index.
inline double poisson_number(double mean, const RandomStream& random, std::uint64_t index) {
  if (mean > 200) {  // the Anscombe transform is normal enough there
    const double root = 2 * std::sqrt(mean + 0.375) + random.normal(index);
    return std::max(0.0, std::round(root * root / 4 - 0.375));
  }
  const double u = random.uniform(index);
  double term = std::exp(-mean), sum = term, count = 0;
  while (u > sum && count < 1000) sum += term *= mean / ++count;
  return count;
}

}  // namespace projfgd
