#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "jobs/phase/errors.hpp"
#include "jobs/phase/noise.hpp"
#include "jobs/phase/symmetry.hpp"
#include "jobs/phase/warnings.hpp"
#include "projfgd/core/random.hpp"

namespace projfgd {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Complex = std::complex<double>;

TEST(PhaseErrors, EveryPatternHasItsMisfit) {
  const Vector<double> measured{{3, 4, 0, 0, 6, 8}}, predicted{{3, 4, 1, 0, 6, 3}};
  EXPECT_THAT(pattern_misfits(measured, predicted, 3), ElementsAre(0, 1, 0.5));
}

TEST(PhaseErrors, ExposuresAreTakenForACauseWhereTheyExplainMost) {
  const Vector<double> predicted{{1, 2, 2, 1, 3, 1}};
  EXPECT_THAT(differing_exposures(Vector<double>{{1, 2, 6, 3, 3, 1}}, predicted, 3),
              ElementsAre(1, 9, 1));
  EXPECT_TRUE(differing_exposures(Vector<double>{{2, 1, 1, 2, 1, 3}}, predicted, 3).empty());
}

TEST(PhaseErrors, PhotonsAreWholeMultiplesOfTheLeastDifference) {
  EXPECT_EQ(photon_unit({0, 3, 1, 12}), 1);
  EXPECT_EQ(photon_unit({0, 0.25, 1.5}), 0.25);
  EXPECT_EQ(photon_unit({0, 1, 1.7}), 0);
  EXPECT_EQ(photon_unit({0, 0}), 0);
  EXPECT_EQ(photon_unit({37, 38, 52}), 1);  // nobody has seen a single one
}

/// Counts of these means, each with its share of the chances.
std::vector<double> counts_of(const std::vector<double>& means, std::uint64_t seed) {
  const RandomStream random(seed, 1);
  std::vector<double> counts;
  for (std::size_t k = 0; k < means.size(); ++k) {
    double left = random.uniform(k), count = 0, chance = std::exp(-means[k]);
    for (; left > chance; ++count) {
      left -= chance;
      chance *= means[k] / (count + 1);
    }
    counts.push_back(count);
  }
  return counts;
}

Vector<double> vector_of(const std::vector<double>& values) {
  return Eigen::Map<const Vector<double>>(values.data(), static_cast<Index>(values.size()));
}

/// Intensities of speckle.
std::vector<double> speckle(double mean, std::uint64_t stream) {
  const RandomStream random(2, stream);
  std::vector<double> y;
  for (std::size_t k = 0; k < 4000; ++k) y.push_back(-mean * std::log(1 - random.uniform(k)));
  return y;
}

TEST(PhaseNoise, PhotonsExplainTheirOwnNoiseHoweverFewTheyAre) {
  for (const double brightness : {0.3, 1.0, 3.0, 15.0}) {
    const std::vector<double> means = speckle(brightness, 2), others = speckle(brightness, 3);
    const Vector<double> counts = vector_of(counts_of(means, 3));
    const auto are_photons = [&](const std::vector<double>& predicted, double numbers) {
      return test_noise(counts, vector_of(predicted), numbers, 1).are_photons();
    };
    EXPECT_TRUE(are_photons(means, 0)) << brightness;
    EXPECT_FALSE(are_photons(others, 0)) << brightness;
    EXPECT_FALSE(are_photons(means, 2000)) << brightness;  // half of it is fitted
  }
}

// A wrong image is noise in the field, whose errors grow with the intensity.
TEST(PhaseNoise, ADetectorIsToldFromAWrongImage) {
  const RandomStream random(8, 8);
  const std::vector<double> p = speckle(1, 4);
  for (const double level : {0.003, 0.03, 0.1, 0.3}) {
    Vector<double> detector(4000), wrong(4000);
    for (Index k = 0; k < 4000; ++k) {
      const double at = p[static_cast<std::size_t>(k)], x = random.normal(2 * k);
      detector[k] = std::max(0.0, at + level * x);
      wrong[k] = std::norm(Complex(std::sqrt(at) + level * x, level * random.normal(2 * k + 1)));
    }
    EXPECT_TRUE(test_noise(detector, vector_of(p), 0, 0).are_detector()) << level;
    EXPECT_FALSE(test_noise(wrong, vector_of(p), 0, 0).are_detector()) << level;
  }
}

/// Of a phantom of 6 patterns, complex, which a search found with errors that grow like this.
PhaseOutcome outcome_of(double misfit, double growth, Index patterns = 6) {
  PhaseOutcome outcome;
  outcome.unknowns = outcome.free = 100;
  outcome.numbers = 200;
  outcome.measurements = outcome.different = patterns * 100;
  outcome.fit.misfit = misfit;
  outcome.fit.misfits = {misfit};
  outcome.fit.noise = {NoiseTest{.growth = growth}};
  outcome.searches = {SearchRecord{.searched = true, .accepted = true}};
  return outcome;
}
constexpr double detector = 0.1, wrong_image = 1;

TEST(PhaseOutcome, NoiseMayLeaveMuchAndAWrongModelNot) {
  EXPECT_TRUE(explains(outcome_of(0.2, detector)));
  EXPECT_FALSE(explains(outcome_of(0.2, wrong_image)));
  EXPECT_FALSE(explains(outcome_of(0.04, wrong_image)));
  PhaseOutcome twice = outcome_of(0.04, wrong_image);
  twice.searches[0].found = 2;
  EXPECT_TRUE(explains(twice));
  PhaseOutcome once = outcome_of(0.2, detector, 11);  // by a method that does not search
  once.searches[0].searched = false;
  EXPECT_FALSE(explains(once));
  once.different = 12 * 100;  // six times the numbers
  EXPECT_TRUE(explains(once));
  PhaseOutcome photons = outcome_of(0.6, wrong_image);
  photons.fit.noise[0].photons = {100, 100, 200};
  photons.fit.counted = 800;
  EXPECT_TRUE(explains(photons));
  photons.fit.counted = 799;  // fewer than four times the numbers
  EXPECT_FALSE(explains(photons));
}

TEST(PhaseOutcome, AttemptsThatAllDifferAreNotTrusted) {
  PhaseOutcome outcome = outcome_of(0.04, wrong_image);
  outcome.searches[0].attempts = 5;
  EXPECT_FALSE(explains(outcome));
  EXPECT_THAT(phase_warnings({}, outcome).back(), ::testing::HasSubstr("no two attempts found"));
}

TEST(PhaseOutcome, AnOverfitIsNotNoise) {
  EXPECT_FALSE(explains(outcome_of(0.12, detector, 3)));
  EXPECT_TRUE(explains(outcome_of(0.12, detector, 4)));
  PhaseOutcome real = outcome_of(0.12, detector, 3);
  real.numbers = 100;
  EXPECT_TRUE(explains(real));
}

TEST(PhaseOutcome, TooFewDataDetermineNothing) {
  EXPECT_TRUE(determines({}, outcome_of(0, detector, 3)));
  EXPECT_FALSE(determines({}, outcome_of(0, detector, 2)));
  PhaseData open;
  open.open = true;
  open.height = 10;
  PhaseOutcome held = outcome_of(0, detector);
  EXPECT_FALSE(determines(open, held));
  held.support = true;
  EXPECT_TRUE(determines(open, held));
  open.height = 1;
  EXPECT_FALSE(determines(open, held));
}

PhaseData data_of(Index patterns, Index height, Index width) {
  PhaseData data;
  data.patterns = patterns;
  data.height = height;
  data.width = width;
  return data;
}

std::string lines_of(const PhaseData& data, const PhaseOutcome& outcome) {
  std::string lines;
  for (const std::string& line : phase_warnings(data, outcome)) lines += line + "\n";
  return lines;
}

TEST(PhaseOutcome, AnAnswerThatDoesNotFitIsNotOneOfSeveral) {
  const PhaseData data = data_of(3, 10, 10);
  EXPECT_THAT(lines_of(data, outcome_of(0, 1, 3)), HasSubstr("other images may fit"));
  EXPECT_THAT(lines_of(data, outcome_of(0.12, detector, 3)),
              AllOf(HasSubstr("may not determine"), Not(HasSubstr("other images may fit")),
                    HasSubstr("12% of the amplitudes")));
}

TEST(PhaseOutcome, CausesAreThoseThatCanBe) {
  PhaseData data = data_of(6, 10, 10);
  PhaseOutcome wrong = outcome_of(0.3, wrong_image);
  EXPECT_THAT(lines_of(data, wrong), Not(HasSubstr("--centred")));
  wrong.set = "real";
  EXPECT_THAT(lines_of(data, wrong), HasSubstr("an image that is not real"));
  data.angles_as_masks = true;
  EXPECT_THAT(lines_of(data, wrong), HasSubstr("masks given as phase angles (use exp(i angle))"));
  const PhaseData last = data_of(96, 80, 6);
  EXPECT_THAT(lines_of(last, wrong), HasSubstr("an array with the pattern index last"));
  EXPECT_THAT(lines_of(data, wrong), Not(HasSubstr("last axis")));
}

TEST(PhaseOutcome, IntensitiesThatNeverVanishMayHaveABackground) {
  std::vector<double> intensities = speckle(1, 7);
  EXPECT_FALSE(has_background(intensities));
  for (double& y : intensities) y += 0.1;
  EXPECT_TRUE(has_background(intensities));
  PhaseOutcome outcome = outcome_of(0.3, detector);
  EXPECT_TRUE(explains(outcome));
  outcome.fit.background = true;
  EXPECT_FALSE(explains(outcome));
  EXPECT_THAT(lines_of(data_of(6, 10, 10), outcome),
              HasSubstr("a background that was not subtracted"));
}

TEST(PhaseOutcome, APatternThatStandsOutIsNamed) {
  const PhaseData data = data_of(6, 10, 10);
  PhaseOutcome wrong = outcome_of(0.3, wrong_image);
  wrong.fit.patterns = {0.1, 0.12, 0.1, 0.6, 0.55, 0.1};
  EXPECT_THAT(
      lines_of(data, wrong),
      HasSubstr(
          "masks or data of patterns 3 and 4 (counted from 0), whose residuals are up to 60%"));
  wrong.fit.exposures = {1, 1, 0.25, 1, 1, 9};
  EXPECT_THAT(
      lines_of(data, wrong),
      AllOf(HasSubstr("different exposures"),
            HasSubstr(
                "counting from 0, patterns 2 (0.25 times) and 5 (9 times) are brighter or darker"),
            Not(HasSubstr("the likely cause")), Not(HasSubstr("another --seed"))));
}

/// A smooth image, times e^{i turn (row + column)}.
Matrix<Complex> turned(Index height, Index width, double turn) {
  Matrix<Complex> z(height * width, 1);
  for (Index i = 0; i < height; ++i) {
    for (Index j = 0; j < width; ++j) {
      const double smooth = 2 + std::sin(0.3 * static_cast<double>(i + 2 * j));
      z(i * width + j, 0) = std::polar(smooth, turn * static_cast<double>(i + j));
    }
  }
  return z;
}

TEST(PhaseSigns, ACheckerboardOnAnImageIsSeen) {
  EXPECT_FALSE(alternates(turned(24, 16, 0), 24, 16));
  EXPECT_FALSE(alternates(turned(24, 16, 0.5), 24, 16));
  EXPECT_TRUE(alternates(turned(24, 16, std::numbers::pi), 24, 16));
  // What is left of an odd length is a ramp.
  EXPECT_TRUE(alternates(turned(33, 33, std::numbers::pi * (1 - 1.0 / 33)), 33, 33));
  const RandomStream random(5, 5);
  Matrix<Complex> noise(24 * 16, 1);
  for (Index k = 0; k < noise.rows(); ++k) noise(k, 0) = random.normal(k);
  EXPECT_FALSE(alternates(noise, 24, 16));
}

TEST(PhaseSigns, ASupportMayBeItsOwnMirrorImage) {
  Matrix<Complex> box = Matrix<Complex>::Zero(16 * 12, 1), corner = box;
  for (Index i = 3; i < 9; ++i) {
    for (Index j = 2; j < 7; ++j) {
      box(i * 12 + j, 0) = 1;
      if (i + j < 11) corner(i * 12 + j, 0) = 1;
    }
  }
  EXPECT_TRUE(is_own_twin(box, 16, 12));
  EXPECT_FALSE(is_own_twin(corner, 16, 12));
}

TEST(PhaseUnits, ATwinInAnotherUnitIsOneToo) {
  const RandomStream random(6, 6);
  Matrix<Complex> truth(16 * 12, 1), twin(16 * 12, 1);
  for (Index k = 0; k < truth.rows(); ++k) truth(k, 0) = random.uniform(k);
  for (Index k = 0; k < truth.rows(); ++k) twin(k, 0) = std::conj(truth(16 * 12 - 1 - k, 0)) / 5.0;
  const Symmetry symmetry = nearest_symmetry(twin, truth, 16, 12);
  EXPECT_TRUE(symmetry.twin);
  EXPECT_NEAR(symmetry.unit, 5, 1e-12);
  EXPECT_LT(symmetry.error, 1e-6);
  EXPECT_THAT(symmetry_line(symmetry, 0.9, 16, 12).value_or(""),
              HasSubstr("multiplied by 5, the image is the twin of the truth"));
}

TEST(PhaseUnits, AUnitIsSeenThroughNoise) {
  const RandomStream random(7, 7);
  Matrix<Complex> truth(200, 1), noisy(200, 1);
  for (Index k = 0; k < 200; ++k) {
    truth(k, 0) = random.uniform(k);
    noisy(k, 0) = 2.0 * truth(k, 0) + 0.3 * random.normal(k + 200);
  }
  EXPECT_THAT(unit_line(noisy, truth, 1.0).value_or(""), HasSubstr("different units"));
}

}  // namespace
}  // namespace projfgd
