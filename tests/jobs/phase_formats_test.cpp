// Kinds of files, shapes and places from which a phase retrieval job reads what is beside its data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>

#include "projfgd/core/error.hpp"
#include "projfgd/core/random.hpp"
#include "projfgd/io/files.hpp"
#include "support/hdf5_files.hpp"
#include "support/phase_job.hpp"

namespace projfgd {
namespace {

namespace fs = std::filesystem;
using test::Hdf5File;
using test::PhaseJob;
using ::testing::HasSubstr;

/// The array of signal.npy.
Array signal_of(const RunRecord& record) {
  for (const auto& [name, bytes] : record.files) {
    if (name == "signal.npy") return parse_npy(bytes, name);
  }
  throw InputError("signal.npy: found none, expected it");
}

TEST_F(PhaseJob, AnHdf5FileWithCodesAndTheirTableIsEnough) {
  const fs::path data = simulate({.height = 12, .width = 8, .patterns = 8});
  const Array y = read_npy(data / "intensities.npy"), codes = read_npy(data / "masks.npy"),
              table = read_npy(data / "mask_values.npy"), truth = read_npy(data / "truth.npy");
  {
    Hdf5File file(folder_ / "all.h5");
    file.numbers("/intensities", {8, 12, 8}, y.values, H5T_IEEE_F64LE);
    file.numbers("/masks", {8, 12, 8}, codes.values, H5T_STD_U8LE);
    file.complex_numbers("/mask_values", {table.values.size() / 2}, table.values);
    file.numbers("/truth", {12, 8}, truth.values, H5T_IEEE_F64LE);
  }
  RunSettings s = settings("auto", "nonnegative");
  s.truth = folder_ / "all.h5";
  const RunRecord record = run_phase({.data = folder_ / "all.h5"}, s);
  EXPECT_LE(error(record), 1e-5);
  EXPECT_EQ(record.summary["input"], Json::array({(folder_ / "all.h5").string()}));
  Hdf5File(folder_ / "table.h5")
      .complex_numbers("/mask_values", {table.values.size() / 2}, table.values);
  const RunRecord apart = run_phase({.data = data / "intensities.npy",
                                     .masks = data / "masks.npy",
                                     .mask_values = folder_ / "table.h5"},
                                    s);
  EXPECT_EQ(signal_of(apart).values, signal_of(record).values);
}

TEST_F(PhaseJob, SupportTruthAndStartMayBeHdf5) {
  const fs::path data = simulate({.height = 12, .width = 8, .patterns = 6});
  const Array truth = read_npy(data / "truth.npy");
  std::vector<signed char> lit;
  for (const double x : truth.values) lit.push_back(x != 0);
  Hdf5File(folder_ / "inside.h5").booleans("/mask/pixels", {12, 8}, lit);
  Hdf5File(folder_ / "truth.h5").numbers("/image", {12, 8}, truth.values, H5T_IEEE_F64LE);
  RunSettings s = settings("auto");
  s.truth = folder_ / "truth.h5";
  s.init = (folder_ / "truth.h5").string();
  s.options.max_iterations = 1;
  const RunRecord record = run_phase({.data = data, .support = folder_ / "inside.h5"}, s);
  EXPECT_LE(error(record), 1e-6);
  const Array found = signal_of(record);
  for (std::size_t k = 0; k < lit.size(); ++k) {
    if (lit[k] == 0) {
      EXPECT_EQ(found.values[2 * k], 0) << k;
    }
  }
}

TEST_F(PhaseJob, TheKindsOfFilesAreNamed) {
  const fs::path data = simulate({.height = 12, .width = 8, .patterns = 6});
  write_file(folder_ / "words.txt", "hello\n");
  EXPECT_THAT(refusal({.data = data, .support = folder_ / "words.txt"}),
              HasSubstr("words.txt: found text that begins with \"hello\", expected an NPY, HDF5 "
                        "or PNG file"));
  EXPECT_THAT(
      refusal({.data = data, .masks = data / "masks.npy", .mask_values = folder_ / "words.txt"}),
      HasSubstr("expected an NPY, HDF5 or CXI file"));
}

TEST_F(PhaseJob, OptionsOfMasksNeedMasks) {
  const fs::path data = simulate({.height = 12, .width = 8, .patterns = 6});
  const fs::path y = data / "intensities.npy", masks = data / "masks.npy",
                 table = data / "mask_values.npy";
  EXPECT_THAT(refusal({.data = y, .masks = masks, .mask_place = "/nope"}),
              HasSubstr("--mask-dataset: found " + masks.string() +
                        ", which has no datasets, expected an HDF5 file"));
  EXPECT_THAT(refusal({.data = y, .mask_place = "/nope"}),
              HasSubstr("--mask-dataset: found no masks, expected an HDF5 file"));
  EXPECT_THAT(refusal({.data = data, .mask_place = "/nope"}), HasSubstr("which has no datasets"));
  EXPECT_EQ(refusal({.data = y, .mask_values = table}),
            "--mask-values: found no masks, expected --masks with codes for this table");
}

TEST_F(PhaseJob, ASupportOfZerosIsNone) {
  const fs::path data = simulate({.height = 12, .width = 8, .patterns = 6});
  put("nowhere.npy", {12, 8}, std::vector<double>(96, 0.0));
  EXPECT_THAT(refusal({.data = data, .support = folder_ / "nowhere.npy"}),
              HasSubstr("nowhere.npy: found only zeros, expected a support with at least one "
                        "nonzero entry"));
}

TEST_F(PhaseJob, ASignalComesOutWithOneDimension) {
  const Index n = 24;
  const PhaseInput vectors = random_vectors(n, 240);
  const Array found = signal_of(run_phase(vectors, settings("auto")));
  EXPECT_EQ(found.shape, std::vector<Index>{n});
  // And goes in again.
  write_npy(folder_ / "signal.npy", found);
  RunSettings s = settings("auto");
  s.init = (folder_ / "signal.npy").string();
  EXPECT_EQ(signal_of(run_phase(vectors, s)).shape, std::vector<Index>{n});

  const fs::path data = simulate({.height = 1, .width = 60, .patterns = 8});
  EXPECT_EQ(signal_of(run_phase({.data = data}, settings("auto"))).shape,
            (std::vector<Index>{1, 60}));
  for (const char* name : {"intensities.npy", "masks.npy"}) {
    Array array = read_npy(data / name);
    array.shape = {8, 60};
    write_npy(data / name, array);
  }
  EXPECT_EQ(signal_of(run_phase({.data = data}, settings("auto"))).shape, std::vector<Index>{60});
}

TEST_F(PhaseJob, ComplexImagesAndSignalsAreSimulated) {
  const auto draw = [](Index entries) {
    std::vector<double> values;
    const RandomStream random(5, 5);
    for (Index k = 0; k < entries; ++k) values.push_back(3 * random.normal(k));
    return values;
  };
  struct Case {
    Array image;
    std::vector<Index> intensities;
  };
  for (const auto& [image, intensities] : std::vector<Case>{
           {{{12, 8}, true, draw(192)}, {12, 12, 8}},
           {{{12, 8, 2}, true, draw(384)}, {2, 12, 12, 8}},
           {{{60}, true, draw(120)}, {12, 60}},
           {{{60}, false, draw(60)}, {12, 60}},
       }) {
    write_npy(folder_ / "image.npy", image);
    const fs::path data = simulate({.image = (folder_ / "image.npy").string(), .patterns = 12});
    EXPECT_EQ(read_npy(data / "intensities.npy").shape, intensities);
    const Array truth = read_npy(data / "truth.npy");
    EXPECT_EQ(truth.shape, image.shape);
    EXPECT_EQ(truth.values, image.values);
    const RunRecord record = run_phase({.data = data}, settings("auto"));
    EXPECT_LE(error(record), 1e-5) << shape_text(image.shape);
    EXPECT_EQ(signal_of(record).shape, image.shape);
  }
  put("channels.npy", {3, 20, 24}, std::vector<double>(3 * 20 * 24, 1.0));
  EXPECT_THROWS_WITH(simulate({.image = (folder_ / "channels.npy").string()}), InputError,
                     "channels.npy: found shape 3 x 20 x 24, expected height x width,");
}

}  // namespace
}  // namespace projfgd
