// What a user could lose: an input, a result, the time to wait for a program that does not end.
#include <gmock/gmock.h>

#include <string>

#include "support/program.hpp"

namespace projfgd {
namespace {

using test::expect_error;
using test::Outcome;
using test::shell;
using test::TemporaryFolder;
using testing::HasSubstr;

class NothingLost : public testing::Test {
 protected:
  void SetUp() override {
    const Outcome made = shell(folder.path(), "projfgd simulate counts --qubits 2 --out data");
    ASSERT_EQ(made.code, 0) << made.err;
  }
  TemporaryFolder folder;
};

TEST_F(NothingLost, ASignalEndsAReadThatWaits) {
  for (const char* silent : {"mkfifo pipe; data=pipe", "data=/dev/zero"}) {
    const Outcome outcome = shell(folder.path(), std::string(silent) +
                                                     "; timeout -s INT --preserve-status -k 20 1 "
                                                     "projfgd tomography $data --out result");
    EXPECT_EQ(outcome.code, 130) << silent << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("interrupted")) << silent;
    EXPECT_FALSE(std::filesystem::exists(folder / "result")) << silent;
  }
}

TEST_F(NothingLost, AnInputIsNotReplacedByAResult) {
  ASSERT_EQ(shell(folder.path(), "projfgd tomography data --rank 1 --out result").code, 0);
  const std::string before = read_file(folder / "result/factor.npy");
  expect_error(folder.path(),
               "projfgd tomography data --rank 1 --init result/factor.npy --out result", 2,
               "an input of this run that its results would replace");
  EXPECT_EQ(read_file(folder / "result/factor.npy"), before);
}

TEST_F(NothingLost, AnInputIsNotTakenAwayWithTheRunBefore) {
  ASSERT_EQ(shell(folder.path(), "projfgd tomography data --rank 1 --out result").code, 0);
  folder.file("entries.csv", "row,column,value\n0,0,1\n1,1,1\n2,2,1\n3,3,1\n");
  expect_error(folder.path(),
               "projfgd solve entries.csv --rank 1 --truth result/density_matrix.npy --out result",
               2, "an input of this run that its results would replace");
  EXPECT_TRUE(std::filesystem::exists(folder / "result/density_matrix.npy"));
}

TEST_F(NothingLost, AListOfFilesThatSomebodyWroteToIsNoObstacle) {
  ASSERT_EQ(shell(folder.path(), "projfgd tomography data --rank 1 --out result").code, 0);
  std::filesystem::create_directory(folder / "result/mine");
  const std::string odd = "mine\n..\n" + std::string(300, 'a') + "\n\xff\n/etc/passwd\nno end";
  folder.file("result/.projfgd-run", odd);
  EXPECT_EQ(shell(folder.path(), "projfgd tomography data --rank 1 --out result").code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "result/mine"));
}

TEST_F(NothingLost, WhatAFileHoldsDoesNotCommandTheTerminal) {
  folder.file("odd.json", R"({"XX": {"00": 3}, "X\u001b[2J\u0000Z": {"00": 3}})");
  const Outcome outcome = shell(folder.path(), "projfgd tomography odd.json");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos);
  EXPECT_THAT(outcome.err, HasSubstr("\\x1b[2J\\x00Z"));
}

TEST_F(NothingLost, AnOutputThatCannotBeWrittenIsAnError) {
  for (const char* words : {"--help", "--version", "help phase", "tomography data --rank 1",
                            "simulate pauli --qubits 2 --out more"}) {
    for (const char* output : {">/dev/full", ">&-", ">&- 2>&- <&-"}) {
      const Outcome outcome = shell(folder.path(), std::string("projfgd ") + words + " " + output);
      EXPECT_EQ(outcome.code, 3) << words << output << outcome.err;
    }
  }
}

// A file that is opened while standard output is closed must not become standard output.
TEST_F(NothingLost, WhatIsPrintedDoesNotGoIntoAResult) {
  const Outcome outcome =
      shell(folder.path(), "projfgd tomography data --rank 1 --out result <&- >&- 2>&-");
  EXPECT_EQ(outcome.code, 3);
  const std::string summary = read_file(folder / "result/summary.json");
  EXPECT_TRUE(summary.starts_with("{") && summary.ends_with("}\n"));
}

TEST_F(NothingLost, ResultsAndTheirDataStandSideBySide) {
  ASSERT_EQ(shell(folder.path(), "projfgd tomography data --rank 1 --out data").code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "data/counts.json"));
  ASSERT_EQ(shell(folder.path(), "projfgd tomography data --rank 2 --out data").code, 0);
}

TEST_F(NothingLost, OneFolderIsForOneRunAtATime) {
  const Outcome outcome =
      shell(folder.path(),
            "mkfifo pipe; projfgd tomography pipe --out result & "
            "while [ ! -d result ]; do sleep 0.05; done; sleep 0.2; "
            "projfgd tomography data --out result; echo $?; kill %1 2>/dev/null || kill $!; wait");
  EXPECT_THAT(outcome.out, HasSubstr("3\n"));
  EXPECT_THAT(outcome.err, HasSubstr("another run is writing to this folder"));
}

}  // namespace
}  // namespace projfgd
