#include "jobs/common/staged_run.hpp"

#include <gmock/gmock.h>

#include <vector>

#include "projfgd/constraints/none.hpp"
#include "projfgd/losses/least_squares.hpp"
#include "projfgd/operators/identity.hpp"

namespace projfgd {
namespace {

using testing::ElementsAre;

/// The nearest X of rank 2 to the diagonal matrix 1, 1/2, 1/3, ...
Problem<double> nearest_to_diagonal(Index n) {
  const IdentityOperator<double> op(n);
  Matrix<double> x = Matrix<double>::Zero(n, n);
  for (Index i = 0; i < n; ++i) x(i, i) = 1.0 / static_cast<double>(i + 1);
  return {
      .op = op, .loss = LeastSquares<double>(op.coordinates(x)), .set = Unconstrained(), .rank = 2};
}

/// From random points, which leave something to do.
RunSettings random_settings() {
  RunSettings settings;
  settings.init = start_name::random;
  settings.threads = 1;
  return settings;
}

StopRule after(Index iterations) {
  return {.enough = [=](const TraceRow& row) { return row.iteration == iterations; }};
}

std::vector<Index> iterations_of(const std::vector<TraceRow>& rows) {
  std::vector<Index> list;
  for (const TraceRow& row : rows) list.push_back(row.iteration);
  return list;
}

TEST(StagedRun, AStageThatHasWhatItIsForConverged) {
  const Problem<double> problem = nearest_to_diagonal(6);
  const RunSettings settings = random_settings();
  StagedRun<double> run(problem, settings);
  const Result<Matrix<double>> stage = run.from_start(after(2));
  EXPECT_EQ(stage.status, Status::converged);
  EXPECT_EQ(stage.iterations, 2);
}

TEST(StagedRun, AnInterruptIsNoConvergence) {
  const Problem<double> problem = nearest_to_diagonal(6);
  RunSettings settings = random_settings();
  int asked = 0;
  settings.interrupt = [&asked] { return ++asked > 2; };
  StagedRun<double> run(problem, settings);
  EXPECT_EQ(run.from_start().status, Status::interrupted);
}

TEST(StagedRun, StagesShareTheLimitsTheTraceAndTheProgress) {
  const Problem<double> problem = nearest_to_diagonal(8);
  RunSettings settings = random_settings();
  settings.options.max_iterations = 5;
  settings.options.tolerance = 0;
  settings.options.gradient_tolerance = 0;
  std::vector<TraceRow> seen;
  settings.progress = [&seen](const TraceRow& row) { seen.push_back(row); };
  StagedRun<double> run(problem, settings);
  run.take(run.from_start(after(3)));
  run.take(run.from(run.result().factor));
  const Answer<double> answer = std::move(run).answer();
  EXPECT_EQ(answer.result.status, Status::iteration_limit);
  EXPECT_EQ(answer.result.iterations, 5);
  EXPECT_THAT(iterations_of(answer.result.trace), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(iterations_of(seen), ElementsAre(0, 1, 2, 3, 3, 4, 5));
  EXPECT_GE(answer.counts.forward, 5);
  EXPECT_GE(answer.counts.adjoint, 5);
}

TEST(StagedRun, AStageThatIsNotTakenCountsAndLeavesNoRows) {
  const Problem<double> problem = nearest_to_diagonal(8);
  const RunSettings settings = random_settings();
  StagedRun<double> run(problem, settings);
  run.take(run.from_start(after(3)));
  const double objective = run.result().objective;
  run.from(Matrix<double>::Ones(8, 1), after(2));
  EXPECT_EQ(run.result().objective, objective);
  EXPECT_EQ(run.result().iterations, 5);
  EXPECT_THAT(iterations_of(run.result().trace), ElementsAre(0, 1, 2, 3));
}

TEST(StagedRun, StopsWithTheBetterOfTheLastStageAndTheAnswer) {
  const Problem<double> problem = nearest_to_diagonal(8);
  RunSettings settings = random_settings();
  settings.options.max_iterations = 4;
  StagedRun<double> run(problem, settings);
  run.take(run.from_start(after(3)));
  const Matrix<double> best = run.result().factor;
  run.stop(run.from(100 * Matrix<double>::Ones(8, 2)));
  EXPECT_EQ(run.result().status, Status::iteration_limit);
  EXPECT_EQ(run.result().factor, best);
}

}  // namespace
}  // namespace projfgd
