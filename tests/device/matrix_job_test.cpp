// The job of matrix problems with a device that is the host: every operator, loss and set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/place/device_place.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/jobs/matrix_problem.hpp"
#include "support/device_memory.hpp"
#include "support/matrix_problem_files.hpp"

namespace projfgd::test {
namespace {

using ::testing::HasSubstr;

RunRecord run(const std::filesystem::path& problem, const RunSettings& settings,
              std::shared_ptr<const Place> place = nullptr) {
  MatrixInput input(problem);
  input.device = device_name::cpu;
  input.place = std::move(place);
  return run_matrix_problem(input, settings);
}

std::shared_ptr<const Place> emulated(double memory = 1e9) {
  return std::make_shared<DevicePlace>("loops on the host", [memory] { return memory; });
}

RunSettings exact() {
  RunSettings settings;
  settings.options.tolerance = 1e-12;
  settings.options.max_iterations = 2000;
  return settings;
}

template <class S>
void expect_recovery(const char* type) {
  const ProblemFiles<S> files(type);
  const RunRecord away = run(files.description(), exact(), emulated());
  EXPECT_EQ(away.status, Status::converged) << type;
  EXPECT_EQ(away.summary["device"], "loops on the host") << type;
  EXPECT_LE(away.summary["relative_error"].get<double>(), 1e-9) << type;
  RunSettings single = exact();
  single.single_precision = true;
  const RunRecord rough = run(files.description(), single, emulated());
  EXPECT_LE(rough.summary["relative_error"].get<double>(), 1e-3) << type;
}

TEST(DeviceMatrixJob, EveryOperatorRecoversTheTruth) {
  for (const char* type : {"entries", "dense", "rank-one"}) {
    expect_recovery<double>(type);
    expect_recovery<std::complex<double>>(type);
  }
}

/// Sets that are known there, and one that is not, for which only products go there.
TEST(DeviceMatrixJob, EverySetGivesTheAnswerOfTheProcessor) {
  const ProblemFiles<std::complex<double>> files("dense");
  for (const char* set : {"none", "frobenius-ball:2", "frobenius-sphere:2", "nonnegative",
                          "l1-ball:4", "nonnegative-l1:4", "real", "nuclear-ball:3"}) {
    RunSettings settings = exact();
    settings.constraint = set;
    settings.options.tolerance = 1e-9;
    const RunRecord here = run(files.description(), settings);
    const RunRecord away = run(files.description(), settings, emulated());
    EXPECT_EQ(here.summary["device"], "cpu");
    EXPECT_EQ(away.summary["status"], here.summary["status"]) << set;
    const double objective = here.summary["objective"];
    EXPECT_NEAR(away.summary["objective"].get<double>(), objective, 1e-6 * objective + 1e-9) << set;
  }
}

TEST(DeviceMatrixJob, EveryLossGivesTheAnswerOfTheProcessor) {
  const ProblemFiles<double> files("rank-one");
  const Array data = read_npy(files.folder / "data.npy");
  Array counts = data, signs = data, weights = data;
  for (std::size_t i = 0; i < data.values.size(); ++i) {
    counts.values[i] = std::round(10 * data.values[i]);
    signs.values[i] = i % 4 == 0 ? -1 : 1;
    weights.values[i] = 1 + static_cast<double>(i % 3);
  }
  write_npy(files.folder / "counts.npy", counts);
  write_npy(files.folder / "signs.npy", signs);
  write_npy(files.folder / "weights.npy", weights);
  const auto check = [&](const Json& more) {
    const auto problem = files.description(more);
    RunSettings settings = exact();
    settings.constraint = "frobenius-ball:3";
    const RunRecord here = run(problem, settings), away = run(problem, settings, emulated());
    const double objective = here.summary["objective"];
    EXPECT_NEAR(away.summary["objective"].get<double>(), objective, 1e-6 * objective + 1e-9)
        << more.dump();
    EXPECT_EQ(away.summary.contains("optimality_gap"), here.summary.contains("optimality_gap"));
  };
  check({{"loss", {{"type", "weighted-least-squares"}, {"weights", "weights.npy"}}}});
  check({{"loss", {{"type", "poisson"}, {"exposures", "weights.npy"}}}, {"data", "counts.npy"}});
  check({{"loss", {{"type", "logistic"}, {"noise_scale", 0.5}}}, {"data", "signs.npy"}});
}

TEST(DeviceMatrixJob, GivesTheSameBitsTwice) {
  for (const char* type : {"entries", "dense", "rank-one"}) {
    const ProblemFiles<std::complex<double>> files(type);
    const auto factor = [&] { return run(files.description(), exact(), emulated()).factor.values; };
    EXPECT_EQ(factor(), factor()) << type;
  }
}

/// A solve copies its start and its answer, not the iterates.
TEST(DeviceMatrixJob, IteratesStayOnTheDevice) {
  const ProblemFiles<double> files("dense");
  RunSettings settings;
  settings.options.max_iterations = 30;
  settings.options.tolerance = 0;
  Json keys = Json::parse(read_file(files.description()));
  keys.erase("truth");
  const auto without = files.folder.file("without.json", json_text(keys));
  copies_of_device();
  const RunRecord away = run(without, settings, emulated());
  EXPECT_GE(away.summary["iterations"].get<int>(), 25);
  EXPECT_LT(copies_of_device(files.n * files.rank * sizeof(double)), 25u);
}

TEST(DeviceMatrixJob, SaysWhatItCannot) {
  for (const char* type : {"entries", "dense", "rank-one"}) {
    const ProblemFiles<double> files(type);
    most_device_memory();
    try {
      run(files.description(), exact(), emulated(1000));
      FAIL() << "accepted";
    } catch (const ResourceError& error) {
      EXPECT_THAT(error.what(), HasSubstr("loops on the host: these "));
      EXPECT_THAT(error.what(), HasSubstr("0.001 MB are free; use --device cpu"));
    }
    EXPECT_EQ(most_device_memory(), 0u) << type;
  }
  const ProblemFiles<double> files("identity");
  EXPECT_EQ(run(files.description(), exact(), emulated()).summary["device"], "cpu");
  MatrixInput input(files.description());
  for (const char* wrong : {"tpu", "gpu:x", "gpu:-1", ""}) {
    input.device = wrong;
    EXPECT_THROW(run_matrix_problem(input, exact()), InputError) << wrong;
  }
}

}  // namespace
}  // namespace projfgd::test
