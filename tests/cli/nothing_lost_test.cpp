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

// Each waits for bytes that do not come, or that do not end, when the signal comes.
TEST_F(NothingLost, ASignalEndsAReadThatWaits) {
  ASSERT_EQ(shell(folder.path(),
                  "mkfifo fifo held; projfgd simulate cdp --image stars --size 8x8 --patterns 2 "
                  "--out image --quiet")
                .code,
            0);
  for (const char* words :
       {"tomography $file", "tomography data --truth $file", "tomography data --readout $file",
        "phase $file", "phase image/intensities.npy --masks $file", "phase image --support $file",
        "solve $file", "compare $file", "compare image --truth $file",
        "simulate cdp --image $file --patterns 2",
        "simulate ptychography --image $file --probe-size 8"}) {
    const Outcome outcome = shell(
        folder.path(), std::string("exec 3<>held; for file in fifo held /dev/zero /dev/stdin; "
                                   "do { timeout -s TERM --preserve-status -k 20 1 projfgd ") +
                           words + " --out result-${file##*/} <held; echo $?; } & done; wait");
    // The first bytes of /dev/zero may be enough to refuse it.
    EXPECT_THAT(outcome.out, testing::MatchesRegex("(2\n)?143\n143\n143\n(143\n)?"))
        << words << outcome.err;
    EXPECT_EQ(shell(folder.path(), "ls -d result-*").out, "") << words;
  }
}

// As nohup and the shell's & ask for; what is not ignored still ends the run.
TEST_F(NothingLost, ASignalThatIsIgnoredFromTheStartStaysIgnored) {
  for (const std::string signal : {"HUP", "INT"}) {
    const Outcome outcome = shell(
        folder.path(), "trap '' " + signal +
                           "; rm -f pipe; mkfifo pipe; exec 3<>pipe; projfgd tomography pipe & "
                           "sleep 0.3; kill -" +
                           signal + " $!; sleep 0.3; kill -TERM $!; wait $!");
    EXPECT_EQ(outcome.code, 143) << signal << outcome.err;
  }
}

// Nobody reads the pipe, which is full: what is printed, complained of or warned of has no place.
TEST_F(NothingLost, ASignalEndsAWriteThatWaits) {
  for (const char* words : {"man >pipe", "completion bash >pipe", "tomography data --rank 1 >pipe",
                            "compare data --rank 1 2>pipe", "tomography nothing 2>pipe"}) {
    const Outcome outcome = shell(
        folder.path(), std::string("rm -f pipe; mkfifo pipe; exec 3<>pipe; timeout 0.5 yes >pipe; "
                                   "timeout -s TERM --preserve-status -k 20 1 projfgd ") +
                           words);
    // What was complete before the last words has its own exit code; 137 would be a program that
    // had to be killed.
    EXPECT_THAT(outcome.code, testing::AnyOf(0, 3, 143)) << words << outcome.err;
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

TEST_F(NothingLost, AMeasurementIsNotReplacedByTheOneThatIsComparedWithIt) {
  std::filesystem::create_directory(folder / "before");
  folder.file("before/bench.json", "{}");
  expect_error(folder.path(), "projfgd bench --quick --compare before/bench.json --out before", 2,
               "an input of this run that its results would replace");
  EXPECT_EQ(read_file(folder / "before/bench.json"), "{}");
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
  for (const char* counts : {R"({"0\u00001": 3})", R"({"0\u00001": "many"})"}) {
    folder.file("odd.json", std::string(R"({"XX": )") + counts + "}");
    const Outcome cut = shell(folder.path(), "projfgd tomography odd.json");
    EXPECT_EQ(cut.code, 2);
    EXPECT_THAT(cut.err, HasSubstr("0\\x001")) << counts;
    EXPECT_THAT(cut.err, HasSubstr("expected")) << counts;
  }
}

TEST_F(NothingLost, NamesOfFoldersDoNotCommandTheTerminal) {
  for (const char* words : {"tomography data --rank 1", "simulate pauli --qubits 2"}) {
    const Outcome outcome = shell(folder.path(), std::string("projfgd ") + words +
                                                     " --out \"$(printf 'odd\\033[31m\\377')\"");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("odd\\x1b[31m\\xff/"));
    EXPECT_EQ((outcome.out + outcome.err).find('\x1b'), std::string::npos) << words;
  }
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

// A thread needs more memory for its stack than the process may have.
TEST_F(NothingLost, ThreadsThatTheSystemRefusesAreAnErrorWhereTheyWereAskedFor) {
  const std::string limited = "ulimit -s 4000000 && ulimit -v 3000000 && projfgd ";
  const std::string job = "phase image --max-iterations 3 --quiet --out ";
  ASSERT_EQ(shell(folder.path(),
                  "projfgd simulate cdp --image stars --size 96x96 --patterns 4 --out image")
                .code,
            0);
  if (shell(folder.path(), limited + "--version").code != 0) {
    GTEST_SKIP() << "this system sets no such limits";
  }
  expect_error(folder.path(), limited + job + "asked --threads 2", 4,
               "--threads: found 2, expected at most 1");
  EXPECT_FALSE(std::filesystem::exists(folder / "asked"));
  const Outcome fewer =
      shell(folder.path(), "OMP_NUM_THREADS=2; export OMP_NUM_THREADS; " + limited + job + "fewer");
  EXPECT_LE(fewer.code, 1) << fewer.err;
  EXPECT_LE(shell(folder.path(), "projfgd " + job + "plain --threads 2").code, 1);
  EXPECT_EQ(read_file(folder / "fewer/factor.npy"), read_file(folder / "plain/factor.npy"));
}

}  // namespace
}  // namespace projfgd
