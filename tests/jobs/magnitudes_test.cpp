// Data in any unit: scaled by a power of ten they give the scaled answer, or they are refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <string>

#include "projfgd/core/error.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/jobs/matrix_problem.hpp"
#include "projfgd/jobs/record.hpp"
#include "projfgd/jobs/simulate_ptychography.hpp"
#include "projfgd/measures/distance.hpp"
#include "support/matrix_problem_files.hpp"
#include "support/phase_job.hpp"
#include "support/tomography.hpp"

namespace projfgd::test {
namespace {

constexpr int powers[] = {-320, -300, -200, -120, -80, -58, -40, -30, -9, 0,
                          9,    30,   38,   40,   58,  80,  120, 200, 300};

Array scaled(Array array, double by) {
  for (double& x : array.values) x *= by;
  return array;
}

/// Runs the job; empty where it refuses.
template <class Job>
RunRecord unless_refused(const Job& job) {
  try {
    return job();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("expected"), std::string::npos) << error.what();
    return {};
  }
}

TEST(Magnitudes, SolveScalesOrRefuses) {
  for (const bool single : {false, true}) {
    int solved = 0;
    for (const char* type : {"rank-one", "entries", "identity", "dense"}) {
      const ProblemFiles<double> files(type);
      const Array data = read_npy(files.folder / "data.npy");
      const auto truth = to_matrix<double>(read_npy(files.folder / "truth.npy"), "truth");
      for (const int power : powers) {
        const double by = std::pow(10.0, power);
        write_npy(files.folder / "data.npy", scaled(data, by));
        RunSettings settings;
        settings.threads = 1;
        settings.single_precision = single;
        const RunRecord record = unless_refused([&] {
          return run_matrix_problem(files.description({{"truth", "truth.npy"}}), settings);
        });
        if (record.factor.values.empty() || record.status != Status::converged) continue;
        ++solved;
        const auto found = to_matrix<double>(scaled(record.factor, 1 / std::sqrt(by)), "found");
        EXPECT_LE(relative_error(found, truth), 1e-3) << type << " 1e" << power << " " << single;
      }
    }
    EXPECT_GE(solved, 4 * (single ? 3 : 7));  // 1e-9 to 1e9, 1e-80 to 1e80
  }
}

TEST_F(Tomography, ExpectationsOfNoStateAreRefusedNotFittedWrongly) {
  simulate_pauli({.qubits = 3, .csam = 6}, folder_.path());
  const Measurements measured = parse_measurements({{"p", read_file(folder_ / "pauli.csv")}}, {});
  const auto& data = std::get<PauliData>(measured);
  for (const int power : powers) {
    if (power > 0) continue;
    std::string csv = "pauli,expectation\n";
    for (std::size_t i = 0; i < data.strings.size(); ++i) {
      csv += fmt::format("{},{}\n", pauli_label(data.strings[i], 3),
                         std::pow(10.0, power) * data.values[static_cast<Index>(i)]);
    }
    folder_.file("scaled.csv", csv);
    const RunRecord record =
        unless_refused([&] { return run(folder_ / "scaled.csv", 1, 1e-8, folder_ / "truth.npy"); });
    if (record.summary.is_null() || record.status != Status::converged) continue;
    EXPECT_GE(number(record, "fidelity"), 1 - 1e-6) << power;  // a state has trace 1 in any unit
  }
}

TEST_F(PhaseJob, IntensitiesInAnyUnitGiveTheImageOrARefusal) {
  const auto data = simulate({.image = "phantom", .height = 12, .width = 12, .patterns = 6});
  const Array intensities = read_npy(data / "intensities.npy");
  const auto truth = to_matrix<std::complex<double>>(read_npy(data / "truth.npy"), "truth");
  for (const bool single : {false, true}) {
    for (const int power : powers) {
      const double by = std::pow(10.0, power);
      write_npy(data / "intensities.npy", scaled(intensities, by));
      std::filesystem::remove(data / "truth.npy");
      RunSettings s = settings("auto");
      s.single_precision = single;
      s.threads = 1;
      const RunRecord record = unless_refused([&] { return run_phase({.data = data}, s); });
      if (record.factor.values.empty() || record.status != Status::converged) continue;
      const auto found = to_matrix<std::complex<double>>(record.factor, "found");
      double size = 0, wanted = 0;
      for (Index i = 0; i < found.size(); ++i) {
        size += std::abs(found(i)) / std::sqrt(by);
        wanted += std::abs(truth(i));
      }
      EXPECT_NEAR(size / wanted, 1, 1e-3) << power << " " << single;
    }
  }
}

TEST_F(PhaseJob, ScansInAnyUnitGiveTheObjectOrARefusal) {
  const auto data = folder_ / "scan";
  simulate_ptychography({.height = 24, .width = 24, .probe_size = 12}, data);
  const Array intensities = read_npy(data / "intensities.npy");
  const auto moduli_in_unit = [&](double by, bool single) {
    write_npy(data / "intensities.npy", scaled(intensities, by));
    RunSettings s = settings("auto");
    s.single_precision = single;
    s.threads = 1;
    const RunRecord record = unless_refused([&] { return run_phase({.data = data}, s); });
    if (record.factor.values.empty() || record.status != Status::converged) return 0.0;
    return to_matrix<std::complex<double>>(record.factor, "found").cwiseAbs().sum() / std::sqrt(by);
  };
  const double expected = moduli_in_unit(1, false);
  EXPECT_GT(expected, 0);
  for (const bool single : {false, true}) {
    int answered = 0;
    for (const int power : powers) {
      const double found = moduli_in_unit(std::pow(10.0, power), single);
      if (found == 0) continue;
      ++answered;
      EXPECT_NEAR(found / expected, 1, single ? 1e-4 : 1e-10) << power << " " << single;
    }
    EXPECT_GE(answered, single ? 5 : 7);
  }
}

}  // namespace
}  // namespace projfgd::test
