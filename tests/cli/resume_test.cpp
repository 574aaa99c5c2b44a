// The real program, killed, signalled and limited, and resumed.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/program.hpp"

namespace projfgd::test {
namespace {

class ResumeProgram : public testing::Test {
 protected:
  ResumeProgram() {
    shell(folder_.path(),
          "projfgd simulate pauli --qubits 5 --rank 2 --noise-norm 0.05 --out data");
  }
  Outcome run(const std::string& command) const { return shell(folder_.path(), command); }

  /// The results without the clock, and without the folder, which is part of the command.
  std::string results(const std::string& folder) const {
    return run("cd " + folder +
               " && cat factor.npy density_matrix.npy && cut -d, -f1,3- trace.csv "
               "&& grep -v seconds summary.json | sed 's/--checkpoint-every 0.001 //; s/--out "
               "[a-z]*//'")
        .out;
  }

  TemporaryFolder folder_;
};

constexpr const char* command =
    "projfgd tomography data --rank 2 --method sparse-approx-sdp --tolerance 0 --max-iterations "
    "1500 --threads 1 --quiet ";

TEST_F(ResumeProgram, EndsWithTheSameBitsAfterAnyEnd) {
  EXPECT_EQ(run(std::string(command) + "--out whole").code, 1);
  const std::string whole = results("whole");
  EXPECT_GT(whole.size(), 10'000);
  for (const char* signal : {"KILL", "INT", "TERM", "HUP"}) {
    SCOPED_TRACE(signal);
    const std::string here = std::string(command) + "--checkpoint-every 0.001 --out r ";
    // The run is under way once it has left a checkpoint.
    const Outcome stopped = run("rm -rf r; env --default-signal=INT " + here +
                                " & while [ ! -e r/checkpoint ]; do sleep "
                                "0.01; done; kill -" +
                                signal + " $!; wait $!");
    EXPECT_GE(stopped.code, 128) << stopped.err;
    const Outcome resumed = run(here + "--resume");
    EXPECT_EQ(resumed.code, 1) << resumed.err;
    EXPECT_TRUE(results("r") == whole);
  }
}

TEST_F(ResumeProgram, SaysHowToGoOnAfterALimitAndGoesOnWithALargerOne) {
  const std::string job = "projfgd tomography data --rank 2 --threads 1 --tolerance 1e-9 ";
  ASSERT_EQ(run(job + "--out whole").code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "whole/checkpoint"));
  const Outcome limited = run(job + "--out r --max-iterations 5");
  EXPECT_EQ(limited.code, 1);
  EXPECT_NE(limited.err.find("\n  " + job + "--out r --max-iterations 5 --resume\n"),
            std::string::npos)
      << limited.err;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "r/checkpoint"));
  EXPECT_EQ(run(job + "--out r --resume").code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "r/checkpoint"));
  EXPECT_TRUE(results("r") == results("whole"));
}

TEST_F(ResumeProgram, ResultsDoNotStandBesideTheCheckpointOfAnotherRun) {
  ASSERT_EQ(run("projfgd tomography data --rank 2 --max-iterations 3 --out r").code, 1);
  ASSERT_TRUE(std::filesystem::exists(folder_ / "r/checkpoint"));
  run("cp -r r limited");
  EXPECT_EQ(run("projfgd tomography data --rank 1 --checkpoint-every 0 --out r").code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "r/checkpoint"));
  const char* without =
      "projfgd tomography data --max-iterations 2 --checkpoint-every 0 --out limited";
  EXPECT_EQ(run(std::string(without) + " --rank 2 --resume").code, 1);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "limited/checkpoint")) << "it is its own";
  EXPECT_EQ(run(std::string(without) + " --rank 1").code, 1);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "limited/checkpoint"));
}

TEST_F(ResumeProgram, RefusesACheckpointThatIsNotItsOwnInOneSentence) {
  const std::string job = "projfgd tomography data --rank 2 --max-iterations 3 --out r ";
  EXPECT_EQ(run(job).code, 1);
  const auto refused = [&](const std::string& line, const char* part) {
    expect_error(folder_.path(), line, 2, part);
  };
  refused(job + "--resume --seed 2", "with no --seed, expected --seed 2");
  refused("projfgd tomography data --rank 3 --out r --resume", "with --rank 2, expected --rank 3");
  refused("projfgd tomography data --rank 2 --resume", "expected the folder of the run to resume");
  run("cp r/checkpoint whole; head -c 1000 whole >r/checkpoint");
  refused(job + "--resume", "a truncated file");
  run("cp whole r/checkpoint; printf X | dd of=r/checkpoint bs=1 seek=900 conv=notrunc");
  refused(job + "--resume", "a damaged file");
  run("cp data/truth.npy r/checkpoint");
  refused(job + "--resume", "another kind of file");
  run(": >r/checkpoint");
  refused(job + "--resume", "a truncated file");
  run("cp whole r/checkpoint; sed -i '$ s/1/2/' data/pauli.csv");
  refused(job + "--resume", "found a file that changed");
}

}  // namespace
}  // namespace projfgd::test
