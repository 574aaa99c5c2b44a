#include "projfgd/measures/ring_correlation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

#include "projfgd/core/random.hpp"

namespace projfgd {
namespace {

using Image = Matrix<std::complex<double>>;

Image noise(Index pixels, std::uint64_t seed) {
  Image image(pixels, 1);
  fill_normal(RandomStream(seed, 0), image);
  return image;
}

/// A wave of so many cycles a pixel along the rows.
Image wave(Index height, Index width, double cycles) {
  Image image(height * width, 1);
  for (Index i = 0; i < height * width; ++i) {
    image(i, 0) = std::polar(1.0, 2 * std::numbers::pi * cycles * static_cast<double>(i % width));
  }
  return image;
}

TEST(RingCorrelation, AnImageAgreesWithItselfInAnyPhaseAndScale) {
  for (const auto& [height, width] : {std::pair<Index, Index>{32, 32}, {17, 40}}) {
    const Image x = noise(height * width, 1);
    const RingCorrelation rings = ring_correlation(x, x * std::polar(3.0, 1.0), height, width);
    ASSERT_EQ(rings.correlation.size(), std::min(height, width) / 2);
    for (const double value : rings.correlation) EXPECT_NEAR(value, 1, 1e-12);
    EXPECT_EQ(rings.resolution(), 1);
  }
}

// Of N independent frequencies the squared correlation has the mean 1 / N: the outer ring of 64
// pixels has about 2 pi 32 = 200 of them, so 1/2 is seven standard deviations away.
TEST(RingCorrelation, ImagesOfDifferentNoiseDoNotAgree) {
  const RingCorrelation rings = ring_correlation(noise(4096, 1), noise(4096, 2), 64, 64);
  EXPECT_LT(rings.correlation.back(), 0.5);
  EXPECT_GT(rings.resolution(), 1);
}

TEST(RingCorrelation, TheRingOfAWaveThatWasLostIsTheResolution) {
  const Index height = 64, width = 64;
  const Image coarse = wave(height, width, 4.0 / 64), fine = wave(height, width, 16.0 / 64);
  const Image everything = noise(height * width, 3) * 1e-3;
  const RingCorrelation rings =
      ring_correlation(everything + coarse + fine, everything + coarse, height, width);
  for (std::size_t ring = 0; ring < rings.correlation.size(); ++ring) {
    EXPECT_EQ(rings.correlation[ring] >= 0.5, ring != 16) << ring;
  }
  EXPECT_NEAR(rings.resolution(), 0.5 / (16.5 / 64), 1e-12);  // half a period of four pixels
}

TEST(RingCorrelation, ADarkImageAgreesWithNothingAndALineHasNoRings) {
  const Image x = noise(256, 1), dark = Image::Zero(256, 1);
  for (const double value : ring_correlation(x, dark, 16, 16).correlation) EXPECT_EQ(value, 0);
  EXPECT_TRUE(ring_correlation(x, x, 1, 256).correlation.empty());
  EXPECT_EQ(RingCorrelation{}.resolution(), 0);
}

}  // namespace
}  // namespace projfgd
