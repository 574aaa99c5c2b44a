#include "projfgd/jobs/phase.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <complex>
#include <numeric>

#include "projfgd/core/error.hpp"
#include "projfgd/core/random.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/io/png.hpp"
#include "projfgd/io/sha256.hpp"
#include "projfgd/jobs/simulate_cdp.hpp"
#include "projfgd/operators/coded_diffraction.hpp"
#include "support/temporary_folder.hpp"

namespace projfgd {
namespace {

namespace fs = std::filesystem;

class PhaseJob : public ::testing::Test {
 protected:
  fs::path simulate(CdpSimulation s) const {
    if (s.height == 0 && (s.image == "stars" || s.image == "phantom")) s.height = 64, s.width = 48;
    simulate_cdp(s, folder_ / "data");
    return folder_ / "data";
  }

  static RunSettings settings(const std::string& method, const std::string& constraint = "") {
    RunSettings s;
    s.method = method;
    s.init.clear();
    s.constraint = constraint;
    return s;
  }

  static double error(const RunRecord& record) {
    return record.summary.at("relative_error").get<double>();
  }

  /// The message of the InputError that the job must end with.
  static std::string refusal(const PhaseInput& input) {
    try {
      run_phase(input, settings("auto"));
    } catch (const InputError& refused) {
      return refused.what();
    }
    return "accepted";
  }

  void put(const char* file, std::vector<Index> shape, std::vector<double> values) const {
    write_npy(folder_ / file, Array{std::move(shape), false, std::move(values)});
  }

  test::TemporaryFolder folder_;
};

TEST_F(PhaseJob, FindsTheImageInBothPrecisions) {
  const fs::path data = simulate({.patterns = 10});
  for (const bool single : {false, true}) {
    RunSettings s = settings("auto");
    s.single_precision = single;
    const RunRecord record = run_phase({.data = data}, s);
    EXPECT_EQ(record.status, Status::converged);
    EXPECT_LE(error(record), single ? 1e-4 : 1e-5);
    EXPECT_GT(record.summary.at("psnr").get<double>(), 80);
    EXPECT_EQ(record.summary.at("transforms").get<Index>() % 20, 0);
  }
}

TEST_F(PhaseJob, SetsNeedFewerPatterns) {
  const fs::path data = simulate({.patterns = 3});
  for (const char* set : {"nonnegative", "nonnegative-l1", "l1-ball"}) {
    EXPECT_LE(error(run_phase({.data = data}, settings("auto", set))), 1e-5) << set;
  }
}

TEST_F(PhaseJob, EveryMethodGetsThere) {
  const fs::path data = simulate({.patterns = 12});
  for (const std::string& method : phase_method_names()) {
    if (method == "phaselift") continue;  // for a few hundred unknowns only
    RunSettings s = settings(method, method == "wirtinger-flow" ? "" : "nonnegative");
    s.options.max_iterations = 400;
    EXPECT_LE(error(run_phase({.data = data}, s)), 1e-3) << method;
  }
}

TEST_F(PhaseJob, ScalesWithTheData) {
  const fs::path data = simulate({.patterns = 8});
  const RunRecord plain = run_phase({.data = data}, settings("auto"));
  Array y = read_npy(data / "intensities.npy");
  for (double& value : y.values) value *= 0x1p80;
  write_npy(data / "intensities.npy", y);
  const RunRecord scaled = run_phase({.data = data}, settings("auto"));
  ASSERT_EQ(plain.factor.values.size(), scaled.factor.values.size());
  for (std::size_t k = 0; k < plain.factor.values.size(); ++k) {
    EXPECT_EQ(plain.factor.values[k] * 0x1p40, scaled.factor.values[k]);
  }
}

TEST_F(PhaseJob, TheLossThatFitsTheNoiseIsBetter) {
  const fs::path data = simulate({.patterns = 4, .photons = 2e5});
  PhaseInput poisson{.data = data}, squares{.data = data};
  poisson.loss = "poisson";
  squares.loss = "intensity";
  const auto quality = [&](const PhaseInput& input) {
    return run_phase(input, settings("auto", "nonnegative")).summary.at("psnr").get<double>();
  };
  EXPECT_GT(quality(poisson), quality(squares));
  EXPECT_GT(quality({.data = data}), quality(squares));  // auto notices the photons
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

TEST_F(PhaseJob, OwnVectorsAndSignals) {
  const Index n = 24, m = 240;
  Matrix<std::complex<double>> a(m, n), x(n, 1);
  fill_normal(RandomStream(1, 1), a);
  fill_normal(RandomStream(1, 2), x);
  const Vector<double> y = (a * x).cwiseAbs2();
  write_npy(folder_ / "a.npy", to_array(a));
  write_npy(folder_ / "x.npy", to_array(x));
  put("y.npy", {m}, std::vector<double>(y.begin(), y.end()));
  RunSettings s = settings("auto");
  s.truth = folder_ / "x.npy";
  const RunRecord record = run_phase({.data = folder_ / "y.npy", .vectors = folder_ / "a.npy"}, s);
  EXPECT_LE(error(record), 1e-5);
}

/// A triangle of ones in the corner of a 32 x 32 grid, 2 x oversampled; an image in it, its
/// pattern.
struct OversampledScene {
  explicit OversampledScene(const fs::path& folder) {
    constexpr Index side = 32;
    std::vector<double> inside(side * side), image(side * side);
    const RandomStream random(4, 4);
    for (Index i = 0; i < side / 2; ++i) {
      for (Index j = 0; j < side / 2 - i; ++j) {
        inside[i * side + j] = 1;
        image[i * side + j] = random.uniform(i * side + j);
      }
    }
    const std::vector<std::complex<double>> open(side * side, 1.0);
    const CodedDiffractionOperator<std::complex<double>> op(
        side, side, Masks<std::complex<double>>(1, side * side, open));
    Matrix<std::complex<double>> z(side * side, 1);
    for (Index k = 0; k < z.rows(); ++k) z(k, 0) = image[k];
    Vector<double> y;
    op.forward(z, y);
    write_npy(folder / "y.npy", {{side, side}, false, {y.begin(), y.end()}});
    write_npy(folder / "inside.npy", {{side, side}, false, inside});
    write_npy(folder / "image.npy", {{side, side}, false, image});
  }
};

TEST_F(PhaseJob, OnePatternAndASupportAreEnoughWhenOversampled) {
  const OversampledScene scene(folder_.path());
  const PhaseInput input{.data = folder_ / "y.npy", .support = folder_ / "inside.npy"};
  for (const char* method : {"auto", "hio"}) {
    RunSettings s = settings(method, "nonnegative");
    s.truth = folder_ / "image.npy";
    s.options.max_iterations = 3000;
    const RunRecord record = run_phase(input, s);
    EXPECT_LE(error(record), 1e-3) << method;
    const Array signal = record.factor;
    const Array inside = read_npy(folder_ / "inside.npy");
    for (std::size_t k = 0; k < inside.values.size(); ++k) {
      ASSERT_TRUE(inside.values[k] == 1 || signal.values[2 * k] == 0) << method << " at " << k;
    }
  }
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

TEST_F(PhaseJob, ErrorReductionUsesTheSetAndGerchbergSaxtonSaysItDoesNot) {
  const fs::path data = simulate({.patterns = 4});
  RunSettings reduction = settings("error-reduction", "nonnegative");
  RunSettings plain = settings("gerchberg-saxton", "nonnegative");
  reduction.options.max_iterations = plain.options.max_iterations = 300;
  const RunRecord with = run_phase({.data = data}, reduction);
  const RunRecord without = run_phase({.data = data}, plain);
  EXPECT_LE(error(with), 1e-4);
  EXPECT_FALSE(with.summary.contains("warnings"));
  ASSERT_TRUE(without.summary.contains("warnings"));
  EXPECT_NE(without.summary["warnings"][0].get<std::string>().find("knows no set"),
            std::string::npos);
}

TEST_F(PhaseJob, AnAnswerThatDoesNotFitIsCalledSo) {
  const fs::path data = simulate({.patterns = 1});  // half of what any method needs
  RunSettings s = settings("auto");
  s.options.max_iterations = 50;
  const RunRecord fits = run_phase({.data = data}, s);
  EXPECT_FALSE(fits.summary.contains("warnings"));  // one pattern is fitted by anything
  simulate({.patterns = 3});
  s.options.max_iterations = 20;
  const RunRecord record = run_phase({.data = data}, s);
  EXPECT_GT(record.summary.at("misfit").get<double>(), 0.15);
  EXPECT_TRUE(record.summary.contains("warnings"));
}

TEST_F(PhaseJob, OfSeveralAttemptsTheBestIsTheAnswerWhateverEndedTheLast) {
  // Without their masks nothing fits them, so it tries again.
  const fs::path data = simulate({.height = 24, .width = 16, .patterns = 3}) / "intensities.npy";
  std::atomic<int> stop = 0;
  std::vector<Index> lengths;
  RunSettings s = settings("auto");
  s.options.tolerance = 1e-3;
  s.interrupt = &stop;
  s.progress = [&](const TraceRow& row) {
    if (row.iteration == 0) lengths.push_back(0);
    lengths.back() = row.iteration;
    stop = lengths.size() > 1 ? 1 : 0;
  };
  const RunRecord interrupted = run_phase({.data = data}, s);
  ASSERT_EQ(lengths.size(), 2u);
  EXPECT_EQ(interrupted.status, Status::interrupted);
  // The second attempt has two passes left and cannot be as good as the first.
  RunSettings limited = settings("auto");
  limited.options.tolerance = s.options.tolerance;
  limited.options.max_iterations = lengths[0] + 2;
  const RunRecord record = run_phase({.data = data}, limited);
  EXPECT_EQ(record.summary.at("attempts"), 2);
  EXPECT_EQ(record.summary.at("iterations"), lengths[0]);
  EXPECT_EQ(record.factor.values, interrupted.factor.values);
  ASSERT_EQ(record.trace.size(), static_cast<std::size_t>(lengths[0] + 1));
  EXPECT_EQ(record.trace.front().iteration, 0);
  EXPECT_EQ(record.trace.back().iteration, lengths[0]);
  EXPECT_EQ(record.trace.back().objective, record.summary.at("objective").get<double>());
  EXPECT_NE(record.status, Status::interrupted);
}

TEST_F(PhaseJob, TheTimeLimitHoldsForAllStages) {
  const fs::path data = simulate({.patterns = 3});
  for (const std::string& method : phase_method_names()) {
    if (method == "phaselift") continue;
    RunSettings s = settings(method, "l1-ball");
    s.options.time_limit = 1e-6;  // over before anything has begun
    const RunRecord record = run_phase({.data = data}, s);
    EXPECT_EQ(record.status, Status::time_limit) << method;
    EXPECT_EQ(record.summary.at("iterations"), 0) << method;
    // With 3 patterns: A z once for the objective of what finds the radius, one Lanczos step and
    // one objective with its gradient, each with A and its adjoint.
    EXPECT_LE(record.summary.at("transforms").get<Index>(), 3 + 6 + 6) << method;
    if (record.summary.contains("radius")) {
      EXPECT_GT(record.summary["radius"].get<double>(), 0) << method;
    }
  }
}

TEST_F(PhaseJob, SaysTheRadiusThatItFound) {
  const fs::path data = simulate({.patterns = 4});
  const Array truth = read_npy(data / "truth.npy");
  const double size = std::accumulate(truth.values.begin(), truth.values.end(), 0.0);
  for (const char* method : {"auto", "projfgd"}) {
    const RunRecord record = run_phase({.data = data}, settings(method, "nonnegative-l1"));
    EXPECT_NEAR(record.summary.at("radius").get<double>(), size, 1e-4 * size) << method;
  }
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
  EXPECT_THAT(warnings({.data = y}), HasSubstr("the likely cause is --masks left out"));
  EXPECT_THAT(warnings({.data = y, .masks = data / "masks.npy"}),
              HasSubstr("--mask-values names the table"));
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
  const auto message = [&](const char* set) {
    return run_phase({.data = data}, settings("auto", set)).summary["message"].get<std::string>();
  };
  EXPECT_THAT(message(""), HasSubstr("96 intensities do not determine the 192 numbers of 96 "
                                     "complex pixels"));
  EXPECT_THAT(message("nonnegative"), Not(HasSubstr("do not determine")));
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
  EXPECT_THAT(refusal(input), HasSubstr("nowhere.npy: found zeros alone"));
}

TEST_F(PhaseJob, AMisfitNamesItsLikelyCauses) {
  using ::testing::AllOf;
  using ::testing::HasSubstr;
  const fs::path data = simulate({.patterns = 4});
  Array y = read_npy(data / "intensities.npy");
  for (double& value : y.values) value = std::sqrt(value);
  write_npy(data / "intensities.npy", y);
  RunSettings s = settings("auto", "nonnegative");
  s.options.max_iterations = 100;
  const RunRecord record = run_phase({.data = data}, s);
  EXPECT_FALSE(record.summary["fits_data"].get<bool>());
  EXPECT_THAT(record.summary["warnings"].dump(),
              AllOf(HasSubstr("masks of other patterns or in another order"),
                    HasSubstr("--centred left out"), HasSubstr("amplitudes given as intensities")));
}

TEST_F(PhaseJob, TheReportShowsTruthStartResultAndError) {
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
  EXPECT_THAT(titles({.data = data}), ElementsAre("Truth", "Start", "Result", "Error"));
  fs::remove(data / "truth.npy");
  EXPECT_THAT(titles({.data = data}), ElementsAre("Start", "Result"));
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
  EXPECT_THAT(refusal({.data = y}), HasSubstr("found none above 0"));
  EXPECT_THROW(run_phase({.data = folder_ / "missing.npy"}, settings("auto")), FileError);
  EXPECT_THROW(run_phase({.data = y}, settings("nonsense")), InputError);
  CdpSimulation huge{.height = 1 << 20, .width = 1 << 20};
  EXPECT_THROW(simulate_cdp(huge, folder_.path()), ResourceError);
  EXPECT_THROW(simulate_cdp(CdpSimulation{}, folder_.path()), InputError);  // no size
}

}  // namespace
}  // namespace projfgd
