// Detectors that do not see everything: beam stops, dead rows.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "projfgd/core/random.hpp"
#include "support/hdf5_files.hpp"
#include "support/phase_job.hpp"
#include "support/support.hpp"

namespace projfgd {
namespace {

namespace fs = std::filesystem;
using test::PhaseJob;

/// Patterns of a star field on a detector of which one row is dead and a part hidden.
class BadPixels : public PhaseJob {
 protected:
  static constexpr Index height = 32, width = 24, patterns = 8;

  BadPixels() {
    simulate({.image = "stars", .height = height, .width = width, .patterns = patterns});
    marks.resize(height * width);
    for (Index j = 0; j < width; ++j) marks[7 * width + j] = 1;
    for (Index i = 0; i < 4; ++i) {
      for (Index j = 0; j < 4; ++j) marks[i * width + j] = 4;  // a bit of its own, as CXI has it
    }
    intensities = read_npy(folder_ / "data" / "intensities.npy").values;
  }

  /// What the detector gives where it measures nothing.
  void spoil(double value) {
    for (std::size_t k = 0; k < intensities.size(); ++k) {
      if (marks[k % marks.size()] != 0) intensities[k] = value;
    }
    put("data/intensities.npy", {patterns, height, width}, intensities);
  }

  RunRecord run(const std::string& method, const std::string& constraint = "") const {
    return run_phase({.data = folder_ / "data"}, settings(method, constraint));
  }

  std::vector<double> marks, intensities;
};

TEST_F(BadPixels, AreLeftOutByEveryMethod) {
  put("data/bad_pixels.npy", {height, width}, marks);
  for (const double value : {0.0, -3.0, 1e9, std::numeric_limits<double>::quiet_NaN()}) {
    spoil(value);
    const RunRecord record = run("auto");
    EXPECT_LE(error(record), 1e-5) << value;
    EXPECT_EQ(record.summary["bad_pixels"], patterns * (width + 4 * 4));
    EXPECT_FALSE(record.summary.contains("warnings")) << record.summary["warnings"];
  }
  for (const char* method : {"projfgd", "block-kaczmarz", "conjugate-gradients", "hio",
                             "error-reduction", "paper-projfgd", "gerchberg-saxton"}) {
    EXPECT_LE(error(run(method, "nonnegative")), 1e-4) << method;
  }
  for (const char* method : {"wirtinger-flow", "amplitude-flow"}) {  // so few patterns lead astray
    RunSettings near = settings(method);
    near.init = (folder_ / "data" / "truth.npy").string();
    near.options.max_iterations = 50;
    EXPECT_LE(error(run_phase({.data = folder_ / "data"}, near)), 1e-10) << method;
  }
}

TEST_F(BadPixels, MayBeWholePatternsOrMostPixels) {
  std::vector<double> each(intensities.size());
  for (std::size_t k = 0; k < each.size(); ++k) each[k] = k / marks.size() == 5 ? 1 : 0;
  put("data/bad_pixels.npy", {patterns, height, width}, each);
  const RunRecord record = run("auto", "nonnegative");
  EXPECT_LE(error(record), 1e-5);
  EXPECT_FALSE(record.summary.contains("warnings")) << record.summary["warnings"];
  // The exposures of the others are told, not that of the pattern that is not there.
  for (std::size_t k = 0; k < marks.size(); ++k) intensities[2 * marks.size() + k] *= 6;
  put("data/intensities.npy", {patterns, height, width}, intensities);
  const std::string said = run("auto", "nonnegative").summary["warnings"].dump();
  EXPECT_EQ(said.find("5 (0 times)"), std::string::npos) << said;

  for (std::size_t k = 0; k < each.size(); ++k) each[k] = k % 9 == 4 ? 0 : 1;
  put("data/bad_pixels.npy", {patterns, height, width}, each);
  const RunRecord most = run("auto");
  EXPECT_TRUE(most.summary.contains("misfit"));  // and ends
  EXPECT_THAT(most.summary["warnings"].dump(),
              ::testing::HasSubstr("5461 of 6144 intensities are marked as bad"));
}

TEST_F(BadPixels, AreOfAllChannelsAndOfVectorsToo) {
  std::vector<double> colours = intensities;
  colours.insert(colours.end(), intensities.begin(), intensities.end());
  for (std::size_t k = 0; k < colours.size(); ++k) {
    if (marks[k % marks.size()] != 0) colours[k] = -1;
  }
  const Array truth = read_npy(folder_ / "data" / "truth.npy");
  std::vector<double> twice;
  for (const double x : truth.values) twice.insert(twice.end(), {x, x});
  put("data/intensities.npy", {2, patterns, height, width}, colours);
  put("data/truth.npy", {height, width, 2}, twice);
  put("data/bad_pixels.npy", {height, width}, marks);
  EXPECT_LE(error(run("auto", "nonnegative")), 1e-5);

  const Matrix<std::complex<double>> rows = test::random_factor<std::complex<double>>(60, 8, 1);
  const Matrix<std::complex<double>> z = test::random_factor<std::complex<double>>(8, 1, 2);
  std::vector<double> y, bad(60);
  for (Index i = 0; i < 60; ++i) y.push_back(std::norm((rows.row(i) * z)(0)));
  for (const Index i : {3, 20, 41}) y[i] = -1, bad[i] = 1;
  write_npy(folder_ / "v.npy", to_array(rows));
  write_npy(folder_ / "z.npy", to_array(z));
  put("y.npy", {60}, y);
  put("bad.npy", {60}, bad);
  RunSettings own = settings("conjugate-gradients");
  own.truth = folder_ / "z.npy";
  const PhaseInput input{
      .data = folder_ / "y.npy", .vectors = folder_ / "v.npy", .bad_pixels = folder_ / "bad.npy"};
  EXPECT_LE(error(run_phase(input, own)), 1e-4);
}

TEST_F(BadPixels, FlagsOfGoodPixelsInCxiFilesMarkNothing) {
  put("data/bad_pixels.npy", {height, width}, marks);
  const std::vector<hsize_t> shape{height, width};
  {
    test::Hdf5File file(folder_ / "flags.h5");
    file.numbers("/bad_pixels", shape, std::vector<double>(height * width, 0x6800), H5T_STD_U32LE);
  }
  const PhaseInput input{.data = folder_ / "data", .bad_pixels = folder_ / "flags.h5"};
  EXPECT_FALSE(run_phase(input, settings("auto")).summary.contains("bad_pixels"));
}

TEST_F(BadPixels, MayDifferFromPatternToPatternAndComeFromHdf5) {
  std::vector<double> each(intensities.size());
  const RandomStream random(3, 9);
  for (std::size_t k = 0; k < each.size(); ++k) {
    each[k] = random.uniform(k) < 0.1 ? 1 : 0;
    if (each[k] != 0) intensities[k] = -1;
  }
  put("each.npy", {patterns, height, width}, each);
  put("data/intensities.npy", {patterns, height, width}, intensities);
  const PhaseInput input{.data = folder_ / "data", .bad_pixels = folder_ / "each.npy"};
  EXPECT_LE(error(run_phase(input, settings("auto"))), 1e-5);

  const Array masks = read_npy(folder_ / "data" / "masks.npy");
  {
    test::Hdf5File file(folder_ / "run.cxi");
    const std::vector<hsize_t> shape{patterns, height, width};
    file.numbers("/entry_1/instrument_1/detector_1/data", shape, intensities, H5T_IEEE_F64LE);
    file.numbers("/entry_1/instrument_1/detector_1/mask", shape, each, H5T_STD_U32LE);
    file.numbers("/masks", shape, masks.values, H5T_STD_U8LE);
    const Array table = read_npy(folder_ / "data" / "mask_values.npy");
    file.complex_numbers("/mask_values", {static_cast<hsize_t>(table.size())}, table.values);
  }
  RunSettings own = settings("auto");
  own.truth = folder_ / "data" / "truth.npy";
  EXPECT_LE(error(run_phase({.data = folder_ / "run.cxi"}, own)), 1e-5);
}

TEST_F(BadPixels, AreTurnedWithThePatterns) {
  spoil(-1);
  const auto centred = [&](std::vector<double> values) {
    std::vector<double> out(values.size());
    for (std::size_t k = 0; k < values.size(); ++k) {
      const Index at = static_cast<Index>(k), l = at / (height * width);
      const Index i = at / width % height, j = at % width;
      out[l * height * width + (i + height / 2) % height * width + (j + width / 2) % width] =
          values[k];
    }
    return out;
  };
  put("data/intensities.npy", {patterns, height, width}, centred(intensities));
  put("data/bad_pixels.npy", {height, width}, centred(marks));
  const PhaseInput input{.data = folder_ / "data", .centred = true};
  EXPECT_LE(error(run_phase(input, settings("auto"))), 1e-5);
}

TEST_F(BadPixels, ThatNobodyMarkedAreToldOf) {
  spoil(0);
  const std::string said = run("auto").summary["warnings"].dump();
  EXPECT_NE(said.find("40 pixels are 0 in every pattern, although the image predicts light there"),
            std::string::npos)
      << said;
}

TEST_F(BadPixels, PhotonsThatAreFewAreNotTakenForThem) {
  for (const double photons : {300.0, 3000.0}) {
    simulate({.image = "stars",
              .height = height,
              .width = width,
              .patterns = patterns,
              .photons = photons});
    const Json summary = run("auto").summary;
    const std::string said = summary.contains("warnings") ? summary["warnings"].dump() : "";
    EXPECT_EQ(said.find("0 in every pattern"), std::string::npos) << said;
  }
}

TEST_F(BadPixels, OfAnotherShapeAreRefused) {
  put("short.npy", {height, width - 1}, std::vector<double>(height * (width - 1)));
  EXPECT_NE(
      refusal({.data = folder_ / "data", .bad_pixels = folder_ / "short.npy"})
          .find("short.npy: found bad pixels of shape 32 x 23, expected 32 x 24 or 8 x 32 x 24"),
      std::string::npos);
  put("all.npy", {height, width}, std::vector<double>(height * width, 1));
  EXPECT_NE(refusal({.data = folder_ / "data", .bad_pixels = folder_ / "all.npy"})
                .find("all.npy: found every pixel marked as bad"),
            std::string::npos);
  spoil(-1);
  EXPECT_NE(refusal({.data = folder_ / "data"}).find("mark unmeasured pixels with --bad-pixels"),
            std::string::npos);
}

}  // namespace
}  // namespace projfgd
