#include "jobs/common/stages.hpp"

#include <gmock/gmock.h>

#include "support/tomography.hpp"

namespace projfgd::test {
namespace {

using testing::ElementsAre;

/// A run of so many iterations, a second each, from objective f down by one at a time.
Result<Matrix<double>> stage(Index iterations, double f) {
  Result<Matrix<double>> result;
  result.iterations = iterations;
  result.seconds = static_cast<double>(iterations);
  result.objective = f - static_cast<double>(iterations);
  for (Index k = 0; k <= iterations; ++k) {
    const auto t = static_cast<double>(k);
    result.trace.push_back({k, t, f - t, 0, 0});
  }
  return result;
}

std::vector<double> objectives(const Result<Matrix<double>>& result) {
  std::vector<double> values;
  for (const TraceRow& row : result.trace) values.push_back(row.objective);
  return values;
}

TEST(Stages, AllCountAndTheTakenLeaveRows) {
  Stages<Matrix<double>> stages;
  stages.take(stages.entered(stage(2, 9)));
  stages.entered(stage(3, 90));  // leads nowhere
  EXPECT_EQ(stages.in_run({1, 1, 0, 0, 0}).iteration, 6);
  stages.take(stages.entered(stage(1, 7)));
  const Result<Matrix<double>>& answer = stages.answer();
  EXPECT_EQ(answer.iterations, 6);
  EXPECT_EQ(answer.seconds, 6);
  EXPECT_EQ(answer.objective, 6);
  EXPECT_THAT(objectives(answer), ElementsAre(9, 8, 7, 6));
  EXPECT_EQ(answer.trace.back().iteration, 6);
  EXPECT_EQ(answer.trace.back().seconds, 6);
}

TEST(Stages, LimitsAreUsedUpAndNeverNegative) {
  Options options;
  options.max_iterations = 10;
  options.time_limit = 5;
  EXPECT_EQ(remaining(options, 4, 2).max_iterations, 6);
  EXPECT_EQ(remaining(options, 4, 2).time_limit, 3);
  EXPECT_EQ(remaining(options, 11, 6).max_iterations, 0);
  EXPECT_NO_THROW(validate(remaining(options, 11, 6)));
}

TEST_F(Tomography, TheLimitHoldsForAllRanksTogether) {
  simulate_counts({.qubits = 2, .state = "bell", .shots = 300, .depolarizing = 0.3},
                  folder_.path());
  TomographyInput input;
  input.data = {folder_ / "counts.json"};
  RunSettings settings;
  settings.threads = 1;
  const Index all = run_tomography(input, settings).summary["iterations"].get<Index>();
  ASSERT_GT(all, 3);
  for (Index most = 0; most <= all; ++most) {
    settings.options.max_iterations = most;
    const RunRecord record = run_tomography(input, settings);
    EXPECT_LE(record.summary["iterations"].get<Index>(), most);
    EXPECT_LE(record.trace.back().iteration, most);
  }
}

}  // namespace
}  // namespace projfgd::test
