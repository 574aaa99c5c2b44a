// The job of phase retrieval with a device that is the host: every method and set, what it reports,
// and what it takes of the device.
#include "support/phase_job.hpp"

#include <gmock/gmock.h>

#include "support/device_memory.hpp"
#include "support/emulated_place.hpp"

namespace projfgd::test {
namespace {

using ::testing::HasSubstr;

class DevicePhase : public PhaseJob {
 protected:
  static RunRecord run(const std::filesystem::path& data, const RunSettings& settings,
                       std::shared_ptr<const Place> place = nullptr,
                       const std::filesystem::path& support = {}) {
    PhaseInput input;
    input.data = data;
    input.support = support;
    input.device = device_name::cpu;
    input.place = std::move(place);
    return run_phase(input, settings);
  }
  std::filesystem::path patterns(Index count = 8, double snr = 0) const {
    CdpSimulation simulation;
    simulation.image = "stars";
    simulation.height = 31;
    simulation.width = 24;
    simulation.patterns = count;
    if (snr > 0) simulation.snr = snr;
    return simulate(simulation);
  }
};

/// Methods that find the image find it there too, as exactly.
TEST_F(DevicePhase, EveryMethodFindsTheImageThatTheProcessorFinds) {
  const auto data = patterns();
  for (const std::string& method : phase_method_names()) {
    if (method == "phaselift") continue;
    for (const char* set : {"none", "nonnegative"}) {
      RunSettings asked = settings(method, set);
      asked.options.max_iterations = 60;
      const RunRecord here = run(data, asked), away = run(data, asked, emulated());
      const std::string what = method + " " + set;
      EXPECT_EQ(here.summary["device"], "cpu") << what;
      EXPECT_EQ(away.summary["device"], "loops on the host") << what;
      EXPECT_EQ(here.summary["status"], away.summary["status"]) << what;
      // Either both are exact, or both are as far from it after so many iterations.
      EXPECT_LE(std::abs(std::log10((error(here) + 1e-5) / (error(away) + 1e-5))), 0.3) << what;
      EXPECT_GT(away.summary["transforms"].get<int>(), 0) << what;
    }
  }
}

TEST_F(DevicePhase, EverySetOfAnImage) {
  const auto data = patterns(6);
  Array inside{{31, 24}, false, std::vector<double>(31 * 24, 1.0)};
  write_npy(folder_ / "inside.npy", inside);
  const std::string support = "support:" + (folder_ / "inside.npy").string();
  for (const std::string& set : {std::string("real"), std::string("nonnegative-l1"),
                                 std::string("l1-ball"), std::string("nonnegative"), support}) {
    const RunSettings asked = settings("auto", set);
    const RunRecord here = run(data, asked), away = run(data, asked, emulated());
    EXPECT_LE(error(here), 1e-4) << set;
    EXPECT_LE(error(away), 1e-4) << set;
  }
}

TEST_F(DevicePhase, OnePatternInASupport) {
  const OversampledScene scene(folder_.path());
  RunSettings asked = settings("auto", "nonnegative");
  asked.truth = folder_ / "image.npy";
  const RunRecord away = run(folder_ / "y.npy", asked, emulated(), folder_ / "inside.npy");
  const RunRecord here = run(folder_ / "y.npy", asked, nullptr, folder_ / "inside.npy");
  EXPECT_LE(error(here), 1e-3);
  EXPECT_LE(error(away), 1e-3);
}

TEST_F(DevicePhase, NoiseAndSinglePrecision) {
  const auto data = patterns(8, 30);
  for (const bool single : {false, true}) {
    RunSettings asked = settings("auto");
    asked.single_precision = single;
    const RunRecord here = run(data, asked), away = run(data, asked, emulated());
    EXPECT_EQ(here.summary["status"], away.summary["status"]);
    EXPECT_EQ(here.summary["loss"], away.summary["loss"]);
    EXPECT_NEAR(error(here), error(away), 0.01 * error(here));
  }
}

TEST_F(DevicePhase, GivesTheSameBitsTwice) {
  const auto data = patterns(5, 40);
  const RunSettings asked = settings("auto", "nonnegative");
  const auto bits = [&] {
    const RunRecord record = run(data, asked, emulated());
    for (const auto& [name, bytes] : record.files) {
      if (name == "signal.npy") return bytes;
    }
    return std::string();
  };
  const std::string first = bits();
  EXPECT_FALSE(first.empty());
  EXPECT_TRUE(first == bits());
}

/// A solve copies its data and its answer, and nothing as large as an image in between.
TEST_F(DevicePhase, ImagesStayOnTheDevice) {
  const auto data = patterns();
  PhaseInput input{.data = data};
  RunSettings asked = settings("raar", "nonnegative");
  asked.truth.clear();
  asked.options.max_iterations = 40;
  asked.options.tolerance = 0;
  std::filesystem::remove(data / "truth.npy");
  copies_of_device();
  run(data, asked, emulated());
  EXPECT_LT(copies_of_device(31 * 24 * sizeof(double)), 12u);
}

TEST_F(DevicePhase, TakesNoMoreThanItAnnounced) {
  for (const char* set : {"none", "nonnegative", "l1-ball"}) {
    const auto data = patterns(4, 25);
    most_device_memory();
    double left = 1e12;
    try {
      run(data, settings("auto", set), emulated(0));
    } catch (const ResourceError& error) {
      const std::string text = error.what();
      const auto at = text.find("need ");
      ASSERT_NE(at, std::string::npos);
      left = 1e6 * std::stod(text.substr(at + 5));
    }
    EXPECT_EQ(most_device_memory(), 0u);
    run(data, settings("auto", set), emulated());
    EXPECT_LE(static_cast<double>(most_device_memory()), 1.01 * left) << set;
  }
}

TEST_F(DevicePhase, SaysWhatItCannot) {
  const auto data = patterns(4);
  try {
    run(data, settings("auto"), emulated(1000));
    FAIL() << "accepted";
  } catch (const ResourceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("loops on the host: these 4 patterns of 31 x 24 pixels"));
    EXPECT_THAT(error.what(), HasSubstr("0.001 MB are free; use --device cpu"));
  }
  EXPECT_THROW(run(data, settings("auto", "nuclear-ball:1"), emulated()), InputError);
  EXPECT_THROW(run(data, settings("phaselift"), emulated()), InputError);
  PhaseInput input{.data = data};
  for (const char* wrong : {"tpu", "gpu:x", "gpu:-1", ""}) {
    input.device = wrong;
    EXPECT_THAT(refusal(input), HasSubstr("--device")) << wrong;
  }
}

}  // namespace
}  // namespace projfgd::test
