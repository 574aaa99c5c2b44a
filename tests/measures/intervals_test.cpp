#include "projfgd/measures/intervals.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <functional>
#include <map>
#include <string>

#include "projfgd/core/random.hpp"
#include "projfgd/core/small_matrix.hpp"
#include "support/simulated_counts.hpp"
#include "support/support.hpp"

namespace projfgd::test {
namespace {

using Complex = std::complex<double>;

constexpr int qubits = 2;
constexpr Index n = 4;
constexpr int simulations = 400;
/// Intervals of 95% that cover in at least 90 and at most 99.5 of 100 repetitions pass with 4
/// standard deviations of a binomial count to spare: 4 sqrt(0.9 0.1 / 400) = 0.06, and
/// 4 sqrt(0.95 0.05 / 400) = 0.044 around the level itself.
constexpr double least_coverage = 0.95 - 0.044;

struct Truth {
  std::string name;
  StateFactor factor;
};

std::vector<Truth> truths() {
  const StateFactor bell = named_state("bell", qubits);
  StateFactor pair = random_factor<Complex>(n, 2, 5);
  StateFactor any = random_factor<Complex>(n, 4, 6);
  return {{"pure", named_state("w", qubits)},
          {"nearly pure", with_white(bell, 0.003)},
          {"a tenth white", with_white(bell, 0.1)},
          {"rank 2", pair / pair.norm()},
          {"full rank", any / any.norm()}};
}

/// How often the intervals of each quantity hold the truth.
std::map<std::string, double> coverage(const StateFactor& truth, int shots) {
  const OutcomeMap map(all_settings(qubits));
  Vector<double> p;
  map.forward(pauli_coordinates(truth, truth), p);
  const StateFactor bell = named_state("bell", qubits);
  const PauliString xx = parse_pauli("XX"), zi = parse_pauli("ZI");
  const Vector<double> x = pauli_coordinates(truth, truth);
  std::map<std::string, double> hits;
  for (int run = 0; run < simulations; ++run) {
    const Vector<double> counts = simulated_counts(p, n, shots, 100 + run);
    // The weights come from the data, as those of a fit do.
    const CountsEstimate estimate(map, counts, Vector<double>::Constant(map.settings(), shots),
                                  counts / shots);
    const auto holds = [&](const char* what, const std::optional<Interval>& found, double value,
                           double low, double high) {
      ASSERT_TRUE(found) << what;
      const Interval interval = clipped(*found, low, high);
      const double rounding = 1e-12;
      hits[what] += interval.low <= value + rounding && value <= interval.high + rounding;
    };
    holds("fidelity", estimate.expectation(projector_observable(bell)), fidelity(truth, bell), 0,
          1);
    holds("XX", estimate.expectation(pauli_observable(xx, qubits)), x[pauli_position(xx, qubits)],
          -1, 1);
    holds("ZI", estimate.expectation(pauli_observable(zi, qubits)), x[pauli_position(zi, qubits)],
          -1, 1);
    holds("purity", estimate.purity(), purity(truth), 0, 1);
    const Interval bits = entropy_interval(*estimate.purity(), n);
    holds("entropy", bits, entropy(eigenvalues(truth)), 0, qubits);
  }
  for (auto& [what, count] : hits) count /= simulations;
  return hits;
}

TEST(CountsIntervals, HoldTheTruthAsOftenAsTheySayWhateverTheState) {
  for (const Truth& truth : truths()) {
    for (const auto& [what, share] : coverage(truth.factor, 150)) {
      EXPECT_GE(share, least_coverage) << what << " of " << truth.name;
    }
  }
}

TEST(CountsIntervals, ShrinkWithTheRootOfTheShots) {
  const OutcomeMap map(all_settings(qubits));
  const StateFactor truth = with_white(named_state("bell", qubits), 0.1);
  Vector<double> p;
  map.forward(pauli_coordinates(truth, truth), p);
  const auto width = [&](double shots) {
    const CountsEstimate estimate(map, shots * p, Vector<double>::Constant(map.settings(), shots),
                                  p);
    const auto found = estimate.expectation(projector_observable(named_state("bell", qubits)));
    return found->high - found->low;
  };
  EXPECT_NEAR(width(1e5) / width(4e5), 2, 0.01);
}

TEST(CountsIntervals, AreAbsentForWhatTheSettingsDoNotSee) {
  const std::vector<Setting> settings{{0, 0}, {2, 2}};  // XX and ZZ
  const OutcomeMap map(settings);
  const Vector<double> counts = Vector<double>::Constant(8, 25);
  const CountsEstimate estimate(map, counts, Vector<double>::Constant(2, 100), counts / 100);
  EXPECT_TRUE(estimate.expectation(pauli_observable(parse_pauli("XX"), qubits)));
  EXPECT_TRUE(estimate.expectation(pauli_observable(parse_pauli("IZ"), qubits)));
  EXPECT_FALSE(estimate.expectation(pauli_observable(parse_pauli("YY"), qubits)));
  EXPECT_FALSE(estimate.expectation(projector_observable(named_state("bell", qubits))));
  EXPECT_FALSE(estimate.purity());
}

TEST(CountsIntervals, HoldThePurityOfManyQubits) {
  constexpr int many = 6, runs = 60;  // 4096 coordinates, whose traces random signs tell
  constexpr Index dimension = Index{1} << many;
  const OutcomeMap map(all_settings(many));
  for (const double white : {0.0, 0.2}) {
    const StateFactor truth = with_white(named_state("ghz", many), white);
    Vector<double> p;
    map.forward(pauli_coordinates(truth, truth), p);
    double hits = 0;
    for (int run = 0; run < runs; ++run) {
      const Vector<double> counts = simulated_counts(p, dimension, 50, 300 + run);
      const auto found =
          CountsEstimate(map, counts, Vector<double>::Constant(map.settings(), 50), counts / 50)
              .purity();
      ASSERT_TRUE(found);
      hits += found->low <= purity(truth) + 1e-12 && purity(truth) <= found->high + 1e-12;
    }
    EXPECT_GE(hits / runs, 0.95 - 4 * std::sqrt(0.95 * 0.05 / runs)) << white;
  }
}

TEST(PauliIntervals, HoldTheTruthAsOftenAsTheySay) {
  std::vector<PauliString> strings;
  for (std::uint32_t x = 0; x < 4; ++x) {
    for (std::uint32_t z = 0; z < 4; ++z) {
      if (x + z > 0) strings.push_back({x, z});
    }
  }
  const StateFactor bell = named_state("bell", qubits), truth = with_white(bell, 0.02);
  const Vector<double> exact = expectations(strings, truth);
  const double error = 0.05;
  double fidelities = 0, purities = 0;
  for (int run = 0; run < simulations; ++run) {
    const Vector<double> noise = random_vector<double>(exact.size(), 900 + run);
    const PauliEstimate estimate(qubits, strings, exact + error * noise,
                                 Vector<double>::Constant(exact.size(), error));
    const auto f = estimate.expectation(projector_observable(bell));
    const auto q = estimate.purity();
    ASSERT_TRUE(f && q);
    fidelities += f->low <= fidelity(truth, bell) && fidelity(truth, bell) <= f->high;
    purities += q->low <= purity(truth) && purity(truth) <= q->high;
  }
  EXPECT_GE(fidelities / simulations, least_coverage);
  EXPECT_GE(purities / simulations, least_coverage);
  strings.pop_back();
  const PauliEstimate some(qubits, strings, exact.head(14), Vector<double>::Constant(14, error));
  EXPECT_FALSE(some.purity());
}

TEST(LargestEigenvalueInterval, HoldsTheTruthWhereTheEigenvectorFollowsTheNoise) {
  // A diagonal state and Gaussian noise of the same deviation in every direction, at many gaps:
  // random_hermitian has variance 1 along every unit direction.
  constexpr Index levels = 8;
  for (const double spread : {0.0, 0.05, 0.3}) {
    const double noise = 0.02;
    Vector<double> truth(levels);
    for (Index k = 0; k < levels; ++k) truth[k] = 0.3 - spread * static_cast<double>(k) / levels;
    int held = 0;
    for (int run = 0; run < simulations; ++run) {
      const Matrix<Complex> error = noise * random_hermitian<Complex>(levels, 40 + run);
      const auto eigen = hermitian_eigen<Complex>(Matrix<Complex>(truth.asDiagonal()) + error);
      const Vector<double> values = eigen.values.reverse();
      const double half = normal_quantile * noise;
      const Interval found =
          largest_eigenvalue_interval({values[0] - half, values[0] + half}, values, levels);
      held += found.low <= truth[0] && truth[0] <= found.high;
    }
    EXPECT_GE(static_cast<double>(held) / simulations, least_coverage) << spread;
  }
}

TEST(EntropyInterval, HoldsTheEntropyOfEverySpectrumOfThatPurity) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const StateFactor u = normalised(random_factor<Complex>(8, 1 + seed % 8, seed));
    const double p = purity(u), bits = entropy(eigenvalues(u));
    const Interval found = entropy_interval({p, p}, 8);
    EXPECT_LE(found.low, bits + 1e-12);
    EXPECT_GE(found.high, bits - 1e-12);
  }
  EXPECT_NEAR(entropy_interval({0.125, 0.125}, 8).high, 3, 1e-12);
  EXPECT_NEAR(entropy_interval({1, 1}, 8).high, 0, 1e-12);
}

}  // namespace
}  // namespace projfgd::test
