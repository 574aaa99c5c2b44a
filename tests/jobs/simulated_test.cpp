// What simulations write: readable by every job, whole, and with where it comes from.
#include <gmock/gmock.h>

#include <random>

#include "jobs/phase/data.hpp"
#include "jobs/phase/scan.hpp"
#include "jobs/tomography/read.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/version.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/io/sha256.hpp"
#include "projfgd/jobs/simulate_cdp.hpp"
#include "projfgd/jobs/simulate_ptychography.hpp"
#include "projfgd/jobs/simulate_tomography.hpp"
#include "support/temporary_folder.hpp"

namespace projfgd::test {
namespace {

/// Seed, version and hashes of all files beside the data.
void expect_provenance(const std::filesystem::path& folder, std::uint64_t seed) {
  const Json about = read_json(folder / "simulation.json");
  EXPECT_EQ(about["seed"], seed);
  EXPECT_EQ(about["version"], version());
  EXPECT_EQ(about["command"], "a test");
  for (const auto& [name, hash] : about["sha256"].items()) {
    Sha256 again;
    again.update(read_file(folder / name));
    EXPECT_EQ(hash, again.hex()) << name;
  }
  const auto data = about["data"].get<std::string>();
  EXPECT_EQ(data, std::filesystem::path(data).filename().string());
}

class Simulated : public testing::Test {
 protected:
  double pick(std::initializer_list<double> values) {
    return *(values.begin() + static_cast<std::ptrdiff_t>(engine_() % values.size()));
  }
  TemporaryFolder folder_;
  std::mt19937_64 engine_{5};
};

TEST_F(Simulated, MeasurementsOfStatesAreRead) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    TomographyInput input;
    input.data = {folder_.path()};
    if (seed % 2 == 0) {
      PauliSimulation s{.qubits = static_cast<int>(pick({2, 3, 4})), .csam = pick({1, 2})};
      s.noise_norm = pick({0, 1e-3, 0.05, 1, 5});
      s.seed = seed;
      s.command = "a test";
      try {
        simulate_pauli(s, folder_.path());
      } catch (const InputError& error) {  // of noise that a file without error bars cannot have
        EXPECT_THAT(error.what(), testing::StartsWith("--noise-norm: found "));
        EXPECT_GE(s.noise_norm, 1);
        continue;
      }
    } else {
      std::filesystem::remove(folder_ / "pauli.csv");
      CountsSimulation s{.qubits = static_cast<int>(pick({1, 2, 3}))};
      s.state = seed % 3 == 0 ? "random" : "plus";
      s.shots = static_cast<std::int64_t>(pick({1, 7, 1000}));
      s.settings = static_cast<Index>(pick({0, 1, 3}));
      s.depolarizing = pick({0, 0.2, 1});
      s.readout_error = pick({0, 0.1});
      s.seed = seed;
      s.command = "a test";
      simulate_counts(s, folder_.path());
      if (s.readout_error > 0) input.readout = folder_ / "readout.json";
    }
    expect_provenance(folder_.path(), seed);
    RunSettings settings;
    settings.truth = folder_ / "truth.npy";
    EXPECT_NO_THROW(read_tomography(input, settings)) << seed;
  }
}

TEST_F(Simulated, PatternsAreRead) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CdpSimulation s;
    s.image = seed % 2 == 0 ? "stars" : "phantom";
    s.height = static_cast<Index>(pick({1, 5, 16}));
    s.width = static_cast<Index>(pick({3, 8}));
    s.patterns = static_cast<Index>(pick({1, 2, 5}));
    s.masks = seed % 3 == 0 ? "gaussian" : seed % 3 == 1 ? "octanary" : "ternary";
    if (seed % 4 == 0) s.snr = pick({0, 30});
    if (seed % 5 == 0) s.photons = pick({0.01, 100, 1e6});
    s.seed = seed;
    s.command = "a test";
    try {
      simulate_cdp(s, folder_.path());
    } catch (const InputError&) {  // a phantom of few pixels is dark, and so are too few photons
      continue;
    }
    expect_provenance(folder_.path(), seed);
    InputFiles files;
    EXPECT_NO_THROW(read_phase_data({.data = folder_.path()}, {}, files)) << seed;
  }
}

TEST_F(Simulated, AFileOfExpectationsThatWasCutIsNotTakenForWhole) {
  simulate_pauli({.qubits = 2, .csam = 2}, folder_.path());
  const std::string whole = read_file(folder_ / "pauli.csv");
  ASSERT_NO_THROW(parse_measurements({{"pauli.csv", whole}}, {}));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(parse_measurements({{"pauli.csv", whole.substr(0, size)}}, {}), InputError)
        << size;
  }
}

TEST_F(Simulated, AnImageIsNotReplacedByItsOwnSimulation) {
  simulate_cdp({.image = "stars", .height = 8, .width = 8, .patterns = 2}, folder_.path());
  const std::string before = read_file(folder_ / "truth.png");
  CdpSimulation again;
  again.image = (folder_ / "truth.png").string();
  EXPECT_THROWS_WITH(simulate_cdp(again, folder_.path()), InputError, "would replace");
  EXPECT_EQ(read_file(folder_ / "truth.png"), before);
}

TEST_F(Simulated, AnImageIsNotTakenAwayWithTheSimulationBefore) {
  simulate_ptychography({.height = 24, .width = 24, .probe_size = 12}, folder_.path());
  CdpSimulation again;
  again.image = (folder_ / "probe.npy").string();  // which a simulation of masks does not write
  EXPECT_THROWS_WITH(simulate_cdp(again, folder_.path()), InputError, "would replace");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "probe.npy"));
}

}  // namespace
}  // namespace projfgd::test
