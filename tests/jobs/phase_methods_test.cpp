#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST_F(PhaseJob, EveryNamedStartIsOneAndNoFile) {
  const fs::path data = simulate({.patterns = 8});
  RunSettings s = phase_settings();
  const RunRecord plain = run_phase({.data = data}, s);
  EXPECT_EQ(plain.summary.at("method"), "auto");
  EXPECT_EQ(plain.factor.values, run_phase({.data = data}, settings("auto")).factor.values);
  s.options.max_iterations = 1;
  for (const std::string& name : phase_start_names()) {
    s.init = name;
    EXPECT_NO_THROW(run_phase({.data = data}, s)) << name;
  }
  for (const std::string& name : start_names()) {
    EXPECT_THAT(phase_start_names(), testing::Contains(name));
  }
  s.init = "power";
  EXPECT_THROW(run_phase({.data = data}, s), InputError);
}

TEST_F(PhaseJob, EveryListedLossAndMaskIsKnown) {
  for (const std::string& masks : simulated_mask_names()) {
    const fs::path data = simulate({.patterns = 8, .masks = masks});
    RunSettings s = phase_settings();
    s.options.max_iterations = 1;
    for (const std::string& loss : phase_loss_names()) {
      EXPECT_NO_THROW(run_phase({.data = data, .loss = loss}, s)) << masks << ", " << loss;
    }
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
  EXPECT_NE(without.summary["warnings"][0].get<std::string>().find("does not support constraints"),
            std::string::npos);
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

TEST_F(PhaseJob, SaysWhetherTheErrorAskedForWasReached) {
  const fs::path data = simulate({.patterns = 6});
  const auto message = [&](double wanted) {
    const Json summary =
        run_phase({.data = data, .target_error = wanted}, settings("auto")).summary;
    return summary["message"].get<std::string>();
  };
  EXPECT_THAT(message(1e-2), ::testing::HasSubstr("the target error was reached"));
  EXPECT_THAT(message(1e-20), ::testing::HasSubstr("was not reached"));
  EXPECT_THAT(message(0), Not(::testing::HasSubstr("target error")));
}

TEST_F(PhaseJob, TheRadiusIsFoundWithinTheLimits) {
  RunSettings s = settings("projfgd", "l1-ball");
  s.options.max_iterations = 2;
  const Json summary = run_phase({.data = simulate({.patterns = 6})}, s).summary;
  EXPECT_EQ(summary["radius_passes"], 2);
  EXPECT_EQ(summary["iterations"], 2);
}

// Passes minimise the amplitudes' misfit, and where a loss is asked for it has the last word.
TEST_F(PhaseJob, TheLossThatIsAskedForIsThatOfTheAnswer) {
  const fs::path data = simulate({.patterns = 6});
  const Json summary = run_phase({.data = data, .loss = "poisson"}, settings("auto")).summary;
  EXPECT_EQ(summary["loss"], "poisson");
  ASSERT_EQ(summary["stages"].size(), 2u);
  EXPECT_EQ(summary["stages"][0]["loss"], "amplitude");
  EXPECT_EQ(summary["stages"][1]["loss"], "poisson");
  EXPECT_LE(summary["relative_error"].get<double>(), 1e-5);
  EXPECT_FALSE(run_phase({.data = data}, settings("auto")).summary.contains("stages"));
}

TEST_F(PhaseJob, PassesThatGoRoundHaveStalled) {
  const RunRecord record =
      run_phase({.data = simulate({.patterns = 6, .snr = 40})}, settings("block-kaczmarz"));
  EXPECT_EQ(record.status, Status::stalled);
  EXPECT_EQ(record.summary["message"], "further passes do not reduce the misfit");
}

TEST_F(PhaseJob, SaysWhatAMethodDoesNotUse) {
  using ::testing::HasSubstr;
  const fs::path data = simulate({.patterns = 6});
  const auto warnings = [&](const char* method, const char* loss, const char* step = "auto") {
    RunSettings s = settings(method);
    set_step(step, s.options);
    s.options.max_iterations = 3;
    return run_phase({.data = data, .loss = loss}, s).summary.value("warnings", Json{}).dump();
  };
  EXPECT_THAT(warnings("hio", "poisson"),
              HasSubstr("supports only the loss amplitude; --loss poisson was"));
  EXPECT_THAT(warnings("wirtinger-flow", "poisson"),
              HasSubstr("supports only the loss intensity; --loss"));
  EXPECT_THAT(warnings("wirtinger-flow", "intensity"), Not(HasSubstr("--loss")));
  EXPECT_THAT(warnings("projfgd", "poisson", "1e-9"), Not(HasSubstr("was ignored")));
  for (const char* method : {"auto", "wirtinger-flow", "hio", "conjugate-gradients"}) {
    EXPECT_THAT(warnings(method, "auto", "0.1"), HasSubstr("--step was ignored")) << method;
  }
}

// Squares of such numbers are beyond single precision; errors are ratios.
TEST_F(PhaseJob, ErrorsDoNotDependOnTheUnit) {
  const fs::path data = simulate({.patterns = 6});
  const Array y = read_npy(data / "intensities.npy"), z = read_npy(data / "truth.npy");
  RunSettings s = settings("auto");
  s.single_precision = true;
  s.truth = folder_ / "z.npy";
  for (const double unit : {1e-15, 1e15, 1e18}) {
    Array scaled = y, truth = z;
    for (double& value : scaled.values) value *= unit * unit;
    for (double& value : truth.values) value *= unit;
    write_npy(folder_ / "y.npy", scaled);
    write_npy(s.truth, truth);
    const PhaseInput input{.data = folder_ / "y.npy",
                           .masks = data / "masks.npy",
                           .mask_values = data / "mask_values.npy"};
    EXPECT_LE(error(run_phase(input, s)), 1e-4) << unit;
  }
}

// A colour that the image does not have is solved by nobody, and has no loss to speak of.
TEST_F(PhaseJob, ADarkFirstChannelSaysNothingOfTheLoss) {
  Array image{{12, 10, 2}, false, std::vector<double>(240)};
  for (std::size_t k = 1; k < 240; k += 2) image.values[k] = 1 + static_cast<double>(k % 7);
  write_npy(folder_ / "image.npy", image);
  const fs::path data = simulate({.image = (folder_ / "image.npy").string(), .patterns = 6});
  RunSettings s = settings("wirtinger-flow");
  s.options.max_iterations = 3;
  const Json summary = run_phase({.data = data, .loss = "intensity"}, s).summary;
  EXPECT_EQ(summary["loss"], "intensity");
  EXPECT_THAT(summary.value("warnings", Json{}).dump(), Not(::testing::HasSubstr("--loss")));
}

// Where nothing finite came out nothing is said to fit, whichever channel it is.
TEST_F(PhaseJob, ADivergedRunDoesNotFit) {
  const fs::path data = simulate({.height = 12, .width = 10, .patterns = 6, .masks = "gaussian"});
  Array masks = read_npy(data / "masks.npy");
  for (double& value : masks.values) value *= 1e25;
  write_npy(folder_ / "masks.npy", masks);
  for (const char* method : {"auto", "projfgd", "wirtinger-flow"}) {
    RunSettings s = settings(method);
    s.single_precision = true;
    s.options.max_iterations = 50;
    const Json summary =
        run_phase({.data = data / "intensities.npy", .masks = folder_ / "masks.npy"}, s).summary;
    EXPECT_EQ(summary["status"], "diverged") << method;
    EXPECT_EQ(summary["fits_data"], false) << method;
  }
  Array twice = read_npy(data / "intensities.npy");
  twice.values.insert(twice.values.end(), twice.values.begin(), twice.values.end());
  twice.shape.insert(twice.shape.begin(), 2);
  write_npy(folder_ / "two.npy", twice);
  RunSettings s = settings("wirtinger-flow");
  s.single_precision = true;
  const PhaseInput two{.data = folder_ / "two.npy", .masks = folder_ / "masks.npy"};
  EXPECT_EQ(run_phase(two, s).status, Status::diverged);
}

// The point that comes out is not the one that the method goes on from, nor that of its passes.
TEST_F(PhaseJob, TheObjectiveIsThatOfTheAnswer) {
  const fs::path data = simulate({.patterns = 3, .masks = "gaussian", .snr = 20});
  const Array y = read_npy(data / "intensities.npy"), masks = read_npy(data / "masks.npy");
  using S = std::complex<double>;
  std::vector<S> values;
  for (std::size_t k = 0; k < masks.values.size(); k += 2) {
    values.emplace_back(masks.values[k], masks.values[k + 1]);
  }
  const CodedDiffractionOperator<S> op(64, 48, Masks<S>(3, 64 * 48, values));
  const double amplitudes = std::accumulate(y.values.begin(), y.values.end(), 0.0);
  for (const char* method : {"hio", "block-kaczmarz"}) {
    RunSettings s = settings(method, "nonnegative");
    s.options.max_iterations = 60;
    const RunRecord record = run_phase({.data = data}, s);
    Vector<double> p;
    op.forward(to_matrix<S>(record.factor, "factor"), p);
    const auto measured = Eigen::Map<const Vector<double>>(y.values.data(), p.size()).cwiseSqrt();
    const double objective = (p.cwiseSqrt() - measured).squaredNorm() / 2;
    EXPECT_NEAR(record.summary.at("objective").get<double>(), objective, 1e-9 * amplitudes);
    EXPECT_NEAR(record.summary.at("misfit").get<double>(), std::sqrt(2 * objective / amplitudes),
                1e-9);
    EXPECT_EQ(record.trace.back().objective, record.summary.at("objective").get<double>());
  }
}

TEST_F(PhaseJob, AStoppedRunDoesNotBlameTheMasksFirst) {
  RunSettings s = settings("wirtinger-flow");
  s.options.max_iterations = 2;
  const RunRecord record = run_phase({.data = simulate({.patterns = 6})}, s);
  const std::string warnings = record.summary["warnings"].dump();
  EXPECT_LT(warnings.find("the run stopped before it converged"),
            warnings.find("masks that do not match"));
}

}  // namespace
}  // namespace projfgd
