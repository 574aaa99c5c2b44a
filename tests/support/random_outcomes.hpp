#pragma once

#include <algorithm>

#include "projfgd/operators/seen_outcomes.hpp"
#include "support/support.hpp"

namespace projfgd::test {

/// Some outcomes of some settings in the first `bases` bases, by chance; the second setting was
/// never seen to do anything.
inline SeenOutcomes random_outcomes(int qubits, int settings, int seen, std::uint64_t seed,
                                    std::uint64_t bases = 3) {
  const RandomStream random(seed, 1);
  SeenOutcomes out;
  std::uint64_t draw = 0;
  for (int s = 0; s < settings; ++s) {
    Setting setting(static_cast<std::size_t>(qubits));
    for (auto& basis : setting) basis = static_cast<std::uint8_t>(random.below(bases, draw++));
    out.settings.push_back(setting);
    std::vector<std::uint32_t> outcomes;
    for (int i = 0; i < seen && s != 1; ++i) {
      outcomes.push_back(
          static_cast<std::uint32_t>(random.below(std::uint64_t{1} << qubits, draw++)));
    }
    std::ranges::sort(outcomes);
    outcomes.erase(std::unique(outcomes.begin(), outcomes.end()), outcomes.end());
    out.outcomes.insert(out.outcomes.end(), outcomes.begin(), outcomes.end());
    out.first.push_back(static_cast<Index>(out.outcomes.size()));
  }
  return out;
}

inline Readout errors_of(int qubits) {
  Readout readout;
  for (int j = 0; j < qubits; ++j) {
    const double e = 0.02 + 0.01 * j;
    readout.per_qubit.push_back({{{1 - e, 2 * e}, {e, 1 - 2 * e}}});
  }
  return readout;
}

/// The same over all outcomes, and outcomes that are confused together.
inline Readout joint_errors_of(int qubits) {
  Matrix<double> all = Matrix<double>::Ones(1, 1);
  for (const auto& one : errors_of(qubits).per_qubit) {
    const Matrix<double> before = all;
    const Index n = before.rows();
    all.resize(2 * n, 2 * n);
    for (int k = 0; k < 2; ++k) {
      for (int j = 0; j < 2; ++j) all.block(k * n, j * n, n, n) = one[k][j] * before;
    }
  }
  all *= 0.9;
  all.bottomRows(1).array() += 0.1;  // all qubits read 1
  return {.per_qubit = {}, .full = all};
}

}  // namespace projfgd::test
