// The real program under mpirun gives the answers of the plain one.
#include "mpi/mpi.hpp"

#include "support/hdf5_files.hpp"

namespace projfgd::test {
namespace {

class MpiAnswers : public Mpi {
 protected:
  /// Runs the verb plainly and with 1, 2, 3 and 5 ranks, and expects the same answer to 1e-10; and
  /// the same bits where the same number of ranks do it again.
  void expect_the_same(const std::string& verb) {
    const Outcome plain = run("projfgd " + verb + " --threads 1 --quiet --out plain");
    ASSERT_LE(plain.code, 1) << plain.err;
    const Matrix<std::complex<double>> answer = factor("plain");
    for (const int ranks : {1, 2, 3, 5}) {
      SCOPED_TRACE(ranks);
      const std::string folder = "ranks" + std::to_string(ranks);
      const Outcome outcome =
          run(mpirun(ranks) + "projfgd-mpi " + verb + " --threads 1 --json --out " + folder);
      ASSERT_EQ(outcome.code, plain.code) << outcome.err;
      EXPECT_TRUE(Json::accept(outcome.out)) << outcome.out;  // one rank prints
      EXPECT_LE(relative_error(factor(folder), answer), 1e-10);
      EXPECT_EQ(summary(folder).value("warnings", Json()),
                summary("plain").value("warnings", Json()));
    }
    run(mpirun(3) + "projfgd-mpi " + verb + " --threads 1 --quiet --out again");
    EXPECT_TRUE(factor("again") == factor("ranks3"));
  }
};

TEST_F(MpiAnswers, FitsExpectationsAsOneProcessDoes) {
  run("projfgd simulate pauli --qubits 4 --rank 1 --noise-norm 0.05 --out data");
  expect_the_same("tomography data --rank 1 --max-iterations 40");
}

// 4096 numbers of a factor, whose rows are shared out as well.
TEST_F(MpiAnswers, SharesTheRowsOfLargeFactors) {
  run("projfgd simulate pauli --qubits 8 --rank 16 --noise-norm 0.05 --out data");
  expect_the_same("tomography data --rank 16 --max-iterations 6 --errors none");
}

TEST_F(MpiAnswers, FitsCountsAsOneProcessDoes) {
  run("projfgd simulate counts --qubits 2 --state ghz --shots 300 --out data");
  expect_the_same("tomography data --target ghz");
}

TEST_F(MpiAnswers, SpreadsRefitsThatAreThoseOfOneProcess) {
  run("projfgd simulate counts --qubits 2 --state ghz --shots 300 --out data");
  const std::string verb = "tomography data --target ghz --errors bootstrap:20 --threads 1 --quiet";
  ASSERT_EQ(run("projfgd " + verb + " --out plain").code, 0);
  ASSERT_EQ(run(mpirun(3) + "projfgd-mpi " + verb + " --out spread").code, 0);
  const Json plain = summary("plain")["intervals"], spread = summary("spread")["intervals"];
  EXPECT_GT(plain.size(), 2U);
  ASSERT_EQ(plain.size(), spread.size());
  const auto expected = plain.flatten(), found = spread.flatten();
  for (const auto& [key, value] : found.items()) {
    if (!value.is_number()) continue;
    EXPECT_NEAR(value.get<double>(), expected.at(key).get<double>(), 1e-9) << key;
  }
}

// Every rank reads such a file itself, and none of them waits for it equally often.
TEST_F(MpiAnswers, ReadsHdf5FilesHoweverLongEachRankTakes) {
  run("projfgd simulate cdp --image stars --size 128x128 --patterns 12 --masks gaussian --out "
      "data");
  {
    Hdf5File file(folder_ / "data.h5");
    const Array masks = read_npy(folder_ / "data/masks.npy");
    file.numbers("/intensities", {12, 128, 128}, read_npy(folder_ / "data/intensities.npy").values,
                 H5T_IEEE_F64LE, Layout::packed);
    file.complex_numbers("/masks", {12, 128, 128}, masks.values);
  }
  for (int k = 0; k < 6; ++k) {
    const Outcome outcome =
        run(mpirun(2) +
            "--timeout 100 projfgd-mpi phase data.h5 --max-iterations 1 --threads 1 --quiet");
    EXPECT_EQ(outcome.code, 1) << outcome.err;
  }
}

TEST_F(MpiAnswers, MeasuresWhatRanksGain) {
  const Outcome outcome =
      run(mpirun(2) + "projfgd-mpi bench --section ranks --quick --threads 1 --out measured");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json rows = Json::parse(read_file(folder_ / "measured/bench.json"))["rows"];
  std::size_t strong = 0;
  for (const Json& row : rows) {
    EXPECT_GT(row["value"].get<double>(), 0) << row;
    if (!row["details"].contains("model_milliseconds")) continue;
    ++strong;
    // The model adds what is exchanged to an equal share of the work.
    EXPECT_GE(row["details"]["model_milliseconds"].get<double>(),
              row["details"]["slower_milliseconds"].get<double>() / 2)
        << row;
  }
  EXPECT_EQ(strong, 4U);
  EXPECT_EQ(run("projfgd bench --section ranks").code, 2);
  EXPECT_EQ(run(mpirun(2) + "projfgd-mpi bench --section pauli").code, 2);
}

TEST_F(MpiAnswers, TakesTheScriptOfAJob) {
  run("projfgd simulate pauli --qubits 3 --rank 1 --out data");
  const Outcome outcome =
      run("export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; "
          "RANKS=2 " PROJFGD_SOURCE "/examples/several_machines.sh data result");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(summary("result")["ranks"], 2);
}

TEST_F(MpiAnswers, FindsTheObjectOfAScanAsOneProcessDoes) {
  run("projfgd simulate ptychography --size 24x24 --probe-size 12 --out data");
  expect_the_same("phase data --max-iterations 12");
}

TEST_F(MpiAnswers, FindsAnImageAsOneProcessDoes) {
  run("projfgd simulate cdp --size 12x12 --patterns 6 --out data");
  expect_the_same("phase data");
}

TEST_F(MpiAnswers, CompletesAMatrixAsOneProcessDoes) {
  write_file(folder_ / "entries.csv",
             "row,column,value\n0,0,1\n0,1,2\n1,1,4\n1,2,6\n2,2,9\n0,3,1\n3,3,1\n");
  expect_the_same("solve entries.csv --rank 1");
}

TEST_F(MpiAnswers, NeedFewerMeasurementsThanRanks) {
  write_file(folder_ / "entries.csv", "row,column,value\n0,0,1\n0,1,2\n1,1,4\n");
  expect_the_same("solve entries.csv --rank 1");
}

}  // namespace
}  // namespace projfgd::test
