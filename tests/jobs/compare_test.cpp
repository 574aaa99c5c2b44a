#include "projfgd/jobs/compare.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "projfgd/core/error.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/io/sha256.hpp"
#include "projfgd/io/table.hpp"
#include "projfgd/jobs/simulate_cdp.hpp"
#include "projfgd/jobs/simulate_tomography.hpp"
#include "support/temporary_folder.hpp"

namespace projfgd {
namespace {

using test::TemporaryFolder;

const Json& row(const Comparison& comparison, const std::string& method) {
  for (const ComparedRun& run : comparison.runs) {
    if (run.method == method) return run.row;
  }
  throw std::out_of_range(method);
}

Comparison pauli_comparison(const TemporaryFolder& folder) {
  simulate_pauli({.qubits = 5, .rank = 1, .csam = 8, .noise_norm = 0, .seed = 3}, folder.path());
  CompareInput input;
  input.data = {folder / "pauli.csv"};
  input.methods = {"projfgd", "rsvp", "sparse-approx-sdp"};
  RunSettings settings;
  settings.truth = folder / "truth.npy";
  settings.options.max_iterations = 60;
  settings.options.tolerance = 1e-10;
  return run_comparison(input, settings);
}

TEST(Compare, EveryMethodStartsAtTheSamePointOfTheSameProblem) {
  const TemporaryFolder folder;
  const Comparison comparison = pauli_comparison(folder);
  ASSERT_EQ(comparison.runs.size(), 3);
  for (const ComparedRun& run : comparison.runs) {
    EXPECT_EQ(run.trace.front().iteration, 0);
    EXPECT_NEAR(run.trace.front().relative_error, comparison.runs[0].trace.front().relative_error,
                1e-12);
    EXPECT_NEAR(run.trace.front().objective, comparison.runs[0].trace.front().objective, 1e-12);
    // f* = 0, and the objective itself is the most that a gap can be.
    const double f = run.row["objective"];
    EXPECT_NEAR(run.row["gap"].get<double>(), f, 1e-12 + 1e-9 * f);
    EXPECT_TRUE(run.row["certified"].get<bool>());
  }
  EXPECT_LE(row(comparison, "projfgd")["relative_error"].get<double>(), 1e-8);
  EXPECT_LE(row(comparison, "rsvp")["relative_error"].get<double>(), 1e-8);
  EXPECT_EQ(row(comparison, "rsvp")["rank"], 1);
  EXPECT_EQ(row(comparison, "sparse-approx-sdp")["eigenvector_calls"], 60);
}

TEST(Compare, WritesOneFolderForAllMethods) {
  const TemporaryFolder folder;
  const Comparison comparison = pauli_comparison(folder);
  write_comparison(folder / "out", comparison);
  const Json written = read_json(folder / "out/compare.json");
  EXPECT_EQ(written["methods"].size(), 3);
  EXPECT_EQ(written["dimension"], 32);
  EXPECT_EQ(written["loss"], "least-squares");
  EXPECT_EQ(written["time_limit"], compare_time_limit);
  for (const ComparedRun& run : comparison.runs) {
    const std::string trace = read_file(folder / ("out/trace-" + run.method + ".csv"));
    EXPECT_EQ(std::count(trace.begin(), trace.end(), '\n'), run.trace.size() + 1);
    // A slow method measures its error now and then only; that of its answer is always known.
    EXPECT_EQ(run.trace.back().relative_error, row(comparison, run.method)["relative_error"]);
  }
  const std::string page = read_file(folder / "out/report.html");
  for (const char* part : {"Error against iterations", "Error against time", "sparse-approx-sdp"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
}

// Counts have a Poisson likelihood of their own, but methods that know only squares need squares.
TEST(Compare, CountsTakeLeastSquaresWhereAMethodNeedsThem) {
  const TemporaryFolder folder;
  simulate_counts({.qubits = 2, .state = "bell", .shots = 2000}, folder.path());
  CompareInput input;
  input.data = {folder / "counts.json"};
  input.methods = {"projfgd", "svp"};
  const Comparison both = run_comparison(input, {});
  EXPECT_EQ(both.summary["loss"], "least-squares");
  EXPECT_NEAR(row(both, "projfgd")["objective"].get<double>(),
              row(both, "svp")["objective"].get<double>(), 1e-9);
  input.methods = {"projfgd", "fgd"};
  EXPECT_EQ(run_comparison(input, {}).summary["loss"], "poisson");
}

TEST(Compare, SaysWhatMethodsDoNotUse) {
  const TemporaryFolder folder;
  simulate_cdp({.height = 12, .width = 10, .patterns = 6}, folder.path());
  CompareInput input;
  input.data = {folder.path()};
  input.methods = {"projfgd", "wirtinger-flow"};
  RunSettings settings;
  settings.constraint = "nonnegative";
  settings.options.max_iterations = 30;
  const Comparison comparison = run_comparison(input, settings);
  EXPECT_NE(comparison.summary["warnings"].dump().find("wirtinger-flow: does not support "
                                                       "constraints"),
            std::string::npos)
      << comparison.summary["warnings"];
}

TEST(Compare, PhaseMethodsShareTheirStart) {
  const TemporaryFolder folder;
  CdpSimulation simulation;
  simulation.height = 5;
  simulation.width = 6;
  simulation.patterns = 10;
  simulation.stars = 0.3;
  simulate_cdp(simulation, folder.path());
  CompareInput input;
  input.data = {folder.path()};
  input.methods = {"projfgd", "wirtinger-flow", "gerchberg-saxton", "hio", "phaselift"};
  RunSettings settings;
  settings.options.max_iterations = 100;
  const Comparison comparison = run_comparison(input, settings);
  ASSERT_EQ(comparison.runs.size(), 5);
  const double first = comparison.runs[0].trace.front().relative_error;
  for (const ComparedRun& run : comparison.runs) {
    if (run.method == "phaselift") continue;  // a convex program, with a start of its own
    EXPECT_NEAR(run.trace.front().relative_error, first, 1e-9) << run.method;
  }
  EXPECT_LE(row(comparison, "projfgd")["relative_error"].get<double>(), 1e-3);
}

TEST(Compare, PhaseDataAreReadOnce) {
  const TemporaryFolder folder;
  simulate_cdp({.height = 5, .width = 6, .patterns = 10}, folder / "data");
  CompareInput input;
  input.data = {folder / "data"};
  input.methods = {"projfgd", "gerchberg-saxton"};
  input.done = [&](const ComparedRun&) { std::filesystem::remove_all(folder / "data"); };
  std::string all;
  std::vector<std::string> names;
  for (const char* name : {"intensities.npy", "masks.npy", "mask_values.npy"}) {
    names.push_back((folder / "data" / name).string());
    all += read_file(names.back());
  }
  const Comparison comparison = run_comparison(input, {});
  EXPECT_EQ(comparison.runs.size(), 2);
  EXPECT_EQ(comparison.summary["input"], Json(names));
  EXPECT_EQ(comparison.summary["input_sha256"], sha256(all));
}

TEST(Compare, RefusesNamesBeforeItReadsAnything) {
  CompareInput input;
  input.data = {"there-is-no-such-file.csv"};
  input.methods = {"projfgd", "wirtinger-flow"};
  EXPECT_THROW(run_comparison(input, {}), InputError);
  input.methods = {"projfgd", "projfgd"};
  EXPECT_THROW(run_comparison(input, {}), InputError);
}

TEST(Tables, AlignAndEscape) {
  const Json rows = {{{"name", "a,b"}, {"x", 0.12345}, {"n", 7}},
                     {{"name", "longer"}, {"n", 1234}, {"y", "say \"so\""}}};
  EXPECT_EQ(table_text(table_of(rows, {{"name", "Name"}, {"x", "X"}, {"n", "N"}, {"z", "Z"}})),
            "Name        X     N\n"
            "a,b     0.123     7\n"
            "longer      –  1234\n");
  EXPECT_EQ(rows_csv(rows), "name,x,n,y\n\"a,b\",0.12345,7,\nlonger,,1234,\"say \"\"so\"\"\"\n");
}

// Before the first method has run for an hour.
TEST(Compare, RefusesWhatOneOfTheMethodsCannotDo) {
  const TemporaryFolder folder;
  simulate_counts({.qubits = 2, .state = "bell", .shots = 200}, folder.path());
  CompareInput input;
  input.data = {folder / "counts.json"};
  input.loss = "poisson";
  input.methods = {"projfgd", "svp"};
  input.done = [](const ComparedRun& run) { ADD_FAILURE() << run.method << " was run"; };
  EXPECT_THROWS_WITH(run_comparison(input, {}), InputError, "svp supports only least squares");
  CompareInput phase;
  phase.data = {folder / "a.npy", folder / "b.npy"};
  phase.phase.masks = folder / "m.npy";
  EXPECT_THROWS_WITH(run_comparison(phase, {}), InputError, "found 2 files or folders");
}

Comparison counts_comparison(const TemporaryFolder& folder, const std::vector<std::string>& methods,
                             const RunSettings& settings) {
  simulate_counts({.qubits = 2, .state = "bell", .shots = 500}, folder.path());
  CompareInput input;
  input.data = {folder / "counts.json"};
  input.methods = methods;
  return run_comparison(input, settings);
}

bool says(const Comparison& comparison, const std::string& part) {
  return comparison.summary.value("warnings", Json::array()).dump().find(part) != std::string::npos;
}

// A bound on the trace is what all of them know; a fit of full rank by projfgd alone has more.
TEST(Compare, EveryRankHasTheSameSet) {
  for (const Index rank : {Index{1}, Index{4}, full_rank}) {
    const TemporaryFolder folder;
    RunSettings settings;
    settings.rank = rank;
    settings.options.max_iterations = 20;
    const Comparison comparison = counts_comparison(folder, {}, settings);
    EXPECT_EQ(comparison.runs.size(), 4) << rank;
    EXPECT_EQ(comparison.summary["constraint"], "frobenius-ball:1") << rank;
  }
}

TEST(Compare, RefusalsNameTheOptionAndWhatCanBePasted) {
  const TemporaryFolder folder;
  RunSettings settings;
  settings.constraint = "frobenius-sphere:1";
  EXPECT_THROWS_WITH(
      counts_comparison(folder, {"projfgd", "rsvp"}, settings), InputError,
      "--methods: rsvp supports no constraint but a bound on the trace of X, expected "
      "the constraint frobenius-ball:1, which is tr X <= 1, or none");
  settings.constraint = "none";
  EXPECT_THROWS_WITH(counts_comparison(folder, {"acc-uni-pd-grad"}, settings), InputError,
                     "expected the constraint frobenius-ball:1, which is tr X <= 1");
}

// No state has these values, for XX YY = -ZZ: what has no bound on the trace fits them with more.
TEST(Compare, AnAnswerOutsideTheSetIsNotRanked) {
  const TemporaryFolder folder;
  folder.file("pauli.csv", "pauli,expectation\nXX,0.5\nYY,0.5\nZZ,1\n");
  CompareInput input;
  input.data = {folder / "pauli.csv"};
  input.methods = {"projfgd", "nuclear-norm", "fgd"};
  const Comparison comparison = run_comparison(input, {});
  EXPECT_FALSE(row(comparison, "projfgd").contains("outside_set"));
  EXPECT_TRUE(row(comparison, "projfgd").contains("gap"));
  for (const char* method : {"nuclear-norm", "fgd"}) {
    EXPECT_LT(row(comparison, method)["objective"], row(comparison, "projfgd")["objective"]);
    EXPECT_TRUE(row(comparison, method)["outside_set"].get<bool>()) << method;
    EXPECT_FALSE(row(comparison, method).contains("gap")) << method;
    EXPECT_TRUE(says(comparison, std::string(method) + ": the answer is infeasible: tr X = "));
  }
  const std::string page = comparison_html(comparison);
  EXPECT_NE(page.find("Smallest objective: projfgd"), std::string::npos);
  EXPECT_NE(page.find("First to stop, in seconds: projfgd"), std::string::npos);
}

TEST(Compare, SaysHowMethodsStopAndWhatWasAsked) {
  const TemporaryFolder folder;
  RunSettings settings;
  settings.rank = 2;
  settings.threads = 1;
  Comparison comparison = counts_comparison(folder, {"projfgd", "svp"}, settings);
  comparison.summary["command"] = "projfgd compare counts.json";
  const std::string page = comparison_html(comparison);
  for (const char* part : {"the longest of their last 5 (svp, rsvp), 20 (sparse-approx-sdp) or 40",
                           "projfgd compare counts.json", "projfgd, svp", "of methods that keep it",
                           "Time limit", "Threads"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(page.find("the same stopping rule"), std::string::npos);
}

TEST(Compare, AnInterruptedOneSaysWhatDidNotRun) {
  const TemporaryFolder folder;
  bool interrupted = false;
  simulate_counts({.qubits = 2, .state = "bell", .shots = 500}, folder.path());
  CompareInput input;
  input.data = {folder / "counts.json"};
  input.methods = {"projfgd", "svp", "rsvp"};
  input.done = [&](const ComparedRun&) { interrupted = true; };
  RunSettings settings;
  settings.interrupt = [&] { return interrupted; };
  const Comparison comparison = run_comparison(input, settings);
  EXPECT_FALSE(comparison.whole);
  write_comparison(folder / "out", comparison);
  const Json written = read_json(folder / "out/compare.json");
  EXPECT_EQ(written["methods_asked"], Json(input.methods));
  ASSERT_EQ(written["methods"].size(), 3);
  EXPECT_EQ(written["methods"][2], Json({{"method", "rsvp"}, {"status", "not_run"}}));
  EXPECT_TRUE(says(comparison, "interrupted: svp, rsvp did not run"));
  EXPECT_NE(table_text(comparison_table(written["methods"])).find("not run"), std::string::npos);
  EXPECT_NE(read_file(folder / "out/compare.csv").find("rsvp,not_run"), std::string::npos);
  EXPECT_NE(read_file(folder / "out/report.html").find("svp, rsvp did not run"), std::string::npos);
}

TEST(Compare, SaysThatAMethodDecidedTheLoss) {
  const TemporaryFolder folder;
  RunSettings settings;
  settings.options.max_iterations = 20;
  const char* line =
      "all methods use least squares, the only loss that svp, rsvp support; without them the loss "
      "would be poisson (set it with --loss)";
  EXPECT_TRUE(says(counts_comparison(folder, {"projfgd", "svp", "rsvp"}, settings), line));
  EXPECT_FALSE(says(counts_comparison(folder, {"projfgd", "fgd"}, settings), "--loss"));
}

TEST(Compare, SaysWhoseRankIsWhat) {
  const TemporaryFolder folder;
  RunSettings settings;
  settings.options.max_iterations = 20;
  const Comparison mixed = counts_comparison(folder, {"projfgd", "acc-uni-pd-grad"}, settings);
  EXPECT_TRUE(says(mixed,
                   "methods with a fixed rank used rank 1, while acc-uni-pd-grad started there "
                   "and chose the rank of its answer; use --rank for another"));
  EXPECT_FALSE(says(mixed, "all methods were compared at rank 1"));
  EXPECT_TRUE(says(counts_comparison(folder, {"projfgd", "svp"}, settings),
                   "all methods were compared at rank 1"));
}

TEST(Compare, SaysWhichMethodsAreTheSameWithoutASet) {
  const TemporaryFolder folder;
  simulate_cdp({.height = 12, .width = 10, .patterns = 6}, folder.path());
  CompareInput input;
  input.data = {folder.path()};
  input.methods = {"projfgd", "wirtinger-flow", "gerchberg-saxton", "hio", "paper-projfgd"};
  RunSettings settings;
  settings.options.max_iterations = 5;
  const Comparison without = run_comparison(input, settings);
  EXPECT_TRUE(says(without, "gerchberg-saxton and hio take the same steps"));
  EXPECT_TRUE(says(without, "wirtinger-flow and paper-projfgd take the same steps"));
  for (const auto& [one, other] :
       {std::pair{"hio", "gerchberg-saxton"}, std::pair{"paper-projfgd", "wirtinger-flow"}}) {
    const double expected = row(without, one)["objective"].get<double>();
    EXPECT_NEAR(row(without, other)["objective"].get<double>(), expected, 1e-9 * expected) << one;
  }
  settings.constraint = "nonnegative";
  EXPECT_FALSE(says(run_comparison(input, settings), "take the same steps"));
}

TEST(Compare, OneOfThePatternsMakesItPhaseRetrieval) {
  const TemporaryFolder folder;
  simulate_cdp({.height = 5, .width = 6, .patterns = 4}, folder / "data");
  const auto is_phase = [&](const std::vector<const char*>& names, const std::string& format) {
    CompareInput input;
    for (const char* name : names) input.data.push_back(folder / name);
    input.tomography.format.format = format;
    return is_phase_data(input);
  };
  for (const std::vector<const char*>& names : std::vector<std::vector<const char*>>{
           {"data/intensities.npy", "data"}, {"a.csv", "b.cxi"}, {"y.npy"}, {"a.h5", "b.h5"}}) {
    EXPECT_TRUE(is_phase(names, "auto")) << names.front();
  }
  EXPECT_FALSE(is_phase({"bits.npy", "recipes.npy"}, "auto"));
  EXPECT_FALSE(is_phase({"shadows.npy"}, "pennylane"));
  CompareInput input;
  input.data = {folder / "data/intensities.npy", folder / "data"};
  input.methods = {"auto"};
  EXPECT_THROWS_WITH(run_comparison(input, {}), InputError,
                     "data: found 2 files or folders of intensities, expected one");
}

}  // namespace
}  // namespace projfgd
