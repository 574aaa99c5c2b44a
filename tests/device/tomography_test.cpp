// The job of tomography with a device that is the host: the door, the answer, what it reports.
#include "projfgd/jobs/tomography.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "projfgd/core/error.hpp"
#include "projfgd/device/hosted.hpp"
#include "projfgd/device/pauli.hpp"
#include "projfgd/jobs/simulate_tomography.hpp"
#include "projfgd/operators/pauli.hpp"
#include "projfgd/operators/product_basis.hpp"
#include "support/allocations.hpp"
#include "support/device_memory.hpp"
#include "support/emulated_place.hpp"
#include "support/support.hpp"
#include "support/temporary_folder.hpp"

namespace projfgd::test {
namespace {

using ::testing::HasSubstr;
using S = std::complex<double>;

/// Expectations of a GHZ state, as a file.
std::string ghz_data(int qubits = 5) {
  const auto n = std::uint64_t{1} << qubits;
  Matrix<S> state = Matrix<S>::Zero(static_cast<Index>(n), 1);
  state(0) = state(static_cast<Index>(n) - 1) = std::sqrt(0.5);
  std::vector<PauliString> strings;
  const RandomStream random(1, 0xB);
  for (std::uint64_t i = 0; i < 400; ++i) {
    strings.push_back({static_cast<std::uint32_t>(random.below(n, 2 * i)),
                       static_cast<std::uint32_t>(random.below(n, 2 * i + 1))});
  }
  Vector<double> y;
  PauliOperator<S>(qubits, strings, 1).forward(state, y);
  y += 0.01 * random_vector<double>(400, 3);
  std::string text = "pauli,expectation,stderr\n";
  std::map<std::string, double> rows;  // each label once
  for (std::size_t i = 0; i < strings.size(); ++i) {
    rows[pauli_label(strings[i], qubits)] = y[static_cast<Index>(i)];
  }
  for (const auto& [label, value] : rows) text += fmt::format("{},{},0.01\n", label, value);
  return text;
}

/// Counts of a W state of 3 qubits with white noise in all settings, 300 shots each.
std::string w_counts() {
  Matrix<S> state = Matrix<S>::Zero(8, 1);
  state(1) = state(2) = state(4) = std::sqrt(1 / 3.);
  std::vector<Setting> settings;
  for (int k = 0; k < 27; ++k) {
    settings.push_back({static_cast<std::uint8_t>(k % 3), static_cast<std::uint8_t>(k / 3 % 3),
                        static_cast<std::uint8_t>(k / 9)});
  }
  Vector<double> p;
  ProductBasisOperator<S>(settings).forward(state, p);
  const RandomStream random(4, 0xC);
  std::string text = "{";
  std::uint64_t draw = 0;
  for (std::size_t s = 0; s < settings.size(); ++s) {
    std::vector<int> counts(8);
    for (int shot = 0; shot < 300; ++shot) {
      double at = random.uniform(draw++);
      int k = 0;
      const auto chance = [&] { return 0.9 * p[static_cast<Index>(8 * s) + k] + 0.1 / 8; };
      while (k < 7 && at > chance()) at -= chance(), ++k;
      ++counts[static_cast<std::size_t>(k)];
    }
    text += s == 0 ? "\"" : ", \"";
    for (int j = 2; j >= 0; --j) text += "XYZ"[settings[s][static_cast<std::size_t>(j)]];
    text += "\": {";
    for (int k = 0; k < 8; ++k) {
      text += fmt::format("{}\"{:03b}\": {}", k == 0 ? "" : ", ", k,
                          counts[static_cast<std::size_t>(k)]);
    }
    text += "}";
  }
  return text + "}";
}

RunRecord run(const RunSettings& settings, std::shared_ptr<const Place> place = nullptr,
              const std::string& bytes = ghz_data(), const char* name = "pauli.csv",
              const char* errors = errors_option::automatic) {
  static const TemporaryFolder folder;
  const std::filesystem::path file = folder / name;
  std::ofstream(file) << bytes;
  TomographyInput input;
  input.data = {file};
  input.target = "ghz";
  input.device = device_name::cpu;
  input.errors = errors;
  input.place = std::move(place);
  return run_tomography(input, settings);
}

TEST(DeviceTomography, FindsTheStateOfTheProcessorAndNamesTheDevice) {
  for (const Index rank : {Index{1}, Index{0}}) {
    for (const bool single : {false, true}) {
      RunSettings settings;
      settings.rank = rank;
      settings.single_precision = single;
      const RunRecord here = run(settings);
      const RunRecord away = run(settings, emulated());
      EXPECT_EQ(here.summary["device"], "cpu");
      EXPECT_EQ(away.summary["device"], "loops on the host");
      EXPECT_EQ(here.summary["rank"], away.summary["rank"]);
      EXPECT_EQ(here.summary["status"], away.summary["status"]);
      const double tolerance = single ? 1e-4 : 1e-6;
      EXPECT_NEAR(here.summary["fidelity"], away.summary["fidelity"], tolerance);
      EXPECT_NEAR(here.summary["chi_square"].get<double>(), away.summary["chi_square"],
                  tolerance * here.summary["chi_square"].get<double>());
    }
  }
}

TEST(DeviceTomography, FindsTheStateOfCountsThatTheProcessorFinds) {
  const std::string counts = w_counts();
  for (const Index rank : {Index{2}, full_rank, Index{0}}) {
    for (const char* set : {"", "none", "l1-ball:1.9", "nuclear-ball:1"}) {
      if (rank == 0 && *set != '\0') continue;
      RunSettings settings;
      settings.rank = rank;
      settings.constraint = set;
      const RunRecord here = run(settings, nullptr, counts, "counts.json");
      const RunRecord away = run(settings, emulated(), counts, "counts.json");
      EXPECT_EQ(here.summary["status"], away.summary["status"]) << rank << " " << set;
      EXPECT_EQ(here.summary["rank"], away.summary["rank"]) << rank << " " << set;
      // Half a nat is what one parameter is worth: no data tell such answers apart.
      EXPECT_NEAR(here.summary["objective"].get<double>(), away.summary["objective"], 0.5);
      EXPECT_NEAR(here.summary["fidelity"].get<double>(), away.summary["fidelity"], 1e-2);
      EXPECT_GT(away.summary["forward_calls"].get<int>(), 5);
    }
  }
}

/// With counts that come by accident and without, and an intensity that nobody knows.
TEST(DeviceTomography, FindsTheStateOfProjectorsThatTheProcessorFinds) {
  for (const double accidentals : {0.0, 20.0}) {
    const TemporaryFolder folder;
    CountsSimulation simulation{.qubits = 2, .state = "bell", .projectors = "minimal"};
    simulation.accidentals = accidentals;
    simulate_counts(simulation, folder.path());
    TomographyInput input;
    input.data = {folder.path()};
    for (const Index rank : {Index{1}, full_rank}) {
      RunSettings settings;
      settings.rank = rank;
      input.place = nullptr;
      input.device = device_name::cpu;
      const RunRecord here = run_tomography(input, settings);
      input.place = emulated();
      const RunRecord away = run_tomography(input, settings);
      EXPECT_EQ(away.summary["device"], "loops on the host");
      EXPECT_EQ(here.summary["status"], away.summary["status"]) << rank;
      const double objective = here.summary["objective"];
      EXPECT_NEAR(away.summary["objective"].get<double>(), objective, 1e-5 * objective);
      EXPECT_NEAR(here.summary["intensity"].get<double>(), away.summary["intensity"],
                  1e-4 * here.summary["intensity"].get<double>());
    }
  }
}

/// Detectors whose errors depend on each other.
TEST(DeviceTomography, FindsTheStateOfJointReadoutThatTheProcessorFinds) {
  const TemporaryFolder folder;
  Json calibration;
  for (int prepared = 0; prepared < 8; ++prepared) {
    Json read;
    for (int k = 0; k < 8; ++k) {
      const int counts = k == prepared ? 880 : k == 7 ? 60 : 10;
      read[fmt::format("{:03b}", k)] = counts;
    }
    calibration[fmt::format("{:03b}", prepared)] = read;
  }
  TomographyInput input;
  input.data = {folder.file("counts.json", w_counts())};
  input.readout = folder.file("readout.json", calibration.dump());
  input.device = device_name::cpu;
  RunSettings settings;
  settings.rank = 2;
  const RunRecord here = run_tomography(input, settings);
  input.place = emulated();
  const RunRecord away = run_tomography(input, settings);
  EXPECT_EQ(here.summary["status"], away.summary["status"]);
  EXPECT_NEAR(here.summary["objective"].get<double>(), away.summary["objective"], 0.5);
}

TEST(DeviceTomography, SimulatedExpectationsAreThoseOfTheProcessor) {
  PauliSimulation simulation{.qubits = 6, .rank = 2, .noise_norm = 1e-3, .seed = 7};
  const PauliExperiment here = draw_pauli(simulation);
  simulation.place = emulated();
  const PauliExperiment away = draw_pauli(simulation);
  EXPECT_TRUE(here.data.strings == away.data.strings);
  EXPECT_TRUE(here.truth == away.truth);
  EXPECT_LE((here.data.values - away.data.values).norm(), 1e-13 * here.data.values.norm());
}

TEST(DeviceTomography, CountsTheMultiplyAddsOfABenchmark) {
  const double one = emulated()->multiply_add(1), three = emulated()->multiply_add(3);
  EXPECT_GT(one, 0);
  EXPECT_EQ(three, 3 * one);
}

/// A solve there copies its start and its answer; a product with factors of the host copies these
/// and the measurements each time.
TEST(DeviceTomography, IteratesStayOnTheDevice) {
  RunSettings settings;
  settings.rank = 1;
  settings.constraint = "none";
  settings.options.max_iterations = 25;  // a limit ends the search for other minima as well
  settings.options.tolerance = 0;
  copies_of_device();
  const RunRecord away = run(settings, emulated(), ghz_data(), "pauli.csv", errors_option::none);
  EXPECT_GE(away.summary["iterations"].get<int>(), 25);
  EXPECT_LT(copies_of_device(300 * sizeof(double)), 25u);
}

/// Error bars of many qubits: an observable as a matrix would have n x n entries.
TEST(DeviceTomography, ErrorsOfManyQubitsFormNoMatrix) {
  if (!counts_allocations) GTEST_SKIP() << "this build has a heap of its own";
  const std::string data = ghz_data(11);
  RunSettings settings;
  settings.rank = 1;
  largest_allocation();
  const RunRecord record = run(settings, nullptr, data);
  EXPECT_LT(largest_allocation(), std::size_t{2048} * 2048 * sizeof(S) / 8);
  EXPECT_TRUE(record.summary.contains("intervals"));
}

TEST(DeviceTomography, WhatDoesNotFitIsRefusedBeforeItIsAllocated) {
  RunSettings settings;
  settings.rank = 1;
  most_device_memory();
  try {
    run(settings, emulated(1000));
    FAIL() << "accepted";
  } catch (const ResourceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("loops on the host: "));
    EXPECT_THAT(error.what(), HasSubstr("0.001 MB are free"));
  }
  EXPECT_EQ(most_device_memory(), 0u);
}

TEST(DeviceTomography, TheEstimateOfTheMemoryIsNeverTooSmall) {
  for (const int qubits : {1, 4, 7, 9}) {
    for (const Index strings : {1, 50, 5000}) {
      for (const Index columns : {1, 9}) {
        std::vector<PauliString> all;
        const RandomStream random(2, 0xC);
        for (Index i = 0; i < strings; ++i) {  // of the second kind all have x = 0
          const auto bound = std::uint64_t{1} << qubits;
          all.push_back({columns == 1 ? static_cast<std::uint32_t>(random.below(bound, 2 * i)) : 0,
                         static_cast<std::uint32_t>(random.below(bound, 2 * i + 1))});
        }
        most_device_memory();
        {
          const HostedOperator op(DevicePauliOperator<S>(qubits, all, 1));
          const Matrix<S> u = random_factor<S>(op.rows(), columns, 1);
          Vector<double> y;
          Matrix<S> g;
          op.forward(u, y);
          op.forward(u, u, y);
          op.adjoint_times(y, u, g);
        }
        const double bytes =
            DevicePauliOperator<S>::bytes(qubits, static_cast<double>(strings), columns);
        EXPECT_LE(static_cast<double>(most_device_memory()), bytes)
            << qubits << " qubits, " << strings << " strings, " << columns << " columns";
      }
    }
  }
}

TEST(DeviceTomography, NamesOfDevicesAreChecked) {
  for (const char* wrong : {"tpu", "gpu:", "gpu:x", "gpu:-1", "gpu:1.5", ""}) {
    EXPECT_THROW(find_place(wrong, 1e12, "data"), InputError) << wrong;
  }
  EXPECT_EQ(find_place("cpu", 1e12, "data"), nullptr);
  EXPECT_EQ(find_place("auto", 1, "data"), nullptr);  // too little to be worth it
}

}  // namespace
}  // namespace projfgd::test
