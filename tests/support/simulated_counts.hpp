// Counts of a known state in product bases, drawn outcome by outcome, for tests of statistics.
#pragma once

#include <cmath>
#include <complex>
#include <vector>

#include "projfgd/core/random.hpp"
#include "projfgd/measures/state.hpp"
#include "projfgd/operators/product_basis.hpp"

namespace projfgd::test {

/// All 3^q settings of X, Y and Z.
inline std::vector<Setting> all_settings(int qubits) {
  std::vector<Setting> settings{{}};
  for (int j = 0; j < qubits; ++j) {
    std::vector<Setting> longer;
    for (const Setting& setting : settings) {
      for (const std::uint8_t letter : {0, 1, 2}) {
        longer.push_back(setting);
        longer.back().push_back(letter);
      }
    }
    settings = std::move(longer);
  }
  return settings;
}

/// A factor of (1 - share) |psi><psi| + share I/n.
inline StateFactor with_white(const StateFactor& psi, double share) {
  const Index n = psi.rows();
  StateFactor u(n, n + 1);
  u.col(0) = std::sqrt(1 - share) * psi / psi.norm();
  u.rightCols(n) = std::sqrt(share / static_cast<double>(n)) * StateFactor::Identity(n, n);
  return u;
}

/// As many shots in each setting, of probabilities p; the same for the same seed.
inline Vector<double> simulated_counts(const Vector<double>& p, Index outcomes, int shots,
                                       std::uint64_t seed) {
  const RandomStream random(seed, 0xC0057);
  Vector<double> counts = Vector<double>::Zero(p.size());
  std::uint64_t next = 0;
  for (Index first = 0; first < p.size(); first += outcomes) {
    for (int shot = 0; shot < shots; ++shot) {
      double left = random.uniform(next++) * p.segment(first, outcomes).sum();
      Index k = 0;
      while (k < outcomes - 1 && (left -= p[first + k]) > 0) ++k;
      counts[first + k] += 1;
    }
  }
  return counts;
}

}  // namespace projfgd::test
