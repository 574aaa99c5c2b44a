// Counts of more qubits than are kept whole: the outcomes that were seen, and states of few
// amplitudes in an l1 ball whose radius the data tell.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "projfgd/core/error.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/io/measurements.hpp"
#include "projfgd/measures/few_terms.hpp"
#include "support/tomography.hpp"

namespace projfgd::test {
namespace {

constexpr int many = most_qubits_kept_whole + 1;

class ManyQubits : public Tomography {
 protected:
  Path simulate(const CountsSimulation& simulation) {
    simulate_counts(simulation, folder_.path());
    return folder_.path() / counts_file;
  }
  static SeenCounts read(const Path& file) {
    return std::get<SeenCounts>(parse_measurements({{file, read_file(file)}}, {}));
  }
};

TEST_F(ManyQubits, KeepsTheOutcomesThatWereSeen) {
  const SeenCounts data =
      read(simulate({.qubits = many, .state = "w", .shots = 200, .settings = 5, .seed = 3}));
  EXPECT_EQ(data.qubits, many);
  ASSERT_EQ(data.seen.settings.size(), 5);
  EXPECT_EQ(std::ranges::count(data.seen.settings, Setting(many, 2)), 1);  // Z...Z is among them
  EXPECT_EQ(data.counts.size(), data.seen.measurements());
  for (Index s = 0; s < 5; ++s) {
    EXPECT_EQ(data.shots[s], 200);
    EXPECT_EQ(data.counts.segment(data.seen.begin(s), data.seen.count(s)).sum(), 200);
    EXPECT_EQ(data.counts[data.seen.begin(s) + data.seen.count(s)], 0);
  }
}

/// At the true state the noise of the gradient is below the multiplier that the ball is given, so
/// that nothing is fitted but what is there: the amplitudes of W, and hardly another.
TEST_F(ManyQubits, FindsAStateOfFewAmplitudes) {
  int found = 0;
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Path data =
        simulate({.qubits = many, .state = "w", .shots = 1000, .settings = 30, .seed = seed});
    const RunRecord record = run(data, 0, 1e-5, folder_.path() / "truth.npy");
    EXPECT_EQ(record.summary["status"], "converged");
    EXPECT_EQ(record.summary["rank"], 1);
    EXPECT_EQ(record.summary["constraint"], "l1-ball");
    EXPECT_NEAR(number(record, "trace"), 1, 1e-3);
    EXPECT_LT(number(record, "white_noise"), 0.01);
    EXPECT_FALSE(record.summary.contains("determined"));  // nobody has looked
    EXPECT_NE(warnings(record).find("not computed beyond 12 qubits"), std::string::npos);
    const StateFactor u = factor_of(record);
    EXPECT_LE((u.cwiseAbs().array() > 0).count(), 2 * many);
    found += number(record, "fidelity") >= 0.99 ? 1 : 0;
  }
  EXPECT_EQ(found, 3);
}

TEST_F(ManyQubits, SeparatesWhiteNoiseAndReadoutErrors) {
  const Path data = simulate({.qubits = many,
                              .state = "w",
                              .shots = 1000,
                              .settings = 30,
                              .depolarizing = 0.1,
                              .readout_error = 0.01,
                              .seed = 4});
  TomographyInput input;
  input.readout = folder_.path() / "readout.json";
  const RunRecord record = run(data, 0, 1e-5, folder_.path() / "target.npy", input);
  EXPECT_GE(number(record, "fidelity"), 0.98);
  // 30,000 shots tell the weight to 0.1 / sqrt(3000), and a little goes into amplitudes.
  EXPECT_NEAR(number(record, "white_noise"), 0.1, 0.02);
}

/// The ball works on fewer qubits as well, where all outcomes are kept.
TEST_F(ManyQubits, FindsTheRadiusOnFewQubitsToo) {
  const Path data = simulate({.qubits = 5, .state = "w", .shots = 500, .settings = 0, .seed = 5});
  TomographyInput input;
  input.data = {data};
  RunSettings settings;
  settings.constraint = "l1-ball";
  settings.threads = 1;
  settings.truth = folder_.path() / "truth.npy";
  const RunRecord record = run_tomography(input, settings);
  EXPECT_EQ(record.summary["status"], "converged");
  EXPECT_GE(number(record, "fidelity"), 0.995);
}

TEST_F(ManyQubits, RefusesABallThatTheDataDoNotTell) {
  write_file(folder_.path() / "pauli.csv", "pauli,expectation\nXX,1\nZZ,1\nYY,-1\n");
  RunSettings settings;
  settings.constraint = "l1-ball";
  TomographyInput input;
  input.data = {folder_.path() / "pauli.csv"};
  EXPECT_THROW(run_tomography(input, settings), InputError);
  // No setting in which all qubits are measured in Z.
  const std::string bits(many, '0'), label(many, 'X');
  write_file(folder_.path() / "x.json", "{\"" + label + "\": {\"" + bits + "\": 10}}");
  input.data = {folder_.path() / "x.json"};
  settings.constraint = "";
  EXPECT_THROW(run_tomography(input, settings), InputError);
}

/// The start has the phases: a state with signs that only settings beside Z...Z see.
TEST(FewTerms, PhasesComeFromTheOtherSettings) {
  const int q = 6;
  const Index n = Index{1} << q;
  StateFactor psi = StateFactor::Zero(n, 1);
  psi(1) = 0.5;
  psi(2) = -0.5;
  psi(4) = std::complex<double>(0, 0.5);
  psi(32) = std::complex<double>(0, -0.5);
  SeenOutcomes seen;
  std::vector<Setting> settings{
      Setting(q, 2), Setting(q, 0), Setting(q, 1), {0, 1, 0, 1, 0, 1}, {1, 1, 0, 0, 1, 0}};
  Vector<double> p;
  ProductBasisOperator<std::complex<double>>(settings).forward(psi, p);
  std::vector<double> counts;
  for (std::size_t s = 0; s < settings.size(); ++s) {
    for (Index k = 0; k < n; ++k) {
      if (p[static_cast<Index>(s) * n + k] < 1e-12) continue;
      seen.outcomes.push_back(static_cast<std::uint32_t>(k));
      counts.push_back(1000 * p[static_cast<Index>(s) * n + k]);
    }
    counts.push_back(0);
    seen.first.push_back(static_cast<Index>(seen.outcomes.size()));
  }
  seen.settings = settings;
  const Vector<double> all =
      Eigen::Map<const Vector<double>>(counts.data(), static_cast<Index>(counts.size()));
  const auto start = few_term_state(seen, all, pauli_bases(), 1);
  ASSERT_TRUE(start.has_value());
  EXPECT_NEAR(start->norm(), 1, 1e-12);
  EXPECT_GE(fidelity(*start, psi), 0.95);
  seen.settings[0] = Setting(q, 0);
  EXPECT_FALSE(few_term_state(seen, all, pauli_bases(), 1).has_value());
}

}  // namespace
}  // namespace projfgd::test
