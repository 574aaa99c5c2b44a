#include "projfgd/measures/goodness.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "projfgd/core/random.hpp"
#include "projfgd/measures/determined.hpp"

namespace projfgd {
namespace {

Vector<double> vector(std::initializer_list<double> values) {
  Vector<double> v(static_cast<Index>(values.size()));
  Index i = 0;
  for (const double value : values) v[i++] = value;
  return v;
}

TEST(Goodness, OfValuesIsTheSumOfSquaresOverTheirErrors) {
  const Goodness good =
      goodness_of_values(vector({0.5, 0, 1}), vector({0.4, 0.3, 1}), vector({0.1, 0.1, 0.2}), 3);
  EXPECT_NEAR(good.chi_square, 1 + 9, 1e-12);
  EXPECT_NEAR(good.residual, std::sqrt(0.01 + 0.09), 1e-12);
  EXPECT_NEAR(good.floor, std::sqrt(0.01 + 0.01 + 0.04), 1e-12);
  EXPECT_EQ(good.expected, 3);
}

TEST(Goodness, WithoutErrorsThereIsNothingToTestBy) {
  const Goodness good = goodness_of_values(vector({0.5}), vector({0.4}), {}, 1);
  EXPECT_TRUE(std::isnan(good.chi_square));
  EXPECT_FALSE(GoodnessTest{good}.is_possible());
}

/// Chi-square of counts drawn from p itself, 2000 times.
struct Drawn {
  double mean = 0, variance = 0;
  Goodness last = {};
  int refused = 0;
};

Drawn draw(const Vector<double>& p, int shots) {
  constexpr int sets = 2000;
  const RandomStream random(7, 1);
  std::uint64_t next = 0;
  Drawn out;
  for (int k = 0; k < sets; ++k) {
    Vector<double> counts = Vector<double>::Zero(p.size());
    for (int shot = 0; shot < shots; ++shot) {
      double at = random.uniform(next++);
      Index i = 0;
      while (i + 1 < p.size() && at >= p[i]) at -= p[i++];
      counts[i] += 1;
    }
    out.last = goodness_of_counts(p, counts, vector({static_cast<double>(shots)}), true);
    out.mean += out.last.chi_square / sets;
    out.variance += std::pow(out.last.chi_square, 2) / sets;
    out.refused += GoodnessTest{out.last, static_cast<double>(p.size() - 1), true}.fits() ? 0 : 1;
  }
  out.variance -= out.mean * out.mean;
  return out;
}

TEST(Goodness, OfCountsHasTheMeanAndVarianceThatItSays) {
  for (const int shots : {50, 1000}) {
    const Drawn drawn = draw(vector({0.4, 0.3, 0.2, 0.1}), shots);
    const double variance = 2 * 3 + drawn.last.excess_variance;
    EXPECT_NEAR(drawn.last.expected, 3, 1e-12);
    // The standard error of the mean, and of the variance of a chi-square with 3 degrees: its
    // kurtosis is 3 + 12 / 3.
    EXPECT_NEAR(drawn.mean, 3, 4 * std::sqrt(variance / 2000)) << shots;
    EXPECT_NEAR(drawn.variance, variance, 4 * variance * std::sqrt(6.0 / 2000)) << shots;
  }
}

TEST(Goodness, OfGoodCountsIsRefusedOnceInThirtyThousand) {
  EXPECT_LE(draw(vector({0.4, 0.3, 0.2, 0.1}), 100).refused, 2);
}

TEST(Goodness, OfOtherCountsIsRefused) {
  const Vector<double> counts = vector({500, 200, 200, 100});
  const Goodness good =
      goodness_of_counts(vector({0.4, 0.3, 0.2, 0.1}), counts, vector({1000}), true);
  EXPECT_NEAR(good.chi_square, 100.0 * 100 / 400 + 100.0 * 100 / 300, 1e-9);
  EXPECT_FALSE((GoodnessTest{good, 3, true}.fits()));
}

TEST(Goodness, ParametersAreThoseOfTheEigenvaluesThatAreNotHeldAtZero) {
  // 189 numbers, 63 determined; a pure state of 8 dimensions has 14 parameters.
  EXPECT_EQ(fitted_parameters(63, 8, vector({1, 1e-6, 0})), 14);
  EXPECT_EQ(fitted_parameters(63, 8, Vector<double>::Constant(8, 0.125)), 63);
  EXPECT_EQ(fitted_parameters(10, 8, Vector<double>::Constant(8, 0.125)), 10);
}

TEST(Determined, CountsDifferentPauliStrings) {
  const PauliString identity{0, 0}, x{1, 0}, z{0, 1};
  EXPECT_EQ(count_independent(std::vector{identity, x, x, z}), 3);
  EXPECT_EQ(count_determined(std::vector{identity, x, x, z}), 2);
}

TEST(Determined, SettingsShareTheStringsOfQubitsOnWhichTheyAgree) {
  const Setting xx = {0, 0}, xz = {0, 2}, zz = {2, 2};
  EXPECT_EQ(count_determined(std::vector<Setting>{xx}, 3, 2), 3);
  EXPECT_EQ(count_determined(std::vector<Setting>{xx, zz}, 3, 2), 6);
  EXPECT_EQ(count_determined(std::vector<Setting>{xx, xz}, 3, 2), 5);  // XI is seen twice
  EXPECT_EQ(count_independent(2, 2), 6);
  std::vector<Setting> all;
  for (std::uint8_t a = 0; a < 3; ++a) {
    for (std::uint8_t b = 0; b < 3; ++b) all.push_back({a, b});
  }
  EXPECT_EQ(count_determined(all, 3, 2), 15);
}

}  // namespace
}  // namespace projfgd
