#include "projfgd/measures/acceptance.hpp"

#include <gtest/gtest.h>

#include "projfgd/core/random.hpp"

namespace projfgd {
namespace {

/// A sum of squares of so many normal numbers.
double chi_square(Index freedom, std::uint64_t draw) {
  const RandomStream random(7, draw);
  double sum = 0;
  for (Index k = 0; k < freedom; ++k) {
    const double x = random.normal(static_cast<std::uint64_t>(k));
    sum += x * x;
  }
  return sum;
}

// The cube root of a chi-square is normal also for few degrees of freedom: its quantiles hold.
TEST(Acceptance, DeviationsHaveTheQuantilesOfTheNormalDistribution) {
  constexpr int draws = 20000;
  for (const Index freedom : {4, 40}) {
    const auto k = static_cast<double>(freedom);
    int above_one = 0, above_two = 0;
    for (int draw = 0; draw < draws; ++draw) {
      const double deviations =
          deviations_above({chi_square(freedom, static_cast<std::uint64_t>(draw)), k, 2 * k});
      above_one += deviations > 1 ? 1 : 0;
      above_two += deviations > 2 ? 1 : 0;
    }
    // Four standard deviations of a count with these chances.
    EXPECT_NEAR(above_one, 0.1587 * draws, 4 * std::sqrt(0.1587 * 0.8413 * draws)) << freedom;
    EXPECT_NEAR(above_two, 0.0228 * draws, 4 * std::sqrt(0.0228 * 0.9772 * draws)) << freedom;
  }
}

TEST(Acceptance, RefusesWhatChanceAndAUsefulModelDoNotExplain) {
  const Deviance few{30, 20, 40}, many{1.1e4, 1e4, 2e4}, too_many{1.2e4, 1e4, 2e4};
  EXPECT_TRUE(is_accepted(few));   // half as much again of twenty is chance
  EXPECT_TRUE(is_accepted(many));  // a tenth of ten thousand is not, but hardly worse
  EXPECT_FALSE(is_accepted(too_many));
}

TEST(Acceptance, AFitTakesTheShareOfItsNumbers) {
  const Deviance left = Deviance{10, 100, 200}.after_fit(25, 100);
  EXPECT_EQ(left.sum, 10);
  EXPECT_EQ(left.expected, 75);
  EXPECT_EQ(left.variance, 150);
}

}  // namespace
}  // namespace projfgd
