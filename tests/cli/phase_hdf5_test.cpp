#include <algorithm>
#include <cmath>
#include <set>

#include "projfgd/io/files.hpp"
#include "support/hdf5_files.hpp"
#include "support/phase_program.hpp"

namespace projfgd {
namespace {

namespace fs = std::filesystem;
using test::Hdf5File;
using test::Layout;
using test::PhaseProgram;
using test::stars;

/// A small problem with a known answer for the HDF5 tests: intensities, masks and truth.
class PhaseHdf5 : public PhaseProgram {
 protected:
  PhaseHdf5() {
    expect_success(stars + "d --patterns 10 --masks gaussian");
    y = read_npy(at("d/intensities.npy")).values;
    masks = read_npy(at("d/masks.npy")).values;
  }
  void expect_image(const std::string& arguments) const {
    expect_success("projfgd phase " + arguments + " --truth d/truth.npy --quiet --out r");
    EXPECT_LE(error("r"), 1e-5) << arguments;
    const auto files = summary("r")["input"].get<std::vector<std::string>>();
    EXPECT_EQ(std::set<std::string>(files.begin(), files.end()).size(), files.size())
        << "a file twice";
    fs::remove_all(at("r"));
  }
  const std::vector<hsize_t> shape{10, 24, 16};
  std::vector<double> y, masks;
};

TEST_F(PhaseHdf5, CxiFilesAreReadAtTheirUsualPlaces) {
  {  // As CXI writers do: the detector owns the data and entry_1/data_1 links to them.
    Hdf5File file(at("run.cxi"));
    file.numbers("/cxi_version", {1}, {160}, H5T_STD_I32LE);
    file.numbers("/entry_1/instrument_1/detector_1/data", shape, y, H5T_IEEE_F64LE, Layout::packed);
    file.soft_link("/entry_1/instrument_1/detector_1/data", "/entry_1/data_1/data");
    file.text("/entry_1/start_time", "2026-01-01T00:00:00");
  }
  expect_image("run.cxi --masks d/masks.npy");
  {  // The masks of the same file: /masks, or named.
    Hdf5File file(at("all.h5"));
    file.numbers("/intensities", shape, y, H5T_IEEE_F64BE);
    file.complex_numbers("/masks", shape, masks);
    file.complex_numbers("/other/illumination", shape, masks);
  }
  expect_image("all.h5");
  expect_image("all.h5 --dataset intensities --mask-dataset other/illumination");
  expect_image("d/intensities.npy --masks all.h5");
  expect_image("run.cxi --masks all.h5 --mask-dataset /masks");
}

TEST_F(PhaseHdf5, CountsAsIntegersAndPatternsWithTheirZeroInTheMiddle) {
  const double largest = *std::max_element(y.begin(), y.end());
  std::vector<double> counts, centred(y.size());
  for (std::size_t k = 0; k < y.size(); ++k) {
    counts.push_back(std::round(y[k] / largest * 4e9));
    const std::size_t l = k / 384, i = k / 16 % 24, j = k % 16;
    centred[l * 384 + (i + 12) % 24 * 16 + (j + 8) % 16] = y[k];
  }
  Hdf5File(at("counts.h5")).numbers("/entry/data/data", shape, counts, H5T_STD_U32LE);
  expect_success("projfgd phase counts.h5 --masks d/masks.npy --quiet --out r");
  const Array truth = read_npy(at("d/truth.npy")), found = read_npy(at("r/signal.npy"));
  const double unit = std::sqrt(4e9 / largest);
  for (std::size_t k = 0; k < truth.values.size(); ++k) {
    EXPECT_NEAR(found.values[2 * k], unit * truth.values[k], 1e-3 * unit);
  }
  fs::remove_all(at("r"));
  Hdf5File(at("middle.h5")).numbers("/data", shape, centred, H5T_IEEE_F64LE);
  expect_image("middle.h5 --dataset /data --centred --masks d/masks.npy");
}

TEST_F(PhaseHdf5, ErrorsSayWhatTheFileHas) {
  {
    Hdf5File file(at("other.h5"));
    file.numbers("/scan/frames", shape, y, H5T_IEEE_F64LE);
    file.text("/scan/title", "stars");
  }
  expect_error("projfgd phase other.h5", 2,
               "other.h5: found /scan/frames (10 x 24 x 16), /scan/title (1), expected one of "
               "/entry_1/data_1/data");
  expect_error("projfgd phase other.h5 --dataset /scan/frame", 2, "expected /scan/frame");
  expect_error("projfgd phase other.h5 --dataset /scan/title", 2, "expected an array of numbers");
  expect_error("projfgd phase other.h5 --dataset /scan", 2, "expected /scan");
  expect_error("projfgd phase other.h5 --dataset /scan/frames --mask-dataset /masks", 2,
               "expected /masks");
  expect_error("projfgd phase d/intensities.npy --masks other.h5", 2, "/scan/frames");
  folder.file("cut.h5", read_file(at("other.h5")).substr(0, 700));
  expect_error(
      "projfgd phase cut.h5 --dataset /scan/frames", 2,
      "cut.h5: found an incomplete HDF5 file, expected a complete one (was it truncated?)");
  const std::string whole = read_file(at("other.h5"));
  for (const double part : {0.2, 0.5, 0.9, 0.999}) {
    folder.file(
        "part.h5",
        whole.substr(0, static_cast<std::size_t>(part * static_cast<double>(whole.size()))));
    expect_error("projfgd phase part.h5 --dataset /scan/frames", 2, "part.h5: found an incomplete");
  }
  std::vector<double> wrong = y;
  wrong[3] = std::nan("");
  Hdf5File(at("nan.h5")).numbers("/intensities", shape, wrong, H5T_IEEE_F64LE);
  expect_error("projfgd phase nan.h5", 2, "nan.h5: entry [0, 0, 3] is nan");
  Hdf5File(at("empty.h5")).numbers("/intensities", {6, 0, 16}, {}, H5T_IEEE_F64LE);
  expect_error("projfgd phase empty.h5", 2, "empty.h5: found shape 6 x 0 x 16");
}

}  // namespace
}  // namespace projfgd
