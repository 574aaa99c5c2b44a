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

TEST(PhaseBattery, FindsImagesOfOnePattern) {
  for (const char* family : {"one pattern", "one pattern, photons", "one pattern, complex"}) {
    const Rates rates = rates_of(family, 8);
    EXPECT_GE(rates.found, 7) << family;
    EXPECT_EQ(rates.wrong_called_right, 0) << family;
    EXPECT_LE(rates.right_called_wrong, 1) << family;
  }
}

// An attempt of a hundred sweeps on the data as they are given, and one on each other reading:
// twice what that takes of six patterns, because it is polished on the way.
TEST(PhaseBattery, NamesMistakesBeforeLongWork) {
  for (const char* family : {"conjugated masks", "amplitudes", "not centred"}) {
    const Rates rates = rates_of(family, 8);
    EXPECT_GE(rates.named, 7) << family;
    EXPECT_EQ(rates.wrong_called_right, 0) << family;
    EXPECT_LE(rates.most_transforms, 2 * 4 * 100 * 12) << family;
  }
}

TEST(PhaseBattery, CallsNothingRightThatCannotBe) {
  for (const char* family : {"other masks", "two patterns, no set", "background"}) {
    EXPECT_EQ(rates_of(family, 4).wrong_called_right, 0) << family;
  }
}

}  // namespace
}  // namespace projfgd::battery
