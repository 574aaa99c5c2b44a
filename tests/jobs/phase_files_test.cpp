#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "projfgd/core/error.hpp"
#include "projfgd/core/random.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/io/png.hpp"
#include "projfgd/io/sha256.hpp"
#include "support/phase_job.hpp"

namespace projfgd {
namespace {

namespace fs = std::filesystem;
using test::OversampledScene;
using test::PhaseJob;

TEST_F(PhaseJob, ANumberInThePlaceOfPatternsIsRefused) {
  const fs::path data = simulate({.height = 8, .width = 8, .patterns = 2});
  write_npy(folder_ / "number.npy", {{}, false, {1}});
  for (const PhaseInput& input :
       {PhaseInput{.data = folder_ / "number.npy"},
        PhaseInput{.data = folder_ / "number.npy", .masks = data / "masks.npy"},
        PhaseInput{.data = folder_ / "number.npy", .vectors = folder_ / "number.npy"}}) {
    EXPECT_THROWS_WITH(run_phase(input, settings("auto")), InputError, "number.npy: found shape");
  }
}

TEST_F(PhaseJob, ColourIsThreeChannels) {
  const Image red = star_field(32, 24, 0.1, 1), blue = star_field(32, 24, 0.1, 2);
  Image colour{32, 24, 3, std::vector<double>(32 * 24 * 3, 0.0)};
  for (std::size_t k = 0; k < red.values.size(); ++k) {
    colour.values[3 * k] = red.values[k];
    colour.values[3 * k + 1] = 0.5 * red.values[k];
    colour.values[3 * k + 2] = blue.values[k];
  }
  write_file(folder_ / "colour.png", png_bytes(colour, 16));
  const fs::path data = simulate({.image = (folder_ / "colour.png").string(), .patterns = 6});
  const RunRecord record = run_phase({.data = data}, settings("auto", "nonnegative"));
  EXPECT_LE(error(record), 1e-5);
  EXPECT_EQ(record.summary.at("channels"), 3);
  for (const auto& [file, bytes] : record.files) {
    if (file != "image.png") continue;
    const Image found = parse_png(bytes, file);
    ASSERT_EQ(found.channels, 3);
    const double top = *std::max_element(colour.values.begin(), colour.values.end());
    for (std::size_t k = 0; k < found.values.size(); ++k) {
      ASSERT_NEAR(found.values[k] * top, colour.values[k], 1e-4);
    }
  }
}

TEST_F(PhaseJob, AColourThatTheImageDoesNotHaveStaysDark) {
  const Image red = star_field(24, 16, 0.1, 1);
  Image colour{24, 16, 3, std::vector<double>(24 * 16 * 3, 0.0)};
  for (std::size_t k = 0; k < red.values.size(); ++k) colour.values[3 * k] = red.values[k];
  write_file(folder_ / "red.png", png_bytes(colour, 16));
  const fs::path data = simulate({.image = (folder_ / "red.png").string(), .patterns = 6});
  const RunRecord record = run_phase({.data = data}, settings("auto", "nonnegative"));
  EXPECT_EQ(record.status, Status::converged);
  EXPECT_LE(error(record), 1e-5);
  EXPECT_FALSE(record.summary.contains("warnings"));
}

TEST_F(PhaseJob, ColoursAreOneRunOfThreeColumns) {
  const Image red = star_field(24, 16, 0.1, 1), blue = star_field(24, 16, 0.1, 2);
  Image colour{24, 16, 3, std::vector<double>(24 * 16 * 3, 0.0)};  // no green
  for (std::size_t k = 0; k < red.values.size(); ++k) {
    colour.values[3 * k] = red.values[k];
    colour.values[3 * k + 2] = 0.25 * blue.values[k];
  }
  write_file(folder_ / "colour.png", png_bytes(colour, 16));
  const fs::path data = simulate({.image = (folder_ / "colour.png").string(), .patterns = 6});
  RunSettings s = settings("wirtinger-flow");
  s.options.max_iterations = 5;
  const RunRecord together = run_phase({.data = data}, s);
  // The same channels, one file each.
  const Array y = read_npy(data / "intensities.npy");
  const std::size_t each = y.values.size() / 3;
  double objective = 0;
  for (const std::size_t c : {0u, 2u}) {
    const auto first = y.values.begin() + static_cast<std::ptrdiff_t>(c * each);
    put("one.npy", {6, 24, 16}, {first, first + static_cast<std::ptrdiff_t>(each)});
    const PhaseInput one{.data = folder_ / "one.npy",
                         .masks = data / "masks.npy",
                         .mask_values = data / "mask_values.npy"};
    objective += run_phase(one, s).summary["objective"].get<double>();
  }
  EXPECT_EQ(together.status, Status::iteration_limit);
  EXPECT_EQ(together.summary["iterations"], 5);
  EXPECT_DOUBLE_EQ(together.summary["objective"].get<double>(), objective);
  ASSERT_EQ(together.trace.size(), 6u);
  EXPECT_DOUBLE_EQ(together.trace.back().objective, objective);
  EXPECT_NEAR(together.trace.back().relative_error, error(together), 1e-12);
  // What it found is a start for another run, each channel with its own.
  write_npy(folder_ / "found.npy", together.factor);
  s.init = (folder_ / "found.npy").string();
  s.options.max_iterations = 0;
  EXPECT_NEAR(error(run_phase({.data = data}, s)), error(together), 1e-12);
}

TEST_F(PhaseJob, TheStartIsInputTooAndTheTruthIsNot) {
  const fs::path data = simulate({.height = 12, .width = 8, .patterns = 4});
  RunSettings s = settings("auto");
  s.init = (data / "truth.npy").string();
  s.truth = data / "truth.png";
  const RunRecord record = run_phase({.data = data}, s);
  std::string all;
  Json names = Json::array();
  for (const char* name : {"intensities.npy", "masks.npy", "mask_values.npy", "truth.npy"}) {
    names.push_back((data / name).string());
    all += read_file(data / name);
  }
  EXPECT_EQ(record.summary["input"], names);
  EXPECT_EQ(record.summary["input_sha256"], sha256(all));
}

TEST_F(PhaseJob, ATruthOfZerosIsRefused) {
  const fs::path data = simulate({.height = 12, .width = 8, .patterns = 4});
  put("dark.npy", {12, 8}, std::vector<double>(96, 0.0));
  RunSettings s = settings("auto");
  s.truth = folder_ / "dark.npy";
  try {
    run_phase({.data = data}, s);
    FAIL() << "there is no error relative to nothing";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("dark.npy: found only zeros"));
  }
}

TEST_F(PhaseJob, OwnVectorsAndSignals) {
  const PhaseInput vectors = random_vectors(24, 240);
  RunSettings s = settings("auto");
  s.truth = folder_ / "x.npy";
  const RunRecord record = run_phase(vectors, s);
  EXPECT_LE(error(record), 1e-5);
}

TEST_F(PhaseJob, MasksOfSetsAreInputToo) {
  const OversampledScene scene(folder_.path());
  RunSettings s = settings("auto", "support:" + (folder_ / "image.npy").string());
  s.options.max_iterations = 1;
  const RunRecord record =
      run_phase({.data = folder_ / "y.npy", .support = folder_ / "inside.npy"}, s);
  std::string all;
  Json names = Json::array();
  for (const char* name : {"y.npy", "image.npy", "inside.npy"}) {
    names.push_back((folder_ / name).string());
    all += read_file(folder_ / name);
  }
  EXPECT_EQ(record.summary["input"], names);
  EXPECT_EQ(record.summary["input_sha256"], sha256(all));
}

TEST_F(PhaseJob, TheReportShowsResultTruthErrorAndStart) {
  const fs::path data = simulate({.patterns = 6});
  const auto titles = [&](const PhaseInput& input) {
    const RunRecord record = run_phase(input, settings("auto", "nonnegative"));
    Report report;
    record.report(report);
    std::vector<std::string> found;
    for (const Block& block : report.sections.at(0).blocks) {
      const auto* picture = std::get_if<Picture>(&block);
      found.push_back(picture != nullptr ? picture->title : std::get<Chart>(block).title);
      if (picture == nullptr) continue;
      const Image image = parse_png(picture->png, picture->title);
      EXPECT_EQ(image.height, 64);
      EXPECT_EQ(image.width, 48);
      EXPECT_EQ(*std::max_element(image.values.begin(), image.values.end()), 1) << found.back();
    }
    return found;
  };
  using ::testing::ElementsAre;
  EXPECT_THAT(titles({.data = data}), ElementsAre("Result", "Truth", "Error"));
  fs::remove(data / "truth.npy");
  EXPECT_THAT(titles({.data = data}), ElementsAre("Result"));
  simulate({.height = 1, .width = 60, .patterns = 6});
  EXPECT_THAT(titles({.data = data}), ElementsAre("Modulus"));
}

TEST_F(PhaseJob, RefusesBadDataInASentenceThatNamesTheFile) {
  using ::testing::HasSubstr;
  put("y.npy", {2, 3, 2}, std::vector<double>(12, 1.0));
  put("masks.npy", {2, 2, 3}, std::vector<double>(12, 1.0));
  const fs::path y = folder_ / "y.npy";
  EXPECT_THAT(refusal({.data = y, .masks = folder_ / "masks.npy"}),
              HasSubstr("found masks of shape 2 x 2 x 3, expected 2 x 3 x 2"));
  std::vector<double> values(12, 1.0);
  values[5] = -1;
  put("y.npy", {2, 3, 2}, values);
  EXPECT_THAT(refusal({.data = y}), HasSubstr("entry [0, 2, 1] is -1"));
  values[5] = std::nan("");
  put("y.npy", {2, 3, 2}, values);
  EXPECT_THAT(refusal({.data = y}), HasSubstr("y.npy"));
  put("y.npy", {2, 0, 2}, {});
  EXPECT_THAT(refusal({.data = y}), HasSubstr("2 x 0 x 2"));
  put("y.npy", {2, 3, 2}, std::vector<double>(12, 0.0));
  EXPECT_THAT(refusal({.data = y}), HasSubstr("y.npy: found no intensity above 0"));
  EXPECT_THROW(run_phase({.data = folder_ / "missing.npy"}, settings("auto")), FileError);
  EXPECT_THROW(run_phase({.data = y}, settings("nonsense")), InputError);
  CdpSimulation huge{.height = 1 << 20, .width = 1 << 20};
  EXPECT_THROW(simulate_cdp(huge, folder_.path()), ResourceError);
  EXPECT_THROW(simulate_cdp(CdpSimulation{}, folder_.path()), InputError);  // no size
}

TEST_F(PhaseJob, ASupportHasTheShapeOfTheImage) {
  const fs::path data = simulate({.patterns = 4});
  put("turned.npy", {48, 64}, std::vector<double>(48 * 64, 1));
  for (const bool constraint : {false, true}) {
    RunSettings s =
        settings("auto", constraint ? "support:" + (folder_ / "turned.npy").string() : "");
    PhaseInput input{.data = data};
    if (!constraint) input.support = folder_ / "turned.npy";
    EXPECT_THROWS_WITH(run_phase(input, s), InputError,
                       "found shape 48 x 64, expected 64 x 48 like");
  }
}

TEST_F(PhaseJob, OptionsThatNothingWouldReadAreRefused) {
  const fs::path data = simulate({.patterns = 4});
  fs::remove(data / "truth.npy");
  const auto with = [&](auto change) {
    PhaseInput input{.data = data};
    change(input);
    return refusal(input);
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(with([](PhaseInput& i) { i.target_error = 1e-3; }), HasSubstr("found no truth"));
  EXPECT_THAT(with([](PhaseInput& i) { i.data_place = "/a"; }), HasSubstr("--dataset: found"));
  EXPECT_THAT(with([&](PhaseInput& i) {
                i.masks = data / "masks.npy";
                i.vectors = data / "masks.npy";
              }),
              HasSubstr("--vectors: found masks beside vectors"));
}

}  // namespace
}  // namespace projfgd
