// Tomography from Pauli expectations to a state: recovery, equivariance, rank, the noise floor and
// the way out of local minima.
#include "support/tomography.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "projfgd/core/error.hpp"
#include "projfgd/core/random.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/measures/distance.hpp"
#include "projfgd/operators/pauli.hpp"

namespace projfgd::test {
namespace {

TEST_F(Tomography, NoiselessPauliDataGiveTheStateBack) {
  for (const Index rank : {1, 2, 3}) {
    simulate_pauli({.qubits = 6, .rank = rank, .csam = 6, .seed = static_cast<std::uint64_t>(rank)},
                   folder_.path());
    const RunRecord record = run(folder_ / "pauli.csv", rank, 1e-12, folder_ / "truth.npy");
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
  simulate_pauli(simulation, folder_.path());
  const std::string first = read_file(folder_ / "pauli.csv");
  simulate_pauli(simulation, folder_.path());
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
  EXPECT_THROW(simulate_pauli(simulation, folder_.path()), InputError);
}

TEST_F(Tomography, SimulatesAsManyStringsAsTheFormulaSays) {
  PauliSimulation simulation;
  simulation.qubits = 5;
  simulation.rank = 2;
  simulation.samples = "log";
  EXPECT_EQ(simulate_pauli(simulation, folder_.path())["measurements"],
            std::lround(3 * 2 * 32 * std::log(32)));
  simulation.csam = 5;  // 1109 of the 1024 strings
  EXPECT_THROWS_WITH(simulate_pauli(simulation, folder_.path()), InputError, "at most 4.6");
  simulation.samples = "many";
  EXPECT_THROWS_WITH(simulate_pauli(simulation, folder_.path()), InputError,
                     "--samples: found \"many\", expected linear or log");
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
  simulate_pauli({.qubits = 5, .csam = 8, .noise_norm = 0.05}, folder_.path());
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

TEST_F(Tomography, AutomaticRankStopsAtTheTruth) {
  for (const Index rank : {1, 2, 3}) {
    simulate_pauli(
        {.qubits = 5, .rank = rank, .csam = 10 / static_cast<double>(rank) * 2, .noise_norm = 0.05},
        folder_.path());
    const RunRecord record = run(folder_ / "pauli.csv", 0, 1e-8);
    EXPECT_EQ(record.summary["rank"], rank);
    EXPECT_THAT(record.summary["rank_reason"].dump(), testing::HasSubstr("noise alone would give"));
  }
  CountsSimulation simulation;
  simulation.qubits = 3;
  simulation.state = "w";
  simulate_counts(simulation, folder_.path());
  EXPECT_EQ(run(folder_ / "counts.json", 0, 1e-7).summary["rank"], 1);
  simulation.depolarizing = 0.3;
  simulation.shots = 100000;
  simulate_counts(simulation, folder_.path());
  // White noise is a part of the model, and no reason for more columns.
  const Json noisy = run(folder_ / "counts.json", 0, 1e-7).summary;
  EXPECT_EQ(noisy["rank"], 1);
  EXPECT_NEAR(noisy["white_noise"].get<double>(), 0.3, 0.01);
  TomographyInput plain;
  plain.white_noise = white_noise_option::off;
  EXPECT_GE(run(folder_ / "counts.json", 0, 1e-7, {}, plain).summary["rank"].get<Index>(), 6);
}

TEST_F(Tomography, FindingTheRankCostsNoMoreThanAFewFits) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    simulate_counts({.qubits = 4, .state = "w", .shots = 1000, .depolarizing = 0.1, .seed = seed},
                    folder_.path());
    const Path file = folder_ / "counts.json";
    const RunRecord found = run(file, 0, 5e-6);
    const RunRecord fitted = run(file, found.summary["rank"].get<Index>(), 5e-6);
    const auto calls = [](const RunRecord& record) {
      return number(record, "forward_calls") + number(record, "adjoint_calls");
    };
    // The rank itself and the one below it are fitted to the end, and the one above nearly; the
    // four quick fits and the eigenvectors between them cost as much as two.
    EXPECT_LE(calls(found), 5 * calls(fitted)) << seed;
    // Noise moves the log-likelihood by half a unit a parameter: less is no worse a minimum.
    EXPECT_LE(number(found, "objective"), number(fitted, "objective") + 0.5) << seed;
  }
}

TEST_F(Tomography, LeavesLocalMinimaFromRandomStarts) {
  // From random points at C = 3 plain descent stops far above the noise for most seeds.
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    simulate_pauli({.qubits = 6, .csam = 3, .noise_norm = 1e-3, .seed = seed}, folder_.path());
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
    simulate_pauli({.qubits = 5, .csam = 3, .noise_norm = 1e-3, .seed = seed}, folder_.path());
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
    settings.options.tolerance = 1e-8;
    const RunRecord record = run_tomography(input, settings);
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
      simulate_pauli({.qubits = 7, .rank = rank, .csam = 3, .noise_norm = 1e-3, .seed = seed},
                     folder_.path());
      TomographyInput input;
      input.data = {folder_ / "pauli.csv"};
      RunSettings settings;
      settings.rank = rank;
      settings.threads = 1;
      settings.truth = folder_ / "truth.npy";
      const RunRecord record = run_tomography(input, settings);
      EXPECT_EQ(record.status, Status::converged);
      settings.init = settings.truth;
      settings.options.tolerance = 1e-10;
      const double floor = number(run_tomography(input, settings), "relative_error");
      EXPECT_GE(floor, 0.97 * number(record, "relative_error")) << rank << ", " << seed;
    }
  }
}

}  // namespace
}  // namespace projfgd::test
