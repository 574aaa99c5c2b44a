// The bound on how much better any X >= 0 could do, in the summaries of solve and compare.
#include <gtest/gtest.h>

#include "projfgd/jobs/compare.hpp"
#include "projfgd/jobs/matrix_problem.hpp"
#include "projfgd/jobs/simulate_tomography.hpp"
#include "support/matrix_problem_files.hpp"

namespace projfgd::test {
namespace {

Json gap_of(const std::filesystem::path& problem, Index rank, const std::string& constraint = "") {
  RunSettings settings;
  settings.rank = rank;
  settings.constraint = constraint;
  settings.options.tolerance = 1e-10;
  const Json summary = run_matrix_problem(problem, settings).summary;
  EXPECT_LE(summary["optimality_gap"]["value"], summary["objective"]);
  return summary["optimality_gap"];
}

TEST(Certificate, SolveHasItForEveryOperatorAndClosesAtFullRank) {
  for (const char* type : {"entries", "dense", "rank-one", "identity"}) {
    const ProblemFiles<std::complex<double>> files(type);
    for (const char* set : {"", "frobenius-ball:1"}) {
      const Json gap = gap_of(files.description(), 8, set);
      EXPECT_EQ(gap["certified"], true) << type;
      EXPECT_EQ(gap["unit"], "objective");
      // The ball is too small for the data, and f is then some 10.
      EXPECT_LE(gap["value"].get<double>(), 1e-4) << type << " " << set;
    }
  }
}

TEST(Certificate, CompareHasItForALikelihood) {
  const TemporaryFolder folder;
  simulate_counts({.qubits = 2, .state = "w", .depolarizing = 0.2}, folder.path());
  CompareInput input;
  input.data = {folder / "counts.json"};
  input.tomography.data = input.data;
  input.methods = {"projfgd"};
  input.loss = "poisson";
  RunSettings settings;
  settings.rank = 4;
  settings.options.tolerance = 1e-9;
  const Comparison out = run_comparison(input, settings);
  const Json& row = out.runs.at(0).row;
  EXPECT_EQ(row["certified"], true);
  EXPECT_LE(row["gap"].get<double>(), 0.01);  // nats
  settings.rank = 1;
  const double pure = run_comparison(input, settings).runs.at(0).row["gap"];
  EXPECT_GE(pure, 10);
}

}  // namespace
}  // namespace projfgd::test
