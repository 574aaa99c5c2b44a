#include "projfgd/measures/consistency.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>

#include "support/simulated_counts.hpp"
#include "support/support.hpp"

namespace projfgd::test {
namespace {

using Complex = std::complex<double>;

constexpr int qubits = 3, shots = 100;

Vector<double> probabilities(const StateFactor& u) {
  Vector<double> p;
  ProductBasisOperator<Complex>(all_settings(qubits)).forward(u, p);
  return p;
}

Vector<double> equal_shots() { return Vector<double>::Constant(27, shots); }

TEST(Consistency, GoodDataContradictThemselvesAsRarelyAsTheySay) {
  constexpr int sets = 400;
  int below = 0;
  const Vector<double> p = probabilities(with_white(named_state("w", qubits), 0.1));
  for (int run = 0; run < sets; ++run) {
    const Vector<double> counts = simulated_counts(p, 8, shots, run);
    const Consistency found = consistency(all_settings(qubits), counts, equal_shots());
    below += found.worst.p_value < 0.05;
    EXPECT_GT(found.worst.p_value, 1e-5);
  }
  // At most a twentieth, with 4 standard deviations of a binomial count to spare.
  EXPECT_LE(below, 0.05 * sets + 4 * std::sqrt(0.05 * 0.95 * sets));
}

TEST(Consistency, SettingsThatShareNoBasisContradictNothing) {
  const Vector<double> counts{{90, 10, 52, 48, 55, 45}};
  const Consistency found = consistency(all_settings(1), counts, Vector<double>::Constant(3, 100));
  EXPECT_EQ(found.worst.p_value, 1);
}

TEST(Consistency, NamesTheSettingAndTheQubitThatContradictTheOthers) {
  Vector<double> p = probabilities(named_state("zero", qubits));
  const std::vector<Setting> settings = all_settings(qubits);
  const auto odd = std::ranges::find(settings, Setting{0, 2, 1}) - settings.begin();
  Vector<double> counts = simulated_counts(p, 8, shots, 1);
  // In this setting qubit 1, which is always 0 along Z, is found in 1.
  auto block = counts.segment(odd * 8, 8);
  const Vector<double> before = block;
  for (Index k = 0; k < 8; ++k) block[k] = before[k ^ 2];
  const Consistency found = consistency(settings, counts, equal_shots());
  EXPECT_EQ(found.worst.qubit, 1);
  EXPECT_EQ(found.worst.basis, 2);
  EXPECT_EQ(found.worst.setting, odd);
  EXPECT_NEAR(found.worst.value, -1, 1e-12);
  EXPECT_LT(found.worst.p_value, 1e-9);
}

TEST(Consistency, FindsReversedLabelsWithoutKnowingTheShots) {
  const std::vector<Setting> settings = all_settings(qubits);
  std::vector<Setting> reversed = settings;
  for (Setting& setting : reversed) std::ranges::reverse(setting);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const StateFactor u = normalised(random_factor<Complex>(8, 2, seed));
    const Vector<double> frequencies = simulated_counts(probabilities(u), 8, shots, seed) / shots;
    const Vector<double> unknown = Vector<double>::Ones(27);
    EXPECT_FALSE(labels_seem_reversed(settings, frequencies, unknown)) << seed;
    EXPECT_TRUE(labels_seem_reversed(reversed, frequencies, unknown)) << seed;
  }
}

}  // namespace
}  // namespace projfgd::test
