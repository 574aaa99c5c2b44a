// What ends a run of several ranks: one that is killed, signals, limits, bad input, no memory.
#include <vector>

#include "mpi/mpi.hpp"
#include "support/hdf5_files.hpp"

namespace projfgd::test {
namespace {

class MpiFaults : public Mpi {
 protected:
  MpiFaults() { run("projfgd simulate pauli --qubits 7 --rank 2 --noise-norm 0.05 --out data"); }

  /// A run that goes on until something ends it, or for 150,000 short steps: seconds at least.
  static std::string job(const std::string& program) {
    return program +
           " tomography data --rank 2 --step theory --tolerance 0 --threads 1 --quiet "
           "--checkpoint-every 0.001 --max-iterations ";
  }
  /// The job by three ranks, whose processes are $1, $2 and $3 for a command that is run once there
  /// is a checkpoint.
  Outcome run_until(const std::string& command) const {
    return run(mpirun(3) + job("projfgd-mpi") +
               "10000000 --out r & while [ ! -e r/checkpoint ]; do sleep 0.01; done; "
               "set -- $(pgrep -P $!); " +
               command + "; wait $!");
  }
  static int sentences(const Outcome& outcome) {
    int count = 0;
    for (std::size_t at = 0; (at = outcome.err.find("projfgd: ", at)) != std::string::npos; ++at) {
      ++count;
    }
    return count;
  }
};

TEST_F(MpiFaults, KilledRankLeavesACheckpointForAnyNumberOfRanks) {
  EXPECT_NE(run_until("kill -KILL $2").code, 0);
  ASSERT_TRUE(std::filesystem::exists(folder_ / "r/checkpoint"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "r/summary.json"));
  run("cp -r r seen; cp -r r plain");
  run(job("projfgd") + "1 --resume --out seen");
  const Index done = summary("seen")["iterations"];
  EXPECT_GT(done, 0);
  const std::string further = std::to_string(done + 20) + " --resume --out ";
  EXPECT_EQ(run(job("projfgd") + further + "plain").code, 1);
  const Outcome resumed = run(mpirun(2) + job("projfgd-mpi") + further + "r");
  EXPECT_EQ(resumed.code, 1) << resumed.err;
  EXPECT_EQ(summary("r")["iterations"], done + 20);
  EXPECT_LE(relative_error(factor("r"), factor("plain")), 1e-10);
}

TEST_F(MpiFaults, SignalToOneRankEndsAllWithTheBestPointWritten) {
  EXPECT_NE(run_until("kill -TERM $2").code, 0);
  EXPECT_EQ(summary("r")["status"], "interrupted");
}

TEST_F(MpiFaults, TimeLimitEndsAllWithTheBestPointWritten) {
  const Outcome outcome =
      run(mpirun(2) + job("projfgd-mpi") + "10000000 --time-limit 0.2 --out limited");
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_EQ(summary("limited")["status"], "time_limit");
}

TEST_F(MpiFaults, BadInputIsOneSentence) {
  const Outcome outcome = run(mpirun(3) + "projfgd-mpi tomography nothing.csv");
  EXPECT_EQ(outcome.code, 3) << outcome.err;
  EXPECT_EQ(sentences(outcome), 1) << outcome.err;
}

TEST_F(MpiFaults, RanksThatSeeOtherFilesAreOneSentence) {
  run("mkdir elsewhere");  // which has no folder `data`
  const std::string verb = "projfgd-mpi tomography data --rank 2 --quiet";
  const Outcome outcome = run(mpirun(1) + verb + " : -n 2 sh -c 'cd elsewhere; exec " + verb + "'");
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_EQ(sentences(outcome), 1) << outcome.err;
  EXPECT_NE(outcome.err.find("different files"), std::string::npos) << outcome.err;
}

TEST_F(MpiFaults, RanksWithOtherCommandsAreOneSentence) {
  const std::string verb = "projfgd-mpi tomography data --quiet --rank ";
  const Outcome outcome = run(mpirun(1) + verb + "2 : -n 1 " + verb + "3");
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_EQ(sentences(outcome), 1) << outcome.err;
}

// Of the same length, so that only its content tells it apart.
TEST_F(MpiFaults, AnotherHdf5FileOnAnotherMachineIsOneSentence) {
  run("mkdir elsewhere");
  for (const double light : {1.0, 2.0}) {
    Hdf5File file(folder_ / (light > 1 ? "elsewhere/data.h5" : "data.h5"));
    file.numbers("/intensities", {4, 8, 8}, std::vector<double>(256, light), H5T_IEEE_F64LE,
                 Layout::packed);
    file.numbers("/masks", {4, 8, 8}, std::vector<double>(256, 1.0), H5T_IEEE_F64LE,
                 Layout::packed);
  }
  ASSERT_EQ(std::filesystem::file_size(folder_ / "data.h5"),
            std::filesystem::file_size(folder_ / "elsewhere/data.h5"));
  const std::string verb = "projfgd-mpi phase data.h5 --quiet";
  const Outcome outcome = run(mpirun(1) + verb + " : -n 1 sh -c 'cd elsewhere; exec " + verb + "'");
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_EQ(sentences(outcome), 1) << outcome.err;
}

TEST_F(MpiFaults, MpiThatCannotBeginEndsTheRun) {
  const Outcome outcome = run("OMPI_MCA_pml=none_of_them timeout 60 env " + mpirun(2) +
                              "projfgd-mpi tomography data --rank 2 --out never");
  EXPECT_GT(outcome.code, 0);
  EXPECT_NE(outcome.code, 124);  // a hang
  EXPECT_FALSE(outcome.err.empty());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "never"));
}

TEST_F(MpiFaults, RankWithoutMemoryEndsAll) {
  // The 52 factors of 2^16 x 32 that a run may keep take 870 MB on each of two ranks.
  write_file(folder_ / "wide.csv", "pauli,expectation\nXXXXXXXXXXXXXXXX,1\nZZZZZZZZZZZZZZZZ,1\n");
  const std::string verb =
      "projfgd-mpi tomography wide.csv --rank 32 --threads 1 --quiet --max-iterations 2 "
      "--errors none";
  const Outcome outcome =
      run(mpirun(1) + verb + " : -n 1 sh -c 'ulimit -v 400000; exec " + verb + "'");
  EXPECT_EQ(outcome.code, 4) << outcome.err;
  EXPECT_EQ(sentences(outcome), 1) << outcome.err;
}

TEST_F(MpiFaults, PlainProgramRefusesToRunSeveralTimes) {
  const Outcome outcome = run(mpirun(2) + "projfgd tomography data --rank 2 --out many");
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_NE(outcome.err.find("projfgd-mpi"), std::string::npos) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "many"));
}

}  // namespace
}  // namespace projfgd::test
