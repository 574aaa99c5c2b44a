// Tomography from files to a state: recovery, likelihood against another algorithm, equivariance,
// conventions, rank, and the way out of local minima.
#include "projfgd/jobs/tomography.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "projfgd/core/error.hpp"
#include "projfgd/jobs/simulate_tomography.hpp"
#include "projfgd/measures/distance.hpp"
#include "projfgd/measures/state.hpp"
#include "projfgd/operators/pauli.hpp"
#include "support/support.hpp"

namespace projfgd {
namespace {

using C = std::complex<double>;
using Path = std::filesystem::path;

/// A folder that goes away with the test.
class Tomography : public testing::Test {
 protected:
  Tomography() {
    folder_ = std::filesystem::temp_directory_path() /
              ("projfgd-tomography-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~Tomography() override { std::filesystem::remove_all(folder_); }

  Path folder_;
};

TomographyRecord run(const Path& data, Index rank, double tolerance, const Path& truth = {},
                     TomographyInput input = {}) {
  input.data = {data};
  RunSettings settings;
  settings.rank = rank;
  settings.options.tolerance = tolerance;
  settings.truth = truth;
  settings.threads = 1;
  return run_tomography(input, settings);
}

StateFactor factor_of(const RunRecord& record) { return to_matrix<C>(record.factor, "factor"); }

double number(const RunRecord& record, const char* key) {
  return record.summary.at(key).get<double>();
}

TEST_F(Tomography, NoiselessPauliDataGiveTheStateBack) {
  for (const Index rank : {1, 2, 3}) {
    PauliSimulation simulation;
    simulation.qubits = 6;
    simulation.rank = rank;
    simulation.csam = 6;
    simulation.seed = static_cast<std::uint64_t>(rank);
    simulate_pauli(simulation, folder_);
    const TomographyRecord record = run(folder_ / "pauli.csv", rank, 1e-12, folder_ / "truth.npy");
    EXPECT_EQ(record.status, Status::converged);
    EXPECT_LE(number(record, "relative_error"), 1e-10);
    EXPECT_NEAR(number(record, "fidelity"), 1, 1e-9);
    EXPECT_LE(number(record, "trace"), 1 + 1e-12);
  }
}

TEST_F(Tomography, SimulationIsWhatItSaysAndRepeatsItself) {
  PauliSimulation simulation;
  simulation.qubits = 5;
  simulation.noise_norm = 0.25;
  simulate_pauli(simulation, folder_);
  const std::string first = read_file(folder_ / "pauli.csv");
  simulate_pauli(simulation, folder_);
  EXPECT_EQ(read_file(folder_ / "pauli.csv"), first);
  const auto data = std::get<PauliData>(parse_measurements({{"pauli.csv", first}}, {}));
  EXPECT_EQ(data.strings.size(), 96u);
  for (std::size_t i = 0; i < data.strings.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(data.strings[i] == data.strings[j]);
  }
  const StateFactor truth = to_matrix<C>(read_npy(folder_ / "truth.npy"), "truth.npy");
  EXPECT_NEAR(trace(truth), 1, 1e-14);
  Vector<double> exact;
  PauliOperator<C>(5, data.strings, 1).forward(truth, exact);
  EXPECT_NEAR((data.values - exact).norm(), 0.25, 1e-13);
  simulation.csam = 100;
  EXPECT_THROW(simulate_pauli(simulation, folder_), InputError);
}

/// The R rho R fixed-point iteration (Hradil 1997), diluted only by its own slowness.
StateFactor r_rho_r(const ProductBasisOperator<C>& op, const CountsData& data) {
  const Index n = op.rows();
  StateFactor root = StateFactor::Identity(n, n) / std::sqrt(static_cast<double>(n));
  Vector<double> p, w;
  StateFactor g;
  for (int step = 0; step < 1500; ++step) {
    op.forward(root, p);
    w = (data.counts.array() > 0).select(data.counts.array() / p.array(), 0.0);
    op.adjoint_times(w, root, g);
    root = g / g.norm();
  }
  return root;
}

double log_likelihood(const ProductBasisOperator<C>& op, const CountsData& data,
                      const StateFactor& state) {
  Vector<double> p;
  op.forward(normalised(state), p);
  double sum = 0;
  for (Index i = 0; i < p.size(); ++i) {
    if (data.counts[i] > 0) sum += data.counts[i] * std::log(p[i]);
  }
  return sum;
}

TEST_F(Tomography, FullRankFitIsAsLikelyAsTheFixedPointIteration) {
  CountsSimulation simulation;
  simulation.qubits = 4;
  simulation.state = "w";
  simulation.shots = 100;
  simulation.depolarizing = 0.1;
  simulate_counts(simulation, folder_);
  const Path file = folder_ / "counts.json";
  const auto data =
      std::get<CountsData>(parse_measurements({{file, read_file(file)}}, MeasurementFormat{}));
  EXPECT_EQ(data.settings.size(), 81u);
  const ProductBasisOperator<C> op(data.settings, data.bases);
  const TomographyRecord record = run(file, 16, 1e-9);
  const double ours = log_likelihood(op, data, factor_of(record));
  const double theirs = log_likelihood(op, data, r_rho_r(op, data));
  EXPECT_GE(ours, theirs - 1e-6);
  EXPECT_NEAR(number(record, "trace"), 1, 1e-5);
}

/// Writes Pauli data as a CSV file.
void write_pauli(const Path& path, const PauliData& data) {
  std::string text = "pauli,expectation\n";
  for (std::size_t i = 0; i < data.strings.size(); ++i) {
    char number[40];
    std::snprintf(number, sizeof number, "%.17g", data.values[static_cast<Index>(i)]);
    text += pauli_label(data.strings[i], data.qubits) + "," + number + "\n";
  }
  write_file(path, text);
}

TEST_F(Tomography, EquivariantUnderQubitPermutationsAndLocalUnitaries) {
  PauliSimulation simulation;
  simulation.qubits = 5;
  simulation.csam = 8;
  simulation.noise_norm = 0.05;
  simulate_pauli(simulation, folder_);
  const Path file = folder_ / "pauli.csv", changed = folder_ / "changed.csv";
  const auto data = std::get<PauliData>(parse_measurements({{file, read_file(file)}}, {}));
  const StateFactor u = factor_of(run(file, 1, 1e-13));

  const int order[] = {3, 0, 4, 1, 2};  // qubit j becomes qubit order[j]
  const auto permute = [&order](std::uint32_t bits) {
    std::uint32_t out = 0;
    for (int j = 0; j < 5; ++j) out |= ((bits >> j) & 1) << order[j];
    return out;
  };
  PauliData other = data;
  for (PauliString& s : other.strings) s = {permute(s.x), permute(s.z)};
  write_pauli(changed, other);
  StateFactor expected(32, 1);
  for (std::uint32_t j = 0; j < 32; ++j) expected(permute(j)) = u(j);
  EXPECT_LE(relative_error(factor_of(run(changed, 1, 1e-13)), expected), 1e-9);

  other = data;  // a Hadamard gate on qubit 2: X and Z change places, Y changes its sign
  for (std::size_t i = 0; i < other.strings.size(); ++i) {
    PauliString& s = other.strings[i];
    const std::uint32_t x = s.x & 4, z = s.z & 4;
    s = {(s.x & ~4u) | z, (s.z & ~4u) | x};
    if (x != 0 && z != 0) other.values[static_cast<Index>(i)] *= -1;
  }
  write_pauli(changed, other);
  for (std::uint32_t j = 0; j < 32; ++j) {
    expected(j) = ((j & 4) == 0 ? u(j) + u(j | 4) : u(j & ~4u) - u(j)) / std::sqrt(2.0);
  }
  EXPECT_LE(relative_error(factor_of(run(changed, 1, 1e-13)), expected), 1e-9);
}

TEST_F(Tomography, NamesTheOptionThatMendsAWrongOrder) {
  CountsSimulation simulation;
  simulation.qubits = 3;
  simulation.state = "random";
  simulation.shots = 4000;
  simulate_counts(simulation, folder_);
  TomographyInput wrong;
  wrong.format.label_qubit0_left = true;
  const RunRecord bad = run(folder_ / "counts.json", 8, 5e-6, {}, wrong);
  ASSERT_TRUE(bad.summary.contains("warnings"));
  EXPECT_THAT(bad.summary["warnings"].dump(), testing::HasSubstr("--label-order qubit0-right"));
  const RunRecord good = run(folder_ / "counts.json", 8, 5e-6, folder_ / "truth.npy");
  EXPECT_FALSE(good.summary.contains("warnings"));
  EXPECT_LE(number(good, "residual"), 1.1 * number(good, "noise_floor"));
  EXPECT_GE(number(good, "fidelity"), 0.99);
}

TEST_F(Tomography, ReadoutErrorInTheModelRaisesTheFidelity) {
  CountsSimulation simulation;
  simulation.qubits = 3;
  simulation.shots = 2000;
  simulation.readout_error = 0.05;
  simulate_counts(simulation, folder_);
  TomographyInput input;
  input.target = "ghz";
  const double plain = number(run(folder_ / "counts.json", 8, 5e-6, {}, input), "fidelity");
  input.readout = folder_ / "readout.json";
  const double mended = number(run(folder_ / "counts.json", 8, 5e-6, {}, input), "fidelity");
  EXPECT_LE(plain, 0.9);
  EXPECT_GE(mended, 0.97);
}

TEST_F(Tomography, LossesAgreeOnGoodData) {
  CountsSimulation simulation;
  simulation.qubits = 3;
  simulation.state = "w";
  simulation.shots = 20000;
  simulation.depolarizing = 0.2;
  simulate_counts(simulation, folder_);
  for (const char* loss : {"poisson", "least-squares", "weighted"}) {
    TomographyInput input;
    input.loss = loss;
    const TomographyRecord record =
        run(folder_ / "counts.json", 8, 1e-7, folder_ / "truth.npy", input);
    EXPECT_LE(number(record, "trace_distance"), 0.02) << loss;
    // Within five standard deviations of a chi-square.
    const double dof = number(record, "degrees_of_freedom");
    EXPECT_NEAR(number(record, "chi_square"), dof, 5 * std::sqrt(2 * dof)) << loss;
  }
}

TEST_F(Tomography, AutomaticRankStopsAtTheTruth) {
  for (const Index rank : {1, 2, 3}) {
    PauliSimulation simulation;
    simulation.qubits = 5;
    simulation.rank = rank;
    simulation.csam = 10 / static_cast<double>(rank) * 2;
    simulation.noise_norm = 0.05;
    simulate_pauli(simulation, folder_);
    const TomographyRecord record = run(folder_ / "pauli.csv", 0, 1e-8);
    EXPECT_EQ(record.summary["rank"], rank);
    EXPECT_THAT(record.summary["rank_reason"].dump(), testing::HasSubstr("noise explains"));
  }
  CountsSimulation simulation;
  simulation.qubits = 3;
  simulation.state = "w";
  simulate_counts(simulation, folder_);
  EXPECT_EQ(run(folder_ / "counts.json", 0, 1e-7).summary["rank"], 1);
  simulation.depolarizing = 0.3;
  simulation.shots = 100000;
  simulate_counts(simulation, folder_);
  EXPECT_GE(run(folder_ / "counts.json", 0, 1e-7).summary["rank"].get<Index>(), 6);
}

TEST_F(Tomography, LeavesLocalMinimaFromRandomStarts) {
  // From random points at C = 3 plain descent stops far above the noise for most seeds.
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    PauliSimulation simulation;
    simulation.qubits = 6;
    simulation.csam = 3;
    simulation.noise_norm = 1e-3;
    simulation.seed = seed;
    simulate_pauli(simulation, folder_);
    TomographyInput input;
    input.data = {folder_ / "pauli.csv"};
    RunSettings settings;
    settings.rank = 1;
    settings.init = "random";
    settings.threads = 1;
    settings.truth = folder_ / "truth.npy";
    settings.options.seed = seed;
    EXPECT_LE(number(run_tomography(input, settings), "relative_error"), 5e-3) << seed;
  }
}

/// One plain power iteration on A*(y) from a random point.
StateFactor poor_start(const PauliData& data, std::uint64_t seed) {
  const PauliOperator<C> op(data.qubits, data.strings, 1);
  StateFactor u(op.rows(), 1), next;
  fill_normal(RandomStream(seed, 7), u);
  op.adjoint_times(data.values, u, next);
  return normalised(next);
}

TEST_F(Tomography, LeavesTheLocalMinimaOfPoorStartsInOneLine) {
  int left = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    PauliSimulation simulation;
    simulation.qubits = 5;
    simulation.csam = 3;
    simulation.noise_norm = 1e-3;
    simulation.seed = seed;
    simulate_pauli(simulation, folder_);
    const Path file = folder_ / "pauli.csv", truth = folder_ / "truth.npy";
    const auto data = std::get<PauliData>(parse_measurements({{file, read_file(file)}}, {}));
    write_npy(folder_ / "start.npy", to_array(poor_start(data, seed)));
    TomographyInput input;
    input.data = {file};
    RunSettings settings;
    settings.rank = 1;
    settings.threads = 1;
    settings.truth = truth;
    settings.init = folder_ / "start.npy";
    const TomographyRecord record = run_tomography(input, settings);
    settings.init = truth;
    settings.options.tolerance = 1e-10;
    const double floor = number(run_tomography(input, settings), "relative_error");
    EXPECT_GE(floor, 0.97 * number(record, "relative_error")) << seed;
    if (!record.summary.contains("warnings")) continue;
    ++left;
    EXPECT_EQ(record.summary["warnings"].size(), 1u);
    double before = 0, after = 0;
    ASSERT_EQ(
        std::sscanf(record.summary["warnings"][0].get<std::string>().c_str(),
                    "left a local minimum: the objective fell from %lg to %lg", &before, &after),
        2);
    // The noise's share of 1/2 ||A(X) - y||^2 with A scaled by sqrt(n / m) = sqrt(1 / 3).
    const double noise = 1e-6 / 6;
    EXPECT_GE(before, 1e4 * noise);
    EXPECT_LE(after, noise);
  }
  EXPECT_GE(left, 1);
}

TEST_F(Tomography, ReachesTheNoiseFloorOfALocalSolverFromTheTruth) {
  for (const Index rank : {1, 3}) {
    for (std::uint64_t seed = 11; seed <= 14; ++seed) {
      PauliSimulation simulation;
      simulation.qubits = 7;
      simulation.rank = rank;
      simulation.csam = 3;
      simulation.noise_norm = 1e-3;
      simulation.seed = seed;
      simulate_pauli(simulation, folder_);
      TomographyInput input;
      input.data = {folder_ / "pauli.csv"};
      RunSettings settings;
      settings.rank = rank;
      settings.threads = 1;
      settings.truth = folder_ / "truth.npy";
      const TomographyRecord record = run_tomography(input, settings);
      EXPECT_EQ(record.status, Status::converged);
      settings.init = settings.truth;
      settings.options.tolerance = 1e-10;
      const double floor = number(run_tomography(input, settings), "relative_error");
      EXPECT_GE(floor, 0.97 * number(record, "relative_error")) << rank << ", " << seed;
    }
  }
}

TEST_F(Tomography, AnswersQuestionsFromTheFactor) {
  CountsSimulation simulation;
  simulation.qubits = 3;
  simulation.shots = 5000;
  simulate_counts(simulation, folder_);
  write_file(folder_ / "observables.txt", "XXX\nZZI\n");
  TomographyInput input;
  input.observables = folder_ / "observables.txt";
  input.reduced = {{0, 2}};
  input.target = "ghz";
  input.density_matrix = true;
  const TomographyRecord record = run(folder_ / "counts.json", 1, 5e-6, {}, input);
  EXPECT_NEAR(record.summary["expectations"]["XXX"].get<double>(), 1, 1e-3);
  EXPECT_NEAR(record.summary["expectations"]["ZZI"].get<double>(), 1, 1e-3);
  EXPECT_NEAR(number(record, "purity"), 1, 1e-12);
  EXPECT_NEAR(number(record, "entropy"), 0, 1e-9);
  ASSERT_EQ(record.arrays.size(), 1u);
  EXPECT_EQ(record.arrays[0].first, "reduced_0_2.npy");
  const auto reduced = to_matrix<C>(record.arrays[0].second, "reduced");
  EXPECT_NEAR(std::real(reduced(0, 0)), 0.5, 0.02);  // half |00>, half |11>, no coherence
  EXPECT_NEAR(std::abs(reduced(0, 3)), 0, 0.02);
  write_arrays(folder_, record);
  const auto rho = to_matrix<C>(read_npy(folder_ / "density_matrix.npy"), "density_matrix");
  EXPECT_NEAR(std::abs(rho.trace() - 1.0), 0, 1e-12);
  EXPECT_LE((rho - rho.adjoint()).norm(), 0);
}

TEST_F(Tomography, RefusesQuestionsItCannotAnswer) {
  CountsSimulation simulation;
  simulation.qubits = 2;
  simulate_counts(simulation, folder_);
  const auto fails = [this](const std::function<void(TomographyInput&)>& change) {
    TomographyInput input;
    change(input);
    EXPECT_THROW(run(folder_ / "counts.json", 1, 5e-6, {}, input), InputError);
  };
  fails([](TomographyInput& i) { i.reduced = {{2}}; });
  fails([](TomographyInput& i) { i.target = "cat"; });
  fails([](TomographyInput& i) { i.loss = "hinge"; });
  fails([](TomographyInput& i) { i.format.format = "xml"; });
  EXPECT_THROW(run(folder_ / "counts.json", 5, 5e-6), InputError);
  EXPECT_THROW(run(folder_ / "missing.json", 1, 5e-6), FileError);
}

}  // namespace
}  // namespace projfgd
