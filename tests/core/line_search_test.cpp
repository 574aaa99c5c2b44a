#include "projfgd/core/line_search.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "projfgd/core/random.hpp"

namespace projfgd {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Quartic, FindsTheLowerOfTwoValleys) {
  // (t-1)^2 (t-3)^2 + t/10: valleys near 1 and 3, the first one lower.
  const Quartic q{{9, -24 + 0.1, 22, -8, 1}};
  EXPECT_NEAR(minimiser(q, infinity), 0.9877268689673191, 1e-14);
  const Quartic tilted{{9, -24 - 0.1, 22, -8, 1}};
  EXPECT_NEAR(minimiser(tilted, infinity), 3.012273131032681, 1e-14);
  EXPECT_NEAR(minimiser(tilted, 2.0), 1.012742523337647, 1e-14);
}

TEST(Quartic, NeverWorseThanAGridAtAnyScale) {
  const RandomStream random(3, 1);
  for (int k = 0; k < 2000; ++k) {
    const double unit = std::pow(10.0, 24 * random.uniform(10 * k) - 12);
    const double height = std::pow(10.0, 24 * random.uniform(10 * k + 1) - 12);
    Quartic q;
    for (int i = 1; i <= 4; ++i) {
      q.c[i] = height * random.normal(10 * k + 1 + i) / std::pow(unit, i);
    }
    q.c[1] = -std::abs(q.c[1]);
    q.c[4] = std::abs(q.c[4]);
    const double longest = 3 * unit, found = minimiser(q, longest);
    ASSERT_GT(found, 0);
    ASSERT_LE(found, longest);
    for (int i = 1; i <= 300; ++i) {
      ASSERT_LE(q(found), q(longest * i / 300) + 1e-12 * height) << "case " << k;
    }
  }
}

TEST(FirstZero, FindsTheTurningPointInsideADomain) {
  // The slope of (t - 1)^2 - 0.1 log(2 - t), which is defined below 2 alone.
  const auto slope = [](double t) {
    return t < 2 ? 2 * (t - 1) + 0.1 / (2 - t) : std::numeric_limits<double>::quiet_NaN();
  };
  const double t = first_zero(slope, 8.0, infinity);
  EXPECT_NEAR(slope(t), 0, 2e-3 * std::abs(slope(0)));
}

TEST(FirstZero, FindsTheTurningPointBesideAnEdgeOfTheDomain) {
  // The slope of total t - count log t, which a likelihood has along a ray: infinite at 0.
  for (const double total : {1e-3, 1.0, 100.0, 5e4, 1e9}) {
    const auto slope = [total](double t) { return total - 1 / t; };
    EXPECT_NEAR(first_zero(slope, 1.0, infinity) * total, 1, 0.01) << total;
  }
}

TEST(FirstZero, IsZeroWhereTheSlopeDoesNotFall) {
  EXPECT_EQ(first_zero([](double t) { return 1 + t; }, 1.0, infinity), 0);
  EXPECT_EQ(first_zero([](double t) { return t > 0 ? 1.0 : -infinity; }, 1.0, infinity), 0);
}

}  // namespace
}  // namespace projfgd
