// The method `auto`: its ways, its attempts and what it calls found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numeric>

#include "support/phase_job.hpp"

namespace projfgd {
namespace {

namespace fs = std::filesystem;
using test::PhaseJob;

TEST_F(PhaseJob, OfSeveralAttemptsTheBestIsTheAnswerWhateverEndedTheLast) {
  // Without their masks nothing fits them, so it tries again.
  const fs::path data = simulate({.height = 24, .width = 16, .patterns = 3}) / "intensities.npy";
  const fs::path inside = folder_ / "inside.npy";
  std::vector<double> upper(24 * 16, 0.0);
  std::fill_n(upper.begin(), 12 * 16, 1.0);
  write_npy(inside, {{24, 16}, false, upper});
  std::atomic<int> stop = 0;
  int attempts = 0;
  RunSettings s = settings("auto", "nonnegative");
  s.options.tolerance = 1e-3;
  s.interrupt = [&] { return stop != 0; };
  s.progress = [&](const TraceRow& row) {
    if (row.iteration == 0) ++attempts;
    stop = attempts > 1 ? 1 : 0;
  };
  const RunRecord record = run_phase({.data = data, .support = inside}, s);
  EXPECT_EQ(record.status, Status::interrupted);
  EXPECT_GE(record.summary.value("attempts", 1), 1);
  ASSERT_FALSE(record.trace.empty());
  EXPECT_EQ(record.trace.front().iteration, 0);
  EXPECT_EQ(record.trace.back().iteration, record.summary.at("iterations").get<Index>());
  EXPECT_EQ(record.trace.back().objective, record.summary.at("objective").get<double>());
  EXPECT_EQ(record.summary["fits_data"], false);
}

// The passes jump about on so small a field for as long as one lets them.
TEST_F(PhaseJob, WherePassesLeadNowhereReflectionsDo) {
  const fs::path data = simulate({.height = 24, .width = 20, .patterns = 8});
  RunSettings s = settings("block-kaczmarz");
  s.options.max_iterations = 1000;
  EXPECT_GT(error(run_phase({.data = data}, s)), 1e-2);
  const RunRecord record = run_phase({.data = data}, settings("auto"));
  EXPECT_LE(error(record), 1e-5);
  EXPECT_LE(record.summary.at("transforms"), 2 * 8 * 75);
}

// Passes on that guess need a third of the sweeps that others do, which take 15 to 17.
TEST_F(PhaseJob, ANonnegativeImageIsGuessedWithoutASet) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const fs::path data =
        simulate({.image = "stars", .height = 64, .width = 48, .patterns = 8, .seed = seed});
    const RunRecord record = run_phase({.data = data}, settings("auto"));
    EXPECT_LE(error(record), 1e-5) << seed;
    EXPECT_LE(record.summary.at("transforms"), 2 * 8 * 10) << seed;
  }
}

// Three for each complex pixel, and two for each real one, are enough where others take four.
TEST_F(PhaseJob, FewPatternsAreEnough) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    for (const char* set : {"none", "real", "nonnegative", "nonnegative-l1"}) {
      const Index patterns = set == std::string("none") ? 3 : 2;
      const fs::path data = simulate(
          {.image = "stars", .height = 24, .width = 20, .patterns = patterns, .seed = seed});
      EXPECT_LE(error(run_phase({.data = data}, settings("auto", set))), 1e-4) << set << seed;
    }
  }
}

// At four intensities for each complex pixel wrong images leave little, with the look of noise.
TEST_F(PhaseJob, WhatIsCalledAFitIsNearTheTruth) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const fs::path data = simulate(
        {.image = "stars", .height = 24, .width = 20, .patterns = 4, .snr = 30, .seed = seed});
    for (const char* method : {"auto", "projfgd", "conjugate-gradients"}) {
      const RunRecord record = run_phase({.data = data}, settings(method));
      const bool near = error(record) <= 0.1;
      EXPECT_EQ(record.summary["fits_data"], near) << method << " " << seed << error(record);
      if (near && method == std::string("auto")) ++found;
    }
  }
  EXPECT_EQ(found, 12);
}

// The same start twice comes to the same image, right or wrong.
TEST_F(PhaseJob, AWrongStartDoesNotConfirmItself) {
  simulate({.image = "stars", .height = 12, .width = 12, .patterns = 4, .seed = 71});
  fs::rename(folder_ / "data" / "truth.npy", folder_ / "other.npy");
  for (std::uint64_t seed = 11; seed <= 18; ++seed) {
    const fs::path data = simulate(
        {.image = "stars", .height = 12, .width = 12, .patterns = 4, .snr = 12, .seed = seed});
    RunSettings s = settings("auto");
    s.init = (folder_ / "other.npy").string();
    const RunRecord record = run_phase({.data = data}, s);
    EXPECT_TRUE(record.summary["fits_data"] == false || error(record) <= 0.6)
        << seed << ": " << error(record);
  }
}

TEST_F(PhaseJob, AClearChannelNeedsNoSecondAttempt) {
  const RandomStream random(5, 5);
  Array image{{24, 20, 2}, false, std::vector<double>(24 * 20 * 2)};
  for (std::size_t k = 0; k < image.values.size(); ++k) image.values[k] = random.uniform(k);
  write_npy(folder_ / "image.npy", image);
  const fs::path data = simulate({.image = (folder_ / "image.npy").string(), .patterns = 8});
  Array y = read_npy(data / "intensities.npy");
  const std::size_t half = y.values.size() / 2;
  double mean = 0;
  for (std::size_t k = 0; k < half; ++k) mean += y.values[k] / static_cast<double>(half);
  for (std::size_t k = 0; k < half; ++k) {  // the first is noisy
    y.values[k] = std::max(0.0, y.values[k] + 0.1 * mean * random.normal(k));
  }
  write_npy(data / "intensities.npy", y);
  const RunRecord record = run_phase({.data = data}, settings("auto", "nonnegative"));
  EXPECT_GT(record.summary["misfit"].get<double>(), 0.05);
  EXPECT_EQ(record.summary["fits_data"], true) << record.summary.dump();
}

TEST_F(PhaseJob, FewIterationsAndGivenStartsLeaveRoomForFullSteps) {
  const fs::path data =
      simulate({.image = "stars", .height = 24, .width = 20, .patterns = 4, .snr = 30, .seed = 3});
  RunSettings few = settings("auto");
  few.options.max_iterations = 100;
  EXPECT_LE(error(run_phase({.data = data}, few)), 0.1);
  RunSettings given = settings("auto");
  given.init = start_name::lanczos;
  EXPECT_LE(error(run_phase({.data = data}, given)), 0.1);
}

// What an attempt guesses on its way does not widen the set that was asked for.
TEST_F(PhaseJob, TheAnswerIsInTheSetWhateverWasTried) {
  const fs::path data =
      simulate({.image = "stars", .height = 24, .width = 20, .patterns = 4, .seed = 3});
  const RunRecord record = run_phase({.data = data}, settings("auto", "l1-ball:3"));  // it has 3.95
  double size = 0;
  for (std::size_t k = 0; k < record.factor.values.size(); k += 2) {
    size += std::hypot(record.factor.values[k], record.factor.values[k + 1]);
  }
  EXPECT_LE(size, 3 * (1 + 1e-12));
  EXPECT_EQ(record.summary["fits_data"], false);
}

TEST_F(PhaseJob, FewIterationsGetNear) {
  const fs::path data = simulate({.image = "stars", .patterns = 6, .seed = 2});
  RunSettings s = settings("auto");
  s.options.max_iterations = 12;
  EXPECT_LE(error(run_phase({.data = data}, s)), 0.2);
  s.options.max_iterations = 25;
  EXPECT_LE(error(run_phase({.data = data}, s)), 1e-2);
}

/// Blocks of light behind masks of zeros and ones.
class BlocksBehindStencils : public PhaseJob {
 protected:
  static constexpr Index height = 20, width = 16, n = height * width;

  PhaseInput blocks(Index patterns, std::uint64_t seed) const {
    const RandomStream random(seed, 6);
    std::vector<double> image(n), stencils(static_cast<std::size_t>(patterns * n));
    for (std::uint64_t block = 0; block < 4; ++block) {
      const auto top = static_cast<Index>(random.below(height - 5, 10 * block));
      const auto left = static_cast<Index>(random.below(width - 5, 10 * block + 1));
      for (Index i = 0; i < 5; ++i) {
        for (Index j = 0; j < 5; ++j) {
          image[(top + i) * width + left + j] = 0.5 + random.uniform(10 * block + 2);
        }
      }
    }
    for (std::size_t k = 0; k < stencils.size(); ++k) {
      stencils[k] = random.uniform(1000 + k) < 0.5 ? 0 : 1;
    }
    const CodedDiffractionOperator<std::complex<double>> op(
        height, width,
        Masks<std::complex<double>>(patterns, n, {stencils.begin(), stencils.end()}));
    Matrix<std::complex<double>> z(n, 1);
    for (Index k = 0; k < n; ++k) z(k, 0) = image[k];
    op.drop_unseen(z);
    for (Index k = 0; k < n; ++k) image[k] = z(k, 0).real();
    Vector<double> y;
    op.forward(z, y);
    put("truth.npy", {height, width}, image);
    put("masks.npy", {patterns, height, width}, stencils);
    put("y.npy", {patterns, height, width}, {y.begin(), y.end()});
    return {.data = folder_ / "y.npy", .masks = folder_ / "masks.npy"};
  }
};

// Stencils leave wrong images a few hundredths of the amplitudes to miss, less than noise may.
TEST_F(BlocksBehindStencils, AreFoundOrSaidNotToBe) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const PhaseInput input = blocks(3, seed);
    for (const char* set : {"nonnegative", "real"}) {
      RunSettings s = settings("auto", set);
      s.truth = folder_ / "truth.npy";
      const RunRecord record = run_phase(input, s);
      const bool near = error(record) <= 1e-2;
      EXPECT_EQ(record.summary["fits_data"], near) << set << seed << ": " << error(record);
      found += near ? 1 : 0;
    }
  }
  EXPECT_GE(found, 14);
}

TEST_F(BlocksBehindStencils, ABallThatWasFoundTooSmallIsWidened) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const PhaseInput input = blocks(4, seed);
    RunSettings s = settings("auto", "nonnegative-l1");
    s.truth = folder_ / "truth.npy";
    const RunRecord record = run_phase(input, s);
    EXPECT_LE(error(record), 1e-3) << seed;
    EXPECT_EQ(record.summary["fits_data"], true) << seed;
    // The l1 norm is met, and not left far below.
    const Array truth = read_npy(s.truth);
    const double size = std::accumulate(truth.values.begin(), truth.values.end(), 0.0);
    EXPECT_GE(record.summary["radius"].get<double>(), (1 - 1e-3) * size) << seed;
    EXPECT_LE(record.summary["radius"].get<double>(), 1.15 * size) << seed;
  }
}

}  // namespace
}  // namespace projfgd
