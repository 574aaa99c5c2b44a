// A part of the battery, small enough for every change: rates, not single problems.
#include <gtest/gtest.h>

#include "battery/phase_problems.hpp"

namespace projfgd::battery {
namespace {

Rates rates_of(const std::string& name, int problems) {
  Rates rates;
  for (const Family& family : families()) {
    if (family.name != name) continue;
    for (int k = 0; k < problems; ++k) rates.add(run(family, k, 1));
  }
  EXPECT_EQ(rates.problems, problems) << name;
  return rates;
}

TEST(PhaseBattery, HasAtLeastFourHundredProblems) {
  int problems = 0;
  for (const Family& family : families()) problems += family.problems;
  EXPECT_GE(problems, 400);
}

TEST(PhaseBattery, FindsImagesWithoutNoise) {
  for (const char* family : {"coded, no noise", "nonnegative, no noise", "nonnegative-l1"}) {
    const Rates rates = rates_of(family, 12);
    EXPECT_GE(rates.found, 11) << family;
    EXPECT_LE(rates.wrong_called_right + rates.right_called_wrong, 1) << family;
  }
}

TEST(PhaseBattery, FindsImagesUnderNoiseAndTrustsThem) {
  for (const char* family : {"coded, detector noise", "coded, photons", "nonnegative, noise"}) {
    const Rates rates = rates_of(family, 12);
    EXPECT_GE(rates.found, 11) << family;
    EXPECT_LE(rates.wrong_called_right, 0) << family;
    EXPECT_LE(rates.right_called_wrong, 1) << family;
  }
}

TEST(PhaseBattery, CallsNothingRightThatCannotBe) {
  for (const char* family : {"other masks", "conjugated masks", "two patterns, no set"}) {
    EXPECT_EQ(rates_of(family, 6).wrong_called_right, 0) << family;
  }
}

}  // namespace
}  // namespace projfgd::battery
