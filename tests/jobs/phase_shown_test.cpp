#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "projfgd/io/png.hpp"
#include "projfgd/io/report.hpp"
#include "support/phase_job.hpp"

namespace projfgd {
namespace {

namespace fs = std::filesystem;
using test::OversampledScene;
using test::PhaseJob;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string warnings_of(const RunRecord& record) {
  return record.summary.value("warnings", Json::array()).dump();
}

std::string file_of(const RunRecord& record, const std::string& name) {
  const auto found = std::ranges::find(record.files, name, [](const auto& f) { return f.first; });
  return found == record.files.end() ? "" : found->second;
}

TEST_F(PhaseJob, TheSignOfARealImageIsShown) {
  const RandomStream random(8, 8);
  Array image{{16, 12}, true, std::vector<double>(2 * 16 * 12)};
  for (std::size_t k = 0; k < 16 * 12; ++k) {
    image.values[2 * k] = (k % 3 == 0 ? -1 : 1) * (0.2 + random.uniform(k));
  }
  write_npy(folder_ / "image.npy", image);
  const fs::path data = simulate({.image = (folder_ / "image.npy").string(), .patterns = 8});
  const RunRecord record = run_phase({.data = data}, settings("auto", "real"));
  ASSERT_LE(error(record), 1e-4);
  const Image phases = parse_png(file_of(record, "phase.png"), "phase.png");
  for (std::size_t k = 0; k < 16 * 12; ++k) {
    ASSERT_NEAR(phases.values[k], k % 3 == 0 ? 1 : 0.5, 1e-3) << k;
  }
  Report report;
  record.report(report);
  EXPECT_THAT(render(report), AllOf(HasSubstr("Phase of the result"), HasSubstr("Patterns"),
                                    HasSubstr("Phase of the truth")));
  simulate({.patterns = 8});
  const RunRecord stars = run_phase({.data = data}, settings("auto"));
  EXPECT_EQ(file_of(stars, "phase.png"), "");
  Report plain;
  stars.report(plain);
  EXPECT_THAT(render(plain), Not(HasSubstr("Phase of the result")));
}

TEST_F(PhaseJob, CentredPatternsThatAreNotCalledSoAreSeen) {
  for (const Index width : {24, 25}) {
    const fs::path data =
        simulate({.image = "phantom", .height = 32, .width = width, .patterns = 6});
    EXPECT_EQ(warnings_of(run_phase({.data = data}, settings("auto"))), "[]");
    Array y = read_npy(data / "intensities.npy");
    const auto row = static_cast<std::size_t>(width), size = 32 * row;
    for (auto at = y.values.begin(); at != y.values.end(); at += size) {
      std::rotate(at, at + 16 * row, at + size);
      for (auto line = at; line != at + size; line += row) {
        std::rotate(line, line + (row + 1) / 2, line + row);
      }
    }
    write_npy(data / "intensities.npy", y);
    EXPECT_THAT(warnings_of(run_phase({.data = data}, settings("auto"))),
                HasSubstr("--centred may be missing"));
    EXPECT_EQ(warnings_of(run_phase({.data = data, .centred = true}, settings("auto"))), "[]");
  }
}

TEST_F(PhaseJob, ExposuresAndSwappedMasksAreToldApart) {
  const fs::path data = simulate(
      {.image = "phantom", .height = 32, .width = 24, .patterns = 12, .masks = "gaussian"});
  const Array right = read_npy(data / "intensities.npy"), masks = read_npy(data / "masks.npy");
  Array y = right;
  const std::size_t n = 32 * 24;
  for (std::size_t k = 7 * n; k < 8 * n; ++k) y.values[k] *= 4;
  write_npy(data / "intensities.npy", y);
  const RunRecord brighter = run_phase({.data = data}, settings("auto"));
  EXPECT_EQ(brighter.summary["fits_data"], false);
  EXPECT_THAT(warnings_of(brighter),
              HasSubstr("different exposures explain most of it: counting from 0, pattern 7 ("));
  write_npy(data / "intensities.npy", right);
  Array swapped = masks;
  std::swap_ranges(swapped.values.begin() + 6 * n, swapped.values.begin() + 8 * n,
                   swapped.values.begin() + 8 * n);
  write_npy(data / "masks.npy", swapped);
  const RunRecord wrong = run_phase({.data = data}, settings("auto"));
  EXPECT_THAT(warnings_of(wrong), HasSubstr("masks or data of patterns 3 and 4 (counted from 0)"));
  const Json misfits = wrong.summary.at("pattern_misfits");
  ASSERT_EQ(misfits.size(), 12u);
  EXPECT_GT(misfits[3].get<double>(), 2 * misfits[0].get<double>());
}

TEST_F(PhaseJob, FewPhotonsAreNoFault) {
  const fs::path data = simulate({.image = "phantom", .patterns = 6, .photons = 4000});  // 1.3 each
  const RunRecord record = run_phase({.data = data}, settings("auto", "nonnegative"));
  EXPECT_GT(record.summary["misfit"].get<double>(), 0.3);
  EXPECT_EQ(record.summary["fits_data"], true);
  EXPECT_EQ(warnings_of(record), "[]");
  Array rates = read_npy(data / "intensities.npy");
  for (double& y : rates.values) y /= 1000;
  write_npy(data / "intensities.npy", rates);
  EXPECT_EQ(run_phase({.data = data}, settings("auto", "nonnegative")).summary["fits_data"], true);
  // As few of them behind masks of other data.
  fs::rename(data / "intensities.npy", folder_ / "y.npy");
  simulate({.image = "phantom", .patterns = 6, .seed = 9});
  fs::rename(folder_ / "y.npy", data / "intensities.npy");
  EXPECT_EQ(run_phase({.data = data}, settings("auto", "nonnegative")).summary["fits_data"], false);
}

TEST_F(PhaseJob, ASupportThatIsItsOwnMirrorImageLeavesTwoAnswers) {
  const OversampledScene scene(folder_.path());
  const PhaseInput held{.data = folder_ / "y.npy", .support = folder_ / "inside.npy"};
  RunSettings s = settings("hio", "nonnegative");
  s.options.max_iterations = 3;
  EXPECT_THAT(warnings_of(run_phase(held, s)), Not(HasSubstr("support is symmetric")));
  std::vector<double> box(32 * 32);
  for (std::size_t k = 0; k < box.size(); ++k) box[k] = k / 32 < 16 && k % 32 < 16 ? 1 : 0;
  put("inside.npy", {32, 32}, box);
  EXPECT_THAT(warnings_of(run_phase(held, s)), HasSubstr("the support is symmetric"));
}

TEST_F(PhaseJob, LengthsOutOfPlaceAreNamed) {
  const std::vector<double> ones(2 * 4 * 5 * 3, 1.0);
  put("y.npy", {2, 4, 5, 3}, ones);
  put("m.npy", {2, 4, 5}, std::vector<double>(40, 1.0));
  const PhaseInput colour{.data = folder_ / "y.npy", .masks = folder_ / "m.npy"};
  EXPECT_THAT(refusal(colour),
              HasSubstr("the channels come first: intensities of shape 3 x 2 x 4"));
  put("y.npy", {4, 5, 2}, std::vector<double>(40, 1.0));
  EXPECT_THAT(refusal(colour), HasSubstr("the pattern index comes first"));
  std::vector<double> negative(40, 1.0);
  negative[3] = -1;
  put("y.npy", {2, 4, 5}, negative);
  EXPECT_THAT(refusal(colour),
              AllOf(HasSubstr("--bad-pixels"), HasSubstr("set negative values to 0")));
}

TEST_F(PhaseJob, AnglesInPlaceOfMasksAreNamed) {
  const fs::path data =
      simulate({.image = "phantom", .height = 24, .width = 16, .patterns = 6, .masks = "gaussian"});
  const Array masks = read_npy(data / "masks.npy");
  Array angles{masks.shape, false, {}};
  for (std::size_t k = 0; k < masks.values.size(); k += 2) {
    angles.values.push_back(std::atan2(masks.values[k + 1], masks.values[k]));
  }
  write_npy(data / "masks.npy", angles);
  RunSettings s = settings("auto");
  s.options.max_iterations = 50;
  EXPECT_THAT(warnings_of(run_phase({.data = data}, s)), HasSubstr("use exp(i angle)"));
}

}  // namespace
}  // namespace projfgd
