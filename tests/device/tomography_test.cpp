// The job of tomography with a device that is the host: the door, the answer, what it reports.
#include "projfgd/jobs/tomography.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "jobs/place/device_place.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/operators/pauli.hpp"
#include "support/device_memory.hpp"
#include "support/support.hpp"
#include "support/temporary_folder.hpp"

namespace projfgd::test {
namespace {

using ::testing::HasSubstr;
using S = std::complex<double>;

std::shared_ptr<const Place> emulated(double memory = 1e9) {
  return std::make_shared<DevicePlace>("loops on the host", [memory] { return memory; });
}

/// Expectations of a GHZ state of 5 qubits, as a file.
std::string ghz_data() {
  Matrix<S> state = Matrix<S>::Zero(32, 1);
  state(0) = state(31) = std::sqrt(0.5);
  std::vector<PauliString> strings;
  const RandomStream random(1, 0xB);
  for (std::uint64_t i = 0; i < 400; ++i) {
    strings.push_back({static_cast<std::uint32_t>(random.below(32, 2 * i)),
                       static_cast<std::uint32_t>(random.below(32, 2 * i + 1))});
  }
  Vector<double> y;
  PauliOperator<S>(5, strings, 1).forward(state, y);
  y += 0.01 * random_vector<double>(400, 3);
  std::string text = "pauli,expectation,stderr\n";
  std::map<std::string, double> rows;  // each label once
  for (std::size_t i = 0; i < strings.size(); ++i) {
    rows[pauli_label(strings[i], 5)] = y[static_cast<Index>(i)];
  }
  for (const auto& [label, value] : rows) text += fmt::format("{},{},0.01\n", label, value);
  return text;
}

RunRecord run(const RunSettings& settings, std::shared_ptr<const Place> place = nullptr) {
  static const TemporaryFolder folder;
  const std::filesystem::path file = folder / "pauli.csv";
  std::ofstream(file) << ghz_data();
  TomographyInput input;
  input.data = {file};
  input.target = "ghz";
  input.device = device_name::cpu;
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
          const auto op = emulated()->pauli(qubits, all, 1.0, columns);
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
