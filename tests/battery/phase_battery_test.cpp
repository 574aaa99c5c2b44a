// A part of the battery, small enough for every change: rates, not single problems.
#include <gtest/gtest.h>

#include <filesystem>

#include "battery/phase_pictures.hpp"
#include "battery/phase_problems.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/io/files.hpp"

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

TEST(Pictures, AreCutToTheirMiddleAndReduced) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "pictures";
  std::filesystem::create_directories(folder);
  std::filesystem::remove(folder / "wide.png");
  EXPECT_THROW(Pictures{folder}, FileError);
  Image wide{4, 8, 3, {}};  // black beside a middle whose red is 1 above and 0.6 below
  for (Index i = 0; i < wide.height; ++i) {
    for (Index j = 0; j < wide.width; ++j) {
      const double red = j < 2 || j >= 6 ? 0 : i < 2 ? 1 : 0.6;
      wide.values.insert(wide.values.end(), {red, 0, 0});
    }
  }
  write_file(folder / "wide.png", png_bytes(wide, 16));
  std::mt19937_64 random(1);
  const std::vector<double> grey = Pictures(folder).draw(2, 2, random);
  ASSERT_EQ(grey.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(grey[k], k < 2 ? 1.0 / 3 : 0.2, 1e-4) << k;
}

}  // namespace
}  // namespace projfgd::battery
