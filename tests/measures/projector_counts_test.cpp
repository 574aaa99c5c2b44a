#include "projfgd/measures/projector_counts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "projfgd/measures/state.hpp"
#include "projfgd/operators/projectors.hpp"
#include "support/random_problem.hpp"

namespace projfgd::test {
namespace {

using Complex = std::complex<double>;

/// H, V, D, R, A and L, the first four of which tell all of a qubit.
std::vector<QubitState> states() {
  const double half = std::sqrt(0.5);
  const Complex i(0, half);
  return {{1, 0}, {0, 1}, {half, half}, {half, i}, {half, -half}, {half, -i}};
}

std::vector<Setting> products(std::uint8_t letters) {
  std::vector<Setting> all;
  for (std::uint8_t a = 0; a < letters; ++a) {
    for (std::uint8_t b = 0; b < letters; ++b) all.push_back({a, b});
  }
  return all;
}

/// Rank one in white noise.
StateFactor noisy(double white, std::uint64_t seed) {
  StateFactor u(4, 5);
  u << std::sqrt(1 - white) * normalised(random_factor<Complex>(4, 1, seed)),
      std::sqrt(white / 4) * StateFactor::Identity(4, 4);
  return u;
}

struct Experiment {
  Matrix<double> coordinates;
  Vector<double> p, exposures, accidentals, counts;

  Experiment(const StateFactor& u, std::uint8_t letters, double intensity, double background)
      : coordinates(projector_coordinates(states(), products(letters))),
        p(coordinates * pauli_coordinates(u, u)),
        exposures(p.size()),
        accidentals(Vector<double>::Constant(p.size(), background)),
        counts(p.size()) {
    for (Index i = 0; i < p.size(); ++i) exposures[i] = intensity * (i % 3 == 0 ? 0.5 : 1);
  }
  void draw(std::mt19937_64& random) {
    for (Index i = 0; i < p.size(); ++i) {
      std::poisson_distribution<int> number(exposures[i] * p[i] + accidentals[i]);
      counts[i] = number(random);
    }
  }
  ProjectorCounts data() const { return {counts, exposures, accidentals}; }
};

TEST(ProjectorCounts, TheLikeliestIntensityHasNoSlope) {
  for (const double background : {0.0, 5.0}) {
    Experiment found(noisy(0.1, 1), 4, 300, background);
    found.counts = (1.25 * found.exposures.cwiseProduct(found.p) + found.accidentals);
    EXPECT_NEAR(likeliest_intensity(found.data(), found.p), 1.25, 1e-12);
  }
  Experiment none(noisy(0.1, 1), 4, 300, 5);  // fewer counts than accidentals alone would give
  none.counts = Vector<double>::Constant(16, 1);
  EXPECT_NEAR(likeliest_intensity(none.data(), none.p), 0, 1e-12);
}

TEST(ProjectorCounts, ChiSquareHasTheMeanThatIsExpected) {
  std::mt19937_64 random(1);
  double chi_square = 0, expected = 0, variance = 0;
  for (int set = 0; set < 400; ++set) {
    Experiment drawn(noisy(0.05, 3), 6, 100, set % 2 == 0 ? 0 : 4);
    drawn.draw(random);
    const Goodness good = goodness_of_projectors(drawn.data(), drawn.p);
    chi_square += good.chi_square;
    expected += good.expected;
    variance += 2 * good.expected + good.excess_variance;
  }
  EXPECT_NEAR(chi_square, expected, 4 * std::sqrt(variance));
}

TEST(ProjectorCounts, TheRankTellsWhatIsDetermined) {
  EXPECT_EQ(count_determined(projector_coordinates(states(), products(4))), 16);
  EXPECT_EQ(count_determined(projector_coordinates(states(), products(6))), 16);
  EXPECT_EQ(count_determined(projector_coordinates(states(), products(3))), 9);
}

/// Of 95% intervals of fidelity, a Pauli and the purity, over states, sets and intensities: what
/// they hold of 600 sets. Three deviations of 95% in 600 are 2.7%.
TEST(ProjectorCounts, IntervalsHoldTheTruth) {
  constexpr int sets = 600;
  std::mt19937_64 random(7);
  for (const std::uint8_t letters : {4, 6}) {
    for (const double white : {0.0, 0.1, 0.6}) {
      for (const double intensity : {200.0, 5000.0}) {
        const StateFactor u = noisy(white, 11);
        const StateFactor target = normalised(StateFactor(u.col(0)));
        const Vector<double> fidelity_of = projector_observable(target);
        const Vector<double> pauli_of = pauli_observable(parse_pauli("XZ"), 2);
        const Vector<double> x = pauli_coordinates(u, u);
        const double truths[] = {fidelity_of.dot(x), pauli_of.dot(x), x.squaredNorm() / 4};
        int held[3] = {};
        for (int set = 0; set < sets; ++set) {
          Experiment drawn(u, letters, intensity, set % 2 == 0 ? 0 : 3);
          drawn.draw(random);
          const ProjectorEstimate estimate(drawn.coordinates, drawn.data(), drawn.p);
          const auto holds = [](const std::optional<Interval>& found, double truth) {
            return found && found->low <= truth + 1e-12 && truth <= found->high + 1e-12;
          };
          held[0] += holds(estimate.expectation(fidelity_of), truths[0]);
          held[1] += holds(estimate.expectation(pauli_of), truths[1]);
          held[2] += holds(estimate.purity(), truths[2]);
        }
        for (int k = 0; k < 3; ++k) {
          EXPECT_GE(held[k], 0.90 * sets)
              << k << " " << int(letters) << " " << white << " " << intensity;
        }
      }
    }
  }
}

TEST(ProjectorCounts, WhatNoProjectorShowsHasNoInterval) {
  Experiment drawn(noisy(0.1, 2), 3, 1000, 0);  // H, V and D show no Y
  std::mt19937_64 random(1);
  drawn.draw(random);
  const ProjectorEstimate estimate(drawn.coordinates, drawn.data(), drawn.p);
  EXPECT_TRUE(estimate.expectation(pauli_observable(parse_pauli("XZ"), 2)));
  EXPECT_FALSE(estimate.expectation(pauli_observable(parse_pauli("XY"), 2)));
  EXPECT_FALSE(estimate.purity());
}

}  // namespace
}  // namespace projfgd::test
