// The truth of simulated counts is the state that was measured, on average.
#include <gtest/gtest.h>

#include <cmath>

#include "projfgd/core/error.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/io/measurements.hpp"
#include "support/tomography.hpp"

namespace projfgd::test {
namespace {

StateFactor truth_in(const TemporaryFolder& folder) {
  const StateFactor u = to_matrix<C>(read_npy(folder / "truth.npy"), "truth.npy");
  return u * u.adjoint();
}

/// The frequencies of all data, less what the truth predicts, over what shot noise leaves of that.
double misfit(const TemporaryFolder& folder) {
  const auto data = std::get<CountsData>(
      parse_measurements({{"counts.json", read_file(folder / "counts.json")}}, {}));
  const StateFactor u = to_matrix<C>(read_npy(folder / "truth.npy"), "truth.npy");
  Vector<double> p;
  ProductBasisOperator<C>(data.settings).forward(u, p);
  const double shots = data.shots[0];
  const double noise = (p.array() * (1 - p.array())).sum() / shots;
  return std::sqrt((data.counts / shots - p).squaredNorm() / noise);
}

TEST_F(Tomography, AMixtureIsWhatItsNamesSay) {
  simulate_counts({.qubits = 3, .mix = "w:0.8,ghz:0.2", .shots = 4000, .depolarizing = 0.1},
                  folder_.path());
  const StateFactor w = named_state("w", 3), ghz = named_state("ghz", 3);
  const StateFactor expected = 0.9 * (0.8 * w * w.adjoint() + 0.2 * ghz * ghz.adjoint()) +
                               0.1 / 8 * StateFactor::Identity(8, 8);
  EXPECT_LE((truth_in(folder_) - expected).norm(), 1e-12);
  EXPECT_NEAR(misfit(folder_), 1, 0.3);
  EXPECT_THROW(simulate_counts({.qubits = 2, .mix = "w:0.8,ghz:0.3"}, folder_.path()), InputError);
  EXPECT_THROW(simulate_counts({.qubits = 2, .mix = "w"}, folder_.path()), InputError);
  EXPECT_THROW(simulate_counts({.qubits = 2, .mix = "x:1"}, folder_.path()), InputError);
}

TEST_F(Tomography, ADriftIsInTheTruthAndInTheData) {
  simulate_counts({.qubits = 2, .state = "zero", .shots = 20000, .drift = 1}, folder_.path());
  const StateFactor rho = truth_in(folder_);
  EXPECT_NEAR(rho.trace().real(), 1, 1e-12);
  // Nine angles from -1/2 to 1/2: <Z> of qubit 0 is the mean of their cosines.
  double mean = 0;
  for (int k = -4; k <= 4; ++k) mean += std::cos(k / 8.0) / 9;
  EXPECT_NEAR((rho(0, 0) - rho(1, 1)).real(), mean, 1e-12);
  EXPECT_GT(misfit(folder_), 10);
  const RunRecord found = run(folder_ / "counts.json", 0, 5e-6);
  EXPECT_NE(warnings(found).find("the settings contradict each other: qubit 0 measured in "),
            std::string::npos)
      << warnings(found);
  // Of a pair without means of its own the correlations tell.
  simulate_counts({.qubits = 2, .state = "bell", .shots = 20000, .drift = 1}, folder_.path());
  const RunRecord pair = run(folder_ / "counts.json", 4, 5e-6);
  EXPECT_EQ(pair.summary["fits_data"], false);
}

TEST_F(Tomography, SimulatedProjectorsAreReadByThemselves) {
  simulate_counts({.qubits = 2,
                   .state = "bell",
                   .shots = 20000,
                   .depolarizing = 0.04,
                   .projectors = "minimal",
                   .accidentals = 30},
                  folder_.path());
  TomographyInput input;
  input.target = "bell";
  const RunRecord found = run(folder_.path(), 0, 5e-6, folder_ / "truth.npy", input);
  EXPECT_EQ(found.summary["projectors"], 16);
  EXPECT_NEAR(number(found, "fidelity"), 0.97, 0.01);  // 0.96 + 0.04 / 4
  EXPECT_NEAR(number(found, "intensity"), 20000, 400);
  EXPECT_LE(number(found, "relative_error"), 0.05);
  simulate_counts({.qubits = 2, .state = "bell", .projectors = "all"}, folder_.path());
  EXPECT_EQ(run(folder_.path(), 1, 5e-6).summary["settings"], 9);
  EXPECT_THROW(
      simulate_counts({.qubits = 2, .readout_error = 0.1, .projectors = "all"}, folder_.path()),
      InputError);
  EXPECT_THROW(simulate_counts({.qubits = 2, .accidentals = 3}, folder_.path()), InputError);
  EXPECT_THROW(simulate_counts({.qubits = 2, .projectors = "some"}, folder_.path()), InputError);
}

}  // namespace
}  // namespace projfgd::test
