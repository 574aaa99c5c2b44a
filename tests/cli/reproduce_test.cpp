#include <gtest/gtest.h>

#include <algorithm>

#include "projfgd/io/json.hpp"
#include "support/program.hpp"

namespace projfgd {
namespace {

using test::Outcome;
using test::shell;
using test::TemporaryFolder;

TEST(ReproduceProgram, ListsAndWrites) {
  const TemporaryFolder folder;
  const Outcome list = shell(folder.path(), "projfgd reproduce --list");
  EXPECT_EQ(list.code, 0) << list.err;
  for (const char* name : {"table-q13", "table-rank", "table-full", "table-random",
                           "figure-convergence", "figure-timing", "figure-phase", "figure-xi"}) {
    EXPECT_NE(list.out.find(name), std::string::npos) << name;
  }
  const Outcome run = shell(folder.path(), "projfgd reproduce figure-xi --out xi --json");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(parse_json(run.out, "stdout")[0]["name"], "figure-xi");
  for (const char* name : {"xi/figure-xi.csv", "xi/figure-xi.json", "xi/figure-xi.html"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
  }
  EXPECT_EQ(shell(folder.path(), "projfgd reproduce table-13").code, 2);
}

TEST(ReproduceProgram, ListsWhatIsNamed) {
  const TemporaryFolder folder;
  test::expect_error(folder.path(), "projfgd reproduce --list foo", 2,
                     "reproduce: found \"foo\", expected figure-xi, ");
  const Outcome one = shell(folder.path(), "projfgd reproduce --list table-q13");
  EXPECT_EQ(std::count(one.out.begin(), one.out.end(), '\n'), 2) << one.out;  // with its header
  const Outcome json = shell(folder.path(), "projfgd reproduce --list table-q13 --json");
  const Json expected = {
      {{"name", "table-q13"}, {"title", "ProjFGD and AccUniPDGrad at q = 13, r = 1, C = 3"}}};
  EXPECT_EQ(parse_json(json.out, "stdout"), expected) << json.out;
  EXPECT_EQ(parse_json(shell(folder.path(), "projfgd reproduce --list --json").out, "").size(), 8);
}

TEST(ReproduceProgram, AFolderInThePlaceOfAPageIsSaidBeforeTheRun) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "xi/figure-xi.html");
  test::expect_error(folder.path(), "projfgd reproduce figure-xi --out xi", 3,
                     "xi/figure-xi.html: found a folder, expected a file or a new name");
  EXPECT_FALSE(std::filesystem::exists(folder / "xi/figure-xi.csv"));
}

TEST(CompareProgram, PrintsOneTableForAllMethods) {
  const TemporaryFolder folder;
  const Outcome made = shell(folder.path(), "projfgd simulate pauli --qubits 4 --csam 8 --out d");
  ASSERT_EQ(made.code, 0) << made.err;
  const std::string command = "projfgd compare d/pauli.csv --truth d/truth.npy --methods ";
  const Outcome table = shell(folder.path(), command + "projfgd,svp --out c");
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_TRUE(table.out.starts_with("method   status     ")) << table.out;
  EXPECT_EQ(std::count(table.out.begin(), table.out.end(), '\n'), 3);
  EXPECT_TRUE(std::filesystem::exists(folder / "c/trace-svp.csv"));
  const Outcome limit =
      shell(folder.path(), command + "projfgd,sparse-approx-sdp --max-iterations 3 --json");
  EXPECT_EQ(limit.code, 1);
  EXPECT_EQ(parse_json(limit.out, "stdout")["methods"][1]["status"], "iteration_limit");
  EXPECT_EQ(shell(folder.path(), command + "projfgd,nothing").code, 2);
}

}  // namespace
}  // namespace projfgd
