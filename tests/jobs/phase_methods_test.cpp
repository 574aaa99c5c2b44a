#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

#include "support/phase_job.hpp"

namespace projfgd {
namespace {

namespace fs = std::filesystem;
using test::OversampledScene;
using test::PhaseJob;

TEST_F(PhaseJob, FindsTheImageInBothPrecisions) {
  const fs::path data = simulate({.patterns = 10});
  for (const bool single : {false, true}) {
    RunSettings s = settings("auto");
    s.single_precision = single;
    const RunRecord record = run_phase({.data = data}, s);
    EXPECT_EQ(record.status, Status::converged);
    EXPECT_LE(error(record), single ? 1e-4 : 1e-5);
    EXPECT_GT(record.summary.at("psnr").get<double>(), 80);
    EXPECT_EQ(record.summary.at("transforms").get<Index>() % 20, 0);
  }
}

TEST_F(PhaseJob, SetsNeedFewerPatterns) {
  const fs::path data = simulate({.patterns = 3});
  for (const char* set : {"nonnegative", "nonnegative-l1", "l1-ball"}) {
    EXPECT_LE(error(run_phase({.data = data}, settings("auto", set))), 1e-5) << set;
  }
}

TEST_F(PhaseJob, EveryMethodGetsThere) {
  const fs::path data = simulate({.patterns = 12});
  for (const std::string& method : phase_method_names()) {
    if (method == "phaselift") continue;  // for a few hundred unknowns only
    RunSettings s = settings(method, method == "wirtinger-flow" ? "" : "nonnegative");
    s.options.max_iterations = 400;
    EXPECT_LE(error(run_phase({.data = data}, s)), 1e-3) << method;
  }
}

TEST_F(PhaseJob, ScalesWithTheData) {
  const fs::path data = simulate({.patterns = 8});
  const RunRecord plain = run_phase({.data = data}, settings("auto"));
  Array y = read_npy(data / "intensities.npy");
  for (double& value : y.values) value *= 0x1p80;
  write_npy(data / "intensities.npy", y);
  const RunRecord scaled = run_phase({.data = data}, settings("auto"));
  ASSERT_EQ(plain.factor.values.size(), scaled.factor.values.size());
  for (std::size_t k = 0; k < plain.factor.values.size(); ++k) {
    EXPECT_EQ(plain.factor.values[k] * 0x1p40, scaled.factor.values[k]);
  }
}

TEST_F(PhaseJob, TheLossThatFitsTheNoiseIsBetter) {
  const fs::path data = simulate({.patterns = 4, .photons = 2e5});
  PhaseInput poisson{.data = data}, squares{.data = data};
  poisson.loss = "poisson";
  squares.loss = "intensity";
  const auto quality = [&](const PhaseInput& input) {
    return run_phase(input, settings("auto", "nonnegative")).summary.at("psnr").get<double>();
  };
  EXPECT_GT(quality(poisson), quality(squares));
  EXPECT_GT(quality({.data = data}), quality(squares));  // auto notices the photons
}

TEST_F(PhaseJob, FewPatternsDoNotHideTheKindOfTheNoise) {
  for (const bool counted : {false, true}) {  // half of the errors go into the image
    CdpSimulation few{.patterns = 4};
    (counted ? few.photons : few.snr) = counted ? 1e6 : 40;
    const RunRecord record = run_phase({.data = simulate(few)}, settings("auto"));
    EXPECT_EQ(record.summary.at("loss"), counted ? "poisson" : "intensity");
  }
}

TEST_F(PhaseJob, OnePatternAndASupportAreEnoughWhenOversampled) {
  const OversampledScene scene(folder_.path());
  const PhaseInput input{.data = folder_ / "y.npy", .support = folder_ / "inside.npy"};
  for (const char* method : {"auto", "hio"}) {
    RunSettings s = settings(method, "nonnegative");
    s.truth = folder_ / "image.npy";
    s.options.max_iterations = 3000;
    const RunRecord record = run_phase(input, s);
    EXPECT_LE(error(record), 1e-3) << method;
    const Array signal = record.factor;
    const Array inside = read_npy(folder_ / "inside.npy");
    for (std::size_t k = 0; k < inside.values.size(); ++k) {
      ASSERT_TRUE(inside.values[k] == 1 || signal.values[2 * k] == 0) << method << " at " << k;
    }
  }
}

TEST_F(PhaseJob, ErrorReductionUsesTheSetAndGerchbergSaxtonSaysItDoesNot) {
  const fs::path data = simulate({.patterns = 4});
  RunSettings reduction = settings("error-reduction", "nonnegative");
  RunSettings plain = settings("gerchberg-saxton", "nonnegative");
  reduction.options.max_iterations = plain.options.max_iterations = 300;
  const RunRecord with = run_phase({.data = data}, reduction);
  const RunRecord without = run_phase({.data = data}, plain);
  EXPECT_LE(error(with), 1e-4);
  EXPECT_FALSE(with.summary.contains("warnings"));
  ASSERT_TRUE(without.summary.contains("warnings"));
  EXPECT_NE(without.summary["warnings"][0].get<std::string>().find("knows no set"),
            std::string::npos);
}

TEST_F(PhaseJob, OfSeveralAttemptsTheBestIsTheAnswerWhateverEndedTheLast) {
  // Without their masks nothing fits them, so it tries again.
  const fs::path data = simulate({.height = 24, .width = 16, .patterns = 3}) / "intensities.npy";
  std::atomic<int> stop = 0;
  std::vector<Index> lengths;
  RunSettings s = settings("auto");
  s.options.tolerance = 1e-3;
  s.interrupt = &stop;
  s.progress = [&](const TraceRow& row) {
    if (row.iteration == 0) lengths.push_back(0);
    lengths.back() = row.iteration;
    stop = lengths.size() > 1 ? 1 : 0;
  };
  const RunRecord interrupted = run_phase({.data = data}, s);
  ASSERT_EQ(lengths.size(), 2u);
  EXPECT_EQ(interrupted.status, Status::interrupted);
  // The second attempt has two passes left and cannot be as good as the first.
  RunSettings limited = settings("auto");
  limited.options.tolerance = s.options.tolerance;
  limited.options.max_iterations = lengths[0] + 2;
  const RunRecord record = run_phase({.data = data}, limited);
  EXPECT_EQ(record.summary.at("attempts"), 2);
  EXPECT_EQ(record.summary.at("iterations"), lengths[0]);
  EXPECT_EQ(record.factor.values, interrupted.factor.values);
  ASSERT_EQ(record.trace.size(), static_cast<std::size_t>(lengths[0] + 1));
  EXPECT_EQ(record.trace.front().iteration, 0);
  EXPECT_EQ(record.trace.back().iteration, lengths[0]);
  EXPECT_EQ(record.trace.back().objective, record.summary.at("objective").get<double>());
  EXPECT_NE(record.status, Status::interrupted);
}

TEST_F(PhaseJob, TheTimeLimitHoldsForAllStages) {
  const fs::path data = simulate({.patterns = 3});
  for (const std::string& method : phase_method_names()) {
    if (method == "phaselift") continue;
    RunSettings s = settings(method, "l1-ball");
    s.options.time_limit = 1e-6;  // over before anything has begun
    const RunRecord record = run_phase({.data = data}, s);
    EXPECT_EQ(record.status, Status::time_limit) << method;
    EXPECT_EQ(record.summary.at("iterations"), 0) << method;
    // With 3 patterns: A z once for the objective of what finds the radius, one Lanczos step and
    // one objective with its gradient, each with A and its adjoint.
    EXPECT_LE(record.summary.at("transforms").get<Index>(), 3 + 6 + 6) << method;
    if (record.summary.contains("radius")) {
      EXPECT_GT(record.summary["radius"].get<double>(), 0) << method;
    }
  }
}

TEST_F(PhaseJob, SaysTheRadiusThatItFound) {
  const fs::path data = simulate({.patterns = 4});
  const Array truth = read_npy(data / "truth.npy");
  const double size = std::accumulate(truth.values.begin(), truth.values.end(), 0.0);
  for (const char* method : {"auto", "projfgd"}) {
    const RunRecord record = run_phase({.data = data}, settings(method, "nonnegative-l1"));
    EXPECT_NEAR(record.summary.at("radius").get<double>(), size, 1e-4 * size) << method;
  }
}

// The point that comes out is not the one that the method goes on from, nor that of its passes.
TEST_F(PhaseJob, TheObjectiveIsThatOfTheAnswer) {
  const fs::path data = simulate({.patterns = 3, .snr = 20});
  const Array y = read_npy(data / "intensities.npy");
  const double amplitudes = std::accumulate(y.values.begin(), y.values.end(), 0.0);
  for (const char* method : {"hio", "block-kaczmarz"}) {
    RunSettings s = settings(method, "nonnegative");
    s.options.max_iterations = 60;
    const RunRecord record = run_phase({.data = data}, s);
    const double misfit = record.summary.at("misfit").get<double>();
    const double objective = misfit * misfit * amplitudes / 2;
    EXPECT_NEAR(record.summary.at("objective").get<double>(), objective, 1e-9 * amplitudes);
    EXPECT_EQ(record.trace.back().objective, record.summary.at("objective").get<double>());
  }
}

TEST_F(PhaseJob, AStoppedRunDoesNotBlameTheMasksFirst) {
  RunSettings s = settings("wirtinger-flow");
  s.options.max_iterations = 2;
  const RunRecord record = run_phase({.data = simulate({.patterns = 6})}, s);
  const std::string warnings = record.summary["warnings"].dump();
  EXPECT_LT(warnings.find("the run was stopped before its end"), warnings.find("masks of other"));
}

}  // namespace
}  // namespace projfgd
