#include "projfgd/core/version.hpp"
#include "projfgd/io/files.hpp"
#include "support/matrix_problem_files.hpp"
#include "support/program.hpp"

namespace projfgd {
namespace {

namespace fs = std::filesystem;
using test::Outcome;
using test::ProblemFiles;
using test::shell;
using test::TemporaryFolder;

/// One problem for all tests that only look at how the program behaves.
class Solve : public testing::Test {
 protected:
  Solve() { files.description(); }
  Outcome run(const std::string& command) const { return shell(files.folder.path(), command); }
  fs::path at(const char* name) const { return files.folder / name; }

  void expect_error(const std::string& command, int code, const std::string& part) const {
    test::expect_error(files.folder.path(), command, code, part);
  }

  ProblemFiles<double> files{"dense"};
};

TEST_F(Solve, VersionAndHelp) {
  EXPECT_THAT(run("projfgd --version").out,
              ::testing::StartsWith("projfgd " + std::string(version()) + "\nGPU: "));
  for (const char* command : {"projfgd --help", "projfgd solve --help"}) {
    const Outcome help = run(command);
    EXPECT_EQ(help.code, 0);
    EXPECT_NE(help.out.find("Examples:"), std::string::npos);
    EXPECT_EQ(help.err, "");
  }
}

TEST_F(Solve, WritesTheAgreedFilesAndPrintsATable) {
  const Outcome outcome = run("projfgd solve problem.json --tolerance 1e-12 --out a/b");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");  // no progress bar in a pipe
  EXPECT_TRUE(outcome.out.starts_with("relative error ")) << outcome.out;
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos);
  const Json summary = read_json(at("a/b/summary.json"));
  EXPECT_EQ(summary["status"], "converged");
  EXPECT_LE(summary["relative_error"].get<double>(), 1e-9);
  EXPECT_EQ(read_npy(at("a/b/factor.npy")).shape, (std::vector<Index>{8, 2}));
  EXPECT_TRUE(read_file(at("a/b/trace.csv")).starts_with("iteration,seconds,objective,"));
  const auto shown = std::count_if(
      fs::directory_iterator(at("a/b")), fs::directory_iterator(),
      [](const fs::directory_entry& entry) { return entry.path().filename().string()[0] != '.'; });
  EXPECT_EQ(shown, 3 + fs::exists(at("a/b/report.html")));
}

TEST_F(Solve, JsonStandsAloneAndQuietIsQuiet) {
  const Outcome outcome = run("projfgd solve problem.json --json");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(parse_json(outcome.out, "stdout")["rank"], 2);
  const Outcome quiet = run("projfgd solve problem.json --quiet");
  EXPECT_EQ(quiet.out + quiet.err, "");
}

TEST_F(Solve, ALimitIsExitOneWithTheBestPointWritten) {
  EXPECT_EQ(run("projfgd solve problem.json --max-iterations 2 --tolerance 0 --out o").code, 1);
  EXPECT_EQ(read_json(at("o/summary.json"))["status"], "iteration_limit");
  EXPECT_EQ(run("projfgd solve problem.json --step 1e-9 --tolerance 0 --time-limit 0.05 --out t "
                "--max-iterations 1000000000")
                .code,
            1);
  EXPECT_EQ(read_json(at("t/summary.json"))["status"], "time_limit");
  EXPECT_EQ(run("projfgd solve problem.json --step 1e6 --out d").code, 1);
  EXPECT_EQ(read_json(at("d/summary.json"))["status"], "diverged");
  EXPECT_EQ(read_file(at("d/summary.json")).find("nan"), std::string::npos);
}

TEST_F(Solve, WrongCommandLinesAreExitTwo) {
  expect_error("projfgd solv problem.json", 2, "");
  expect_error("projfgd solve", 2, "PROBLEM");
  expect_error("projfgd solve problem.json --colour red", 2, "--colour");
  for (const char* rank : {"0", "-1", "1.5", "x", "9"}) {
    expect_error(std::string("projfgd solve problem.json --rank ") + rank, 2, "rank");
  }
  expect_error("projfgd solve problem.json --method nope", 2, "method");
  expect_error("projfgd solve problem.json --step -1", 2, "step");
  expect_error("projfgd solve problem.json --constraint ball", 2, "constraint");
  expect_error("projfgd solve problem.json --constraint l1-ball", 2, "radius");
  expect_error("projfgd solve problem.json --precision half", 2, "precision");
  expect_error("projfgd solve problem.json --tolerance nan", 2, "tolerance");
  expect_error("projfgd solve problem.json --max-iterations -1", 2, "max-iterations");
  expect_error("projfgd solve problem.json --threads x", 2, "threads");
}

TEST_F(Solve, WrongFilesAreExitTwoAndNothingIsWritten) {
  files.folder.file("empty.json", "");
  files.folder.file("empty.mtx", "");
  files.folder.file("empty.csv", "");
  files.folder.file("none.csv", "row,column,value\n");
  expect_error("projfgd solve empty.json --rank 1 --out o", 2, "empty.json");
  expect_error("projfgd solve empty.mtx --rank 1 --out o", 2, "empty.mtx");
  expect_error("projfgd solve empty.csv --rank 1 --out o", 2, "empty.csv");
  expect_error("projfgd solve none.csv --rank 1 --out o", 2, "none.csv");
  expect_error("head -c 140 data.npy >cut && mv cut data.npy; projfgd solve problem.json --out o",
               2, "data.npy");
  EXPECT_FALSE(fs::exists(at("o")));
}

TEST_F(Solve, FilesThatCannotBeReadOrWrittenAreExitThree) {
  expect_error("projfgd solve none.json", 3, "none.json");
  expect_error("projfgd solve problem.json --truth none.npy", 3, "none.npy");
  expect_error("projfgd solve problem.json --out truth.npy/sub --quiet", 3, "truth.npy/sub");
  if (fs::exists("/dev/full")) {
    expect_error("projfgd solve problem.json --json >/dev/full", 3, "standard output");
  }
#ifndef __SANITIZE_THREAD__  // whose runtime writes a file of its own before main (MapRodata)
  // A limit of zero blocks on the size of files is a full disk.
  fs::create_directory(at("full"));
  files.folder.file("full/factor.npy", "old");
  const Outcome outcome =
      run("(ulimit -f 0; projfgd solve problem.json --out full --quiet) "
          "2>/dev/null");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(read_file(at("full/factor.npy")), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(at("full")), fs::directory_iterator()), 1);
#endif
}

TEST_F(Solve, WhatCannotFitIsExitFour) {
  expect_error("projfgd solve problem.json --rank 1000000000000", 4, "memory");
  files.description({{"dimension", 2000000000}, {"rank", 1000000}});
  expect_error("projfgd solve problem.json", 4, "memory");
}

TEST_F(Solve, SignalsKeepTheBestPoint) {
  const std::string endless =
      " projfgd solve problem.json --step 1e-9 --tolerance 0 --max-iterations 1000000000";
  const Outcome kept = run("timeout --preserve-status -s INT 2" + endless + " --out i");
  EXPECT_EQ(kept.code, 130);
  EXPECT_NE(kept.err.find("i has the best result so far and a checkpoint. To continue:\n "),
            std::string::npos)
      << kept.err;
  EXPECT_EQ(run("timeout --preserve-status -s TERM 2" + endless + " --out t").code, 143);
  const Outcome lost = run("timeout --preserve-status -s INT 2" + endless);
  EXPECT_NE(lost.err.find("nothing was written; with --out"), std::string::npos) << lost.err;
  for (const char* folder : {"i", "t"}) {
    EXPECT_EQ(read_json(files.folder / folder / "summary.json")["status"], "interrupted");
    EXPECT_NO_THROW(require_finite(read_npy(files.folder / folder / "factor.npy"), "factor.npy"));
  }
}

TEST_F(Solve, ThreadsDoNotChangeABit) {
  for (const char* count : {"1", "2", "4"}) {
    const std::string n = count;
    EXPECT_EQ(run("projfgd solve problem.json --quiet --threads " + n + " --out t" + n).code, 0);
  }
  EXPECT_EQ(read_file(at("t1/factor.npy")), read_file(at("t2/factor.npy")));
  EXPECT_EQ(read_file(at("t1/factor.npy")), read_file(at("t4/factor.npy")));
}

TEST(SolveGuide, ThePageFindsTheFactorItPrints) {
  const TemporaryFolder folder;
  const fs::path source = PROJFGD_SOURCE;
  const Outcome outcome =
      shell(folder.path(), "python3 -B '" + (source / "tests/guides/run_guide.py").string() +
                               "' '" + (source / "docs/solve.md").string() + "' '" +
                               fs::path(PROJFGD_PROGRAM).parent_path().string() + "' .");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Matrix<double> u = to_matrix<double>(read_npy(folder / "result/factor.npy"), "factor.npy");
  Matrix<double> expected(5, 1);
  expected << 1, 2, 3, -1, 0.5;
  EXPECT_LE((u * u.transpose() - expected * expected.transpose()).norm(), 1e-6);
}

}  // namespace
}  // namespace projfgd
