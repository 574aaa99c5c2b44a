#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/phase_job.hpp"

namespace projfgd {
namespace {

namespace fs = std::filesystem;
using test::OversampledScene;
using test::PhaseJob;

TEST_F(PhaseJob, AnAnswerThatDoesNotFitIsCalledSo) {
  const fs::path data = simulate({.patterns = 1});  // half of what any method needs
  RunSettings s = settings("auto");
  s.options.max_iterations = 50;
  const RunRecord fits = run_phase({.data = data}, s);
  EXPECT_LT(fits.summary.at("misfit").get<double>(), 1e-3);  // one pattern is fitted by anything
  EXPECT_FALSE(fits.summary["fits_data"].get<bool>());       // and says nothing of the image
  simulate({.patterns = 3});
  s.options.max_iterations = 5;
  const RunRecord record = run_phase({.data = data}, s);
  EXPECT_GT(record.summary.at("misfit").get<double>(), 0.15);
  EXPECT_TRUE(record.summary.contains("warnings"));
}

TEST_F(PhaseJob, WarnsOfMasksAndSupportsThatMayBeMissing) {
  using ::testing::HasSubstr;
  const auto warnings = [&](const PhaseInput& input, const char* set = "") {
    RunSettings s = settings("auto", set);
    s.options.max_iterations = 30;
    const RunRecord record = run_phase(input, s);
    return record.summary.value("warnings", Json::array()).dump();
  };
  const fs::path data = simulate({.patterns = 4}), y = data / "intensities.npy";
  EXPECT_THAT(warnings({.data = y}), HasSubstr("the likely cause is missing --masks"));
  EXPECT_THAT(warnings({.data = y, .masks = data / "masks.npy"}),
              HasSubstr("give their table with --mask-values"));
  EXPECT_EQ(warnings({.data = data}, "nonnegative"), "[]");
  const OversampledScene scene(folder_.path());
  const PhaseInput one{.data = folder_ / "y.npy"};
  EXPECT_THAT(warnings(one), HasSubstr("one pattern without masks"));
  EXPECT_THAT(warnings(one, "nonnegative"), HasSubstr("--support around the image"));
  const PhaseInput held{.data = folder_ / "y.npy", .support = folder_ / "inside.npy"};
  EXPECT_THAT(warnings(held, "nonnegative"), Not(HasSubstr("one pattern")));
}

TEST_F(PhaseJob, SaysWhenTheAnswerIsATwinOrShifted) {
  using ::testing::HasSubstr;
  const OversampledScene scene(folder_.path());
  const Array image = read_npy(folder_ / "image.npy");
  constexpr Index side = 32;
  const auto line_of = [&](const auto& place) {
    Array other = image;
    for (Index i = 0; i < side; ++i) {
      for (Index j = 0; j < side; ++j) {
        other.values[static_cast<std::size_t>(place(i, j))] =
            image.values[static_cast<std::size_t>(i * side + j)];
      }
    }
    write_npy(folder_ / "other.npy", other);
    RunSettings s = settings("hio", "nonnegative");
    s.init = (folder_ / "image.npy").string();  // the answer, to which the truth is compared
    s.truth = folder_ / "other.npy";
    s.options.max_iterations = 3;
    const RunRecord record =
        run_phase({.data = folder_ / "y.npy", .support = folder_ / "inside.npy"}, s);
    if (record.summary.contains("relative_error_modulo_symmetry")) {
      EXPECT_LE(record.summary["relative_error_modulo_symmetry"].get<double>(), 1e-3);
      EXPECT_GT(error(record), 0.1);  // it stays what it was: modulo a global phase alone
    }
    return record.summary.value("warnings", Json::array()).dump();
  };
  EXPECT_EQ(line_of([](Index i, Index j) { return i * side + j; }), "[]");
  // The truth lies two rows up and one column to the left of the answer, round the corner.
  EXPECT_THAT(line_of([](Index i, Index j) {
                return (i + side - 2) % side * side + (j + side - 1) % side;
              }),
              HasSubstr("the truth shifted by 2 rows and 1 columns"));
  EXPECT_THAT(line_of([](Index i, Index j) { return (side - 1 - i) * side + side - 1 - j; }),
              HasSubstr("the twin of the truth"));
}

TEST_F(PhaseJob, SaysWhatTheDataLeaveOpen) {
  using ::testing::HasSubstr;
  const auto warnings = [&](const PhaseInput& input, const char* set) {
    const RunRecord record = run_phase(input, settings("auto", set));
    return record.summary.value("warnings", Json::array()).dump();
  };
  const fs::path data = simulate({.height = 12, .width = 8, .patterns = 1});
  EXPECT_THAT(warnings({.data = data}, ""),
              HasSubstr("96 intensities do not determine 192 real unknowns (96 complex pixels)"));
  EXPECT_THAT(warnings({.data = data}, "nonnegative"),
              HasSubstr("96 intensities may not determine 96 real unknowns (96 real pixels)"));
  simulate({.height = 12, .width = 8, .patterns = 2});
  EXPECT_THAT(warnings({.data = data}, ""), HasSubstr("192 intensities may not determine"));
  EXPECT_THAT(warnings({.data = data}, "nonnegative"), Not(HasSubstr("determine")));
  EXPECT_THAT(warnings({.data = data}, "l1-ball"),
              HasSubstr("192 intensities may not determine 96 complex pixels"));
  // Three stencils that leave the first column of a 4 x 4 image dark.
  std::vector<double> stencils;
  for (Index k = 0; k < 48; ++k) stencils.push_back(k % 4 == 0 ? 0 : k % 3 == 0 ? 0.5 : 1);
  put("stencils.npy", {3, 4, 4}, stencils);
  put("y.npy", {3, 4, 4}, std::vector<double>(48, 1.0));
  put("right.npy", {4, 4}, {0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1});
  PhaseInput input{.data = folder_ / "y.npy", .masks = folder_ / "stencils.npy"};
  EXPECT_THAT(warnings(input, ""), HasSubstr("4 of 16 pixels are dark in every mask"));
  input.support = folder_ / "right.npy";
  EXPECT_THAT(warnings(input, ""), Not(HasSubstr("dark in every mask")));
  put("nowhere.npy", {4, 4}, std::vector<double>(16, 0.0));
  input.support = folder_ / "nowhere.npy";
  EXPECT_THAT(refusal(input), HasSubstr("nowhere.npy: found only zeros"));
}

// A misfit of a fifth may be noise, or masks of other data, whose errors grow with the amplitude.
TEST_F(PhaseJob, NoiseIsToldFromMasksOfOtherData) {
  for (const char* set : {"", "nonnegative"}) {
    const fs::path data = simulate({.image = "phantom", .patterns = 6, .snr = 15});
    const RunRecord noisy = run_phase({.data = data}, settings("auto", set));
    EXPECT_GT(noisy.summary["misfit"].get<double>(), 0.15);
    EXPECT_EQ(noisy.summary["fits_data"], true);
    EXPECT_FALSE(noisy.summary.contains("warnings")) << noisy.summary["warnings"];
    EXPECT_THAT(noisy.summary["noise"].get<std::string>(),
                ::testing::HasSubstr("%, consistent with noise or an unmodelled background"));
    EXPECT_THAT(noisy.summary["message"].get<std::string>(),
                ::testing::EndsWith(noisy.summary["noise"].get<std::string>()));
    EXPECT_THAT(
        report_html(noisy),
        ::testing::ContainsRegex("Relative amplitude residual [0-9]+%, consistent with noise"));
    fs::rename(data / "intensities.npy", folder_ / "y.npy");
    simulate({.image = "phantom", .patterns = 6, .seed = 9});
    const RunRecord wrong = run_phase({.data = folder_ / "y.npy",
                                       .masks = data / "masks.npy",
                                       .mask_values = data / "mask_values.npy"},
                                      settings("auto", set));
    EXPECT_EQ(wrong.summary["fits_data"], false);
  }
}

TEST_F(PhaseJob, NoiseIsToldFromASetThatDoesNotHoldTheImage) {
  const RandomStream random(3, 3);
  Array image{{16, 12}, true, std::vector<double>(2 * 16 * 12)};
  for (std::size_t k = 0; k < image.values.size(); ++k) image.values[k] = random.normal(k);
  write_npy(folder_ / "image.npy", image);
  const fs::path data = simulate({.image = (folder_ / "image.npy").string(), .patterns = 6});
  EXPECT_EQ(run_phase({.data = data}, settings("auto")).summary["fits_data"], true);
  const Json summary = run_phase({.data = data}, settings("auto", "real")).summary;
  EXPECT_EQ(summary["fits_data"], false);
  EXPECT_THAT(summary["warnings"].dump(), ::testing::HasSubstr("an image that is not real"));
}

TEST_F(PhaseJob, MasksThatTellNothingNewDoNotCount) {
  const fs::path data = simulate({.height = 12, .width = 8, .patterns = 5, .masks = "gaussian"});
  Array masks = read_npy(data / "masks.npy"), y = read_npy(data / "intensities.npy");
  const std::size_t n = 96;
  for (std::size_t k = 1; k < 4; ++k) {  // the first again and again, and a dark one
    std::copy_n(masks.values.begin(), 2 * n, masks.values.begin() + 2 * n * k);
    std::copy_n(y.values.begin(), n, y.values.begin() + n * k);
  }
  std::fill(masks.values.end() - 2 * n, masks.values.end(), 0.0);
  std::fill(y.values.end() - n, y.values.end(), 0.0);
  write_npy(folder_ / "masks.npy", masks);
  write_npy(folder_ / "y.npy", y);
  const PhaseInput input{.data = folder_ / "y.npy", .masks = folder_ / "masks.npy"};
  EXPECT_THAT(run_phase(input, settings("auto")).summary["warnings"].dump(),
              ::testing::HasSubstr("96 intensities do not determine 192 real unknowns"));
}

TEST_F(PhaseJob, SaysWhenTheTruthHasAnotherUnit) {
  const fs::path data = simulate({.patterns = 6});
  Array truth = read_npy(data / "truth.npy");
  RunSettings s = settings("auto");
  for (double& value : truth.values) value *= 5;
  write_npy(folder_ / "truth.npy", truth);
  s.truth = folder_ / "truth.npy";
  EXPECT_THAT(run_phase({.data = data}, s).summary["warnings"].dump(),
              ::testing::HasSubstr("different units: multiplied by 5, "));
}

TEST_F(PhaseJob, SaysWhenTheConjugateOfTheAnswerIsTheTruth) {
  const Index n = 16, m = 160;
  Matrix<std::complex<double>> a(m, n), x(n, 1);
  fill_normal(RandomStream(1, 1), a);
  fill_normal(RandomStream(1, 2), x);
  const Vector<double> y = (a * x).cwiseAbs2();
  write_npy(folder_ / "y.npy", {{m}, false, {y.begin(), y.end()}});
  write_npy(folder_ / "truth.npy", to_array(x));
  RunSettings s = settings("auto");
  s.truth = folder_ / "truth.npy";
  const auto warnings = [&](const Matrix<std::complex<double>>& vectors) {
    write_npy(folder_ / "a.npy", to_array(vectors));
    const RunRecord record =
        run_phase({.data = folder_ / "y.npy", .vectors = folder_ / "a.npy"}, s);
    return record.summary.value("warnings", Json::array()).dump();
  };
  EXPECT_EQ(warnings(a), "[]");
  EXPECT_THAT(
      warnings(a.conjugate()),
      ::testing::ContainsRegex("the complex conjugate of the image has a relative error of .*e-"));
}

// Data that were read in the wrong way are told by one that fits, before long work.
TEST_F(PhaseJob, AnotherReadingThatFitsIsNamed) {
  using ::testing::HasSubstr;
  const fs::path data = simulate({.image = "phantom", .height = 32, .width = 24, .patterns = 6});
  const Array y = read_npy(data / "intensities.npy");
  const auto warnings = [&](const Array& values, bool centred) {
    write_npy(folder_ / "y.npy", values);
    const Json summary = run_phase({.data = folder_ / "y.npy",
                                    .masks = data / "masks.npy",
                                    .mask_values = data / "mask_values.npy",
                                    .centred = centred},
                                   settings("auto", "nonnegative"))
                             .summary;
    EXPECT_EQ(summary["fits_data"], false);
    return summary["warnings"].dump();
  };
  Array roots = y;
  for (double& value : roots.values) value = std::sqrt(value);
  EXPECT_THAT(warnings(roots, false), HasSubstr("--amplitudes"));
  const Json squared = run_phase({.data = folder_ / "y.npy",
                                  .masks = data / "masks.npy",
                                  .mask_values = data / "mask_values.npy",
                                  .amplitudes = true},
                                 settings("auto", "nonnegative"))
                           .summary;
  EXPECT_EQ(squared["fits_data"], true);
  EXPECT_THAT(warnings(y, true), HasSubstr("leave out --centred"));
  Array mirrored = y;  // what conjugated masks would have measured of a real image
  for (Index l = 0; l < 6; ++l) {
    for (Index i = 0; i < 32; ++i) {
      for (Index j = 0; j < 24; ++j) {
        mirrored.values[static_cast<std::size_t>((l * 32 + i) * 24 + j)] =
            y.values[static_cast<std::size_t>((l * 32 + (32 - i) % 32) * 24 + (24 - j) % 24)];
      }
    }
  }
  EXPECT_THAT(warnings(mirrored, false), HasSubstr("use --conjugate-masks"));
  const Json summary = run_phase({.data = folder_ / "y.npy",
                                  .masks = data / "masks.npy",
                                  .mask_values = data / "mask_values.npy",
                                  .conjugate_masks = true},
                                 settings("auto", "nonnegative"))
                           .summary;
  EXPECT_EQ(summary["fits_data"], true);
  EXPECT_EQ(summary["conjugated_masks"], true);
}

TEST_F(PhaseJob, OnlyMasksCanBeConjugated) {
  write_npy(folder_ / "y.npy", {{8, 8}, false, std::vector<double>(64, 1.0)});
  EXPECT_THROW(run_phase({.data = folder_ / "y.npy", .conjugate_masks = true}, settings("auto")),
               InputError);
}

TEST_F(PhaseJob, AmplitudesAreNotTakenForIntensitiesWithoutAWord) {
  using ::testing::HasSubstr;
  // With few patterns they are fitted well enough not to be called noise.
  const fs::path data = simulate({.image = "phantom", .height = 32, .width = 24, .patterns = 4});
  const auto warnings = [&] {
    const RunRecord record = run_phase({.data = data}, settings("auto"));
    const std::string lines = record.summary.value("warnings", Json::array()).dump();
    EXPECT_EQ(record.summary["fits_data"].get<bool>(), lines == "[]");
    return lines;
  };
  EXPECT_EQ(warnings(), "[]");
  Array y = read_npy(data / "intensities.npy");
  const std::vector<double> right = y.values;
  for (double& value : y.values) value = std::sqrt(value);
  write_npy(data / "intensities.npy", y);
  EXPECT_THAT(warnings(), HasSubstr("the data are amplitudes, not intensities: use --amplitudes"));
  EXPECT_THAT(warnings(), ::testing::Not(HasSubstr("vary like amplitudes")));  // said already
  // Noise of a fifth leaves much unexplained, and is no reason to doubt what was measured.
  for (std::size_t k = 0; k < right.size(); ++k) y.values[k] = right[k] * (k % 2 == 0 ? 1.2 : 0.8);
  write_npy(data / "intensities.npy", y);
  EXPECT_THAT(warnings(), ::testing::Not(HasSubstr("vary like amplitudes")));
}

}  // namespace
}  // namespace projfgd
