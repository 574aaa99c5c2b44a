#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>
#include <vector>

#include "projfgd/jobs/report.hpp"
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
  void write_cxi(const std::filesystem::path& path, bool positions, bool fills_detector,
                 const std::vector<double>& basis = {}, double stretch = 1, bool lit = true) const {
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
      metres.insert(metres.end(), {stretch * at.values[2 * j + 1] * object_pixel,
                                   stretch * at.values[2 * j] * object_pixel, 0.0});
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
    if (lit) {
      file.complex_numbers(instrument + "source_1/illumination", {hsize_t(side), hsize_t(side)},
                           probe.values);
    }
    if (!basis.empty()) {
      file.numbers(instrument + "detector_1/basis_vectors", {basis.size() / 2, 2}, basis,
                   H5T_IEEE_F64LE);
    }
  }

  /// The scan in two chunks, as PtyPy stores them: keV, and positions of the probe in metres.
  void write_ptyd(const std::filesystem::path& path) const {
    const Array frames = read("intensities.npy"), at = read("positions.npy");
    const Index side = frames.shape[1], pixels = side * side, half = frames.shape[0] / 2;
    constexpr double energy = 8, distance = 2, pixel = 50e-6;  // keV, metres
    const double wavelength = 6.62607015e-34 * 299792458.0 / (energy * 1.602176634e-16);
    const double object_pixel = wavelength * distance / (double(side) * pixel);
    Hdf5File file(path);
    file.numbers("/meta/energy", {1}, {energy}, H5T_IEEE_F64LE);
    file.numbers("/meta/distance", {1}, {distance}, H5T_IEEE_F64LE);
    file.numbers("/meta/psize", {2}, {pixel, pixel}, H5T_IEEE_F64LE);
    for (const int chunk : {0, 1}) {
      const Index first = chunk * half, count = chunk == 0 ? half : frames.shape[0] - half;
      std::vector<double> data(static_cast<std::size_t>(count * pixels)), metres;
      for (Index k = 0; k < count * pixels; ++k) {
        const Index j = k / pixels, i = k / side % side, c = k % side;
        data[(j * side + (i + side / 2) % side) * side + (c + side / 2) % side] =
            frames.values[first * pixels + k];
      }
      for (Index k = 2 * first; k < 2 * (first + count); ++k) {
        metres.push_back(at.values[k] * object_pixel);
      }
      const std::string place = "/chunks/" + std::to_string(chunk);
      file.numbers(place + "/data", {hsize_t(count), hsize_t(side), hsize_t(side)}, data,
                   H5T_IEEE_F64LE);
      file.numbers(place + "/positions", {hsize_t(count), 2}, metres, H5T_IEEE_F64LE);
    }
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

TEST_F(PtychographyJob, FindsTheProbeTooWithinASupport) {
  Array wrong = read("probe.npy");
  for (double& x : wrong.values) x *= 1.1;
  wrong.values[12 * 24 + 12] *= 1.5;
  write_npy(folder_ / "wrong.npy", wrong);
  Array inside{{56, 56}, false, std::vector<double>(56 * 56, 1.0)};
  inside.values[0] = 0;  // where no light falls
  write_npy(folder_ / "inside.npy", inside);
  PhaseInput input;
  input.data = data_;
  input.probe = folder_ / "wrong.npy";
  input.support = folder_ / "inside.npy";
  input.refine_probe = true;
  const RunRecord record = run_phase(input, few_steps());
  EXPECT_LE(record.summary.at("misfit").get<double>(), 1e-2);
  EXPECT_EQ(record.summary["refined_probe"], true);
  EXPECT_LE(error(record), 0.05);
}

TEST_F(PtychographyJob, NamesPositionsInOtherAxes) {
  const Array right = read("positions.npy");
  const auto warnings = [&](bool swapped, bool upwards) {
    Array given = right;
    for (std::size_t k = 0; k < given.values.size(); k += 2) {
      if (swapped) std::swap(given.values[k], given.values[k + 1]);
      if (upwards) given.values[k] = 32 - given.values[k];
    }
    write_npy(folder_ / "positions.npy", given);
    PhaseInput input = arrays();
    input.positions = folder_ / "positions.npy";
    return run_phase(input, settings("auto")).summary.value("warnings", Json::array()).dump();
  };
  EXPECT_EQ(warnings(false, false), "[]");
  EXPECT_THAT(warnings(true, false),
              HasSubstr("--positions seem to use other axes: exchange their rows and columns; "));
  EXPECT_THAT(warnings(false, true),
              HasSubstr("--positions seem to use other axes: count rows from the bottom; "));
}

TEST_F(PtychographyJob, ReadsCxiFilesInMetres) {
  write_cxi(folder_ / "scan.cxi", true, false);
  PhaseInput input;
  input.data = folder_ / "scan.cxi";
  const RunRecord record = run_phase(input, few_steps());
  EXPECT_LE(record.summary.at("misfit").get<double>(), 1e-3);
  EXPECT_NEAR(record.summary.at("pixel_size").get<double>(), 1e-10 * 2 / (24 * 50e-6), 1e-12);
}

// As some programs write them: two columns that are the axes of rows and of columns. Axes that
// point the other way turn the scan round, and then nothing fits.
TEST_F(PtychographyJob, FollowsTheAxesOfTheDetector) {
  const auto misfit = [&](const char* name, double sign) {
    const double p = sign * 50e-6;
    write_cxi(folder_ / name, true, false, {0, p, p, 0, 0, 0});
    PhaseInput input;
    input.data = folder_ / name;
    return run_phase(input, few_steps()).summary.at("misfit").get<double>();
  };
  EXPECT_LE(misfit("upright.cxi", -1), 1e-3);
  EXPECT_GE(misfit("turned.cxi", 1), 1e-2);
}

TEST_F(PtychographyJob, ReadsTheChunksOfPtyPy) {
  write_ptyd(folder_ / "scan.ptyd");
  PhaseInput input;
  input.data = folder_ / "scan.ptyd";
  input.probe = data_ / "probe.npy";
  EXPECT_LE(run_phase(input, few_steps()).summary.at("misfit").get<double>(), 1e-3);
}

// A fit that starts at the truth ends where the noise lets it; one from nowhere comes near to that
// in as many transforms as twenty passes take.
TEST_F(PtychographyJob, EndsAtTheNoiseInFewTransforms) {
  PtychographySimulation s;
  s.height = s.width = 96;
  s.probe_size = 32;
  s.photons = 1e6;
  s.image = "stars";
  simulate_ptychography(s, folder_ / "photons");
  PhaseInput input;
  input.data = folder_ / "photons";
  const RunRecord record = run_phase(input, settings("auto"));
  RunSettings from_truth = settings("auto");
  from_truth.init = folder_ / "photons" / "truth.npy";
  const RunRecord best = run_phase(input, from_truth);
  EXPECT_LE(error(record), 1.5 * error(best));
  EXPECT_LE(record.summary.at("transforms").get<double>(),
            40 * record.summary.at("frames").get<double>());
  EXPECT_TRUE(record.summary.at("fits_data").get<bool>());
}

// A frame that does not belong to the others stands out, and the pictures show object, probe and
// scan. The data are counts, so the test of their deviance tells.
TEST_F(PtychographyJob, ShowsWhichFramesDoNotFit) {
  PtychographySimulation s;
  s.height = s.width = 48;
  s.probe_size = 24;
  s.photons = 1e5;
  simulate_ptychography(s, folder_ / "photons");
  Array frames = read_npy(folder_ / "photons" / "intensities.npy");
  const auto run = [&] {
    write_npy(folder_ / "frames.npy", frames);
    PhaseInput input;
    input.data = folder_ / "frames.npy";
    input.positions = folder_ / "photons" / "positions.npy";
    input.probe = folder_ / "photons" / "probe.npy";
    return run_phase(input, few_steps());
  };
  EXPECT_TRUE(run().summary.at("fits_data").get<bool>());
  const auto size = frames.values.begin() + frames.shape[1] * frames.shape[2];
  std::reverse(frames.values.begin(), size);
  const RunRecord record = run();
  EXPECT_FALSE(record.summary.at("fits_data").get<bool>());
  const auto misfits = record.summary.at("frame_misfits").get<std::vector<double>>();
  ASSERT_EQ(std::ssize(misfits), frames.shape[0]);
  EXPECT_EQ(std::ranges::max_element(misfits), misfits.begin());
  const std::string page = report_html(record);
  for (const char* title : {"Object", "Object, phase", "Probe", "Scan", "Frames"}) {
    EXPECT_THAT(page, HasSubstr(title));
  }
}

TEST_F(PtychographyJob, RefusesWhatIsNoScan) {
  write_cxi(folder_ / "still.cxi", false, false);
  PhaseInput input;
  input.data = folder_ / "still.cxi";
  EXPECT_THAT(refusal(input), HasSubstr("without positions"));
  write_cxi(folder_ / "stack.cxi", false, false, {}, 1, false);
  input.data = folder_ / "stack.cxi";
  EXPECT_THAT(refusal(input), HasSubstr("frames without masks or positions"));
  write_cxi(folder_ / "near.cxi", true, true);
  input.data = folder_ / "near.cxi";
  EXPECT_THAT(refusal(input), HasSubstr("near-field"));
  write_cxi(folder_ / "apart.cxi", true, false, {}, 4);
  input.data = folder_ / "apart.cxi";
  EXPECT_THAT(refusal(input), HasSubstr("so that they overlap"));
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
