#include <gmock/gmock.h>

#include <cmath>
#include <complex>
#include <utility>
#include <vector>

#include "projfgd/jobs/simulate_ptychography.hpp"
#include "support/hdf5_files.hpp"
#include "support/phase_job.hpp"

namespace projfgd::test {
namespace {

using ::testing::HasSubstr;

class PtychographyJob : public PhaseJob {
 protected:
  PtychographyJob() {
    PtychographySimulation s;
    s.height = s.width = 56;
    s.probe_size = 24;
    s.overlap = 0.7;
    simulate_ptychography(s, data_);
  }

  Array read(const char* name) const { return read_npy(data_ / name); }
  /// Enough steps for small objects without noise.
  static RunSettings few_steps() {
    RunSettings s = settings("auto");
    s.options.max_iterations = 120;
    return s;
  }
  PhaseInput arrays() const {
    PhaseInput input;
    input.data = data_ / "intensities.npy";
    input.positions = data_ / "positions.npy";
    input.probe = data_ / "probe.npy";
    return input;
  }

  /// The scan as a CXI file: metres, and the zero frequency in the middle.
  void write_cxi(const std::filesystem::path& path, bool positions, bool fills_detector) const {
    const Array frames = read("intensities.npy"), at = read("positions.npy"),
                probe = read("probe.npy");
    const auto n = static_cast<hsize_t>(frames.shape[0]);
    const Index side = frames.shape[1];
    std::vector<double> centred(frames.values.size());
    for (Index j = 0; j < frames.shape[0]; ++j) {
      for (Index i = 0; i < side; ++i) {
        for (Index k = 0; k < side; ++k) {
          const Index to = (i + side / 2) % side * side + (k + side / 2) % side;
          centred[j * side * side + to] =
              fills_detector ? 5 : frames.values[(j * side + i) * side + k];
        }
      }
    }
    constexpr double wavelength = 1e-10, distance = 2, pixel = 50e-6;
    const double object_pixel = wavelength * distance / (double(side) * pixel);
    std::vector<double> metres;
    for (hsize_t j = 0; j < n; ++j) {
      metres.insert(metres.end(),
                    {at.values[2 * j + 1] * object_pixel, at.values[2 * j] * object_pixel, 0.0});
    }
    Hdf5File file(path);
    const std::string instrument = "/entry_1/instrument_1/";
    file.numbers("/entry_1/data_1/data", {n, hsize_t(side), hsize_t(side)}, centred,
                 H5T_IEEE_F64LE);
    if (positions) file.numbers("/entry_1/data_1/translation", {n, 3}, metres, H5T_IEEE_F64LE);
    file.numbers(instrument + "source_1/energy", {1}, {6.62607015e-34 * 299792458.0 / wavelength},
                 H5T_IEEE_F64LE);
    file.numbers(instrument + "detector_1/distance", {1}, {distance}, H5T_IEEE_F64LE);
    file.numbers(instrument + "detector_1/x_pixel_size", {1}, {pixel}, H5T_IEEE_F64LE);
    file.numbers(instrument + "detector_1/y_pixel_size", {1}, {pixel}, H5T_IEEE_F64LE);
    file.complex_numbers(instrument + "source_1/illumination", {hsize_t(side), hsize_t(side)},
                         probe.values);
  }

  std::filesystem::path data_ = folder_ / "scan";
};

TEST_F(PtychographyJob, FindsTheObjectBehindAKnownProbe) {
  PhaseInput input;
  input.data = data_;
  const RunRecord record = run_phase(input, few_steps());
  EXPECT_LE(error(record), 1e-2);
  EXPECT_LE(record.summary.at("misfit").get<double>(), 1e-3);
  EXPECT_EQ(record.arrays.front().second.values, read("probe.npy").values);
}

TEST_F(PtychographyJob, FindsTheProbeToo) {
  Array wrong = read("probe.npy");
  for (std::size_t k = 0; k < wrong.values.size(); ++k) {
    wrong.values[k] *= 1 + 0.25 * std::sin(0.01 * static_cast<double>(k));
  }
  write_npy(folder_ / "wrong.npy", wrong);
  PhaseInput input;
  input.data = data_;
  input.probe = folder_ / "wrong.npy";
  const RunRecord fixed = run_phase(input, few_steps());
  input.refine_probe = true;
  const RunRecord refined = run_phase(input, few_steps());
  EXPECT_GE(fixed.summary.at("misfit").get<double>(), 1e-2);
  EXPECT_LE(refined.summary.at("misfit").get<double>(),
            0.2 * fixed.summary.at("misfit").get<double>());
  EXPECT_LE(error(refined), 0.5 * error(fixed));
}

TEST_F(PtychographyJob, ReadsCxiFilesInMetres) {
  write_cxi(folder_ / "scan.cxi", true, false);
  PhaseInput input;
  input.data = folder_ / "scan.cxi";
  const RunRecord record = run_phase(input, few_steps());
  EXPECT_LE(record.summary.at("misfit").get<double>(), 1e-3);
  EXPECT_NEAR(record.summary.at("pixel_size").get<double>(), 1e-10 * 2 / (24 * 50e-6), 1e-12);
}

TEST_F(PtychographyJob, RefusesWhatIsNoScan) {
  write_cxi(folder_ / "still.cxi", false, false);
  PhaseInput input;
  input.data = folder_ / "still.cxi";
  EXPECT_THAT(refusal(input), HasSubstr("without positions"));
  write_cxi(folder_ / "near.cxi", true, true);
  input.data = folder_ / "near.cxi";
  EXPECT_THAT(refusal(input), HasSubstr("near-field"));
}

TEST_F(PtychographyJob, RefusesPositionsAndProbesThatDoNotFit) {
  const auto with_positions = [this](const auto& change) {
    Array at = read("positions.npy");
    change(at);
    write_npy(folder_ / "positions.npy", at);
    PhaseInput input = arrays();
    input.positions = folder_ / "positions.npy";
    return refusal(input);
  };
  EXPECT_THAT(with_positions([](Array& at) {
                at.shape[0] -= 1;
                at.values.resize(at.values.size() - 2);
              }),
              HasSubstr("one for each frame"));
  EXPECT_THAT(with_positions([](Array& at) { at.values[3] = std::nan(""); }), HasSubstr("[1, 1]"));
  EXPECT_THAT(with_positions([](Array& at) {
                for (double& x : at.values) x *= 1e-9;
              }),
              HasSubstr("metres"));
  EXPECT_THAT(with_positions([](Array& at) {
                for (double& x : at.values) x *= 1e5;
              }),
              HasSubstr("units"));
  PhaseInput input = arrays();
  put("probe.npy", {20, 24}, std::vector<double>(480, 1));
  input.probe = folder_ / "probe.npy";
  EXPECT_THAT(refusal(input), HasSubstr("found a probe of shape 20 x 24, expected 24 x 24"));
  RunSettings outside = settings("auto");
  outside.truth = folder_ / "small.npy";
  put("small.npy", {40, 40}, std::vector<double>(1600, 1));
  EXPECT_THROW(run_phase(arrays(), outside), InputError);
}

}  // namespace
}  // namespace projfgd::test
