// Whether the state that is written explains the data, and what is said where it does not.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <string>
#include <vector>

#include "projfgd/core/random.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/measures/state.hpp"
#include "support/tomography.hpp"

namespace projfgd::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// All expectations of `kept` |w><w| and white noise, but that of the identity, with their errors.
std::string expectations_of_w(int qubits, double kept, double error) {
  const StateFactor w = named_state("w", qubits);
  const RandomStream random(5, 1);
  std::string text = "pauli,expectation,stderr\n";
  for (std::uint32_t k = 1; k < 1u << 2 * qubits; ++k) {
    const PauliString p{k >> qubits, k & ((1u << qubits) - 1)};
    const double value = kept * expectation(p, w) + error * random.normal(k);
    text += fmt::format("{},{},{}\n", pauli_label(p, qubits), value, error);
  }
  return text;
}

TEST_F(Tomography, MisfitIsThatOfTheStateThatIsWritten) {
  const Path file = folder_ / "pauli.csv";
  write_file(file, expectations_of_w(3, 0.8, 0.01));
  const RunRecord record = run(file, 1, 5e-6);
  ASSERT_LT(number(record, "trace"), 0.9);
  const PauliData data =
      std::get<PauliData>(parse_measurements({{file, read_file(file)}}, MeasurementFormat{}));
  const StateFactor rho = normalised(factor_of(record));
  double square = 0, chi_square = 0;
  for (Index i = 0; i < data.values.size(); ++i) {
    const double apart =
        expectation(data.strings[static_cast<std::size_t>(i)], rho) - data.values[i];
    square += apart * apart;
    chi_square += std::pow(apart / data.errors[i], 2);
  }
  EXPECT_NEAR(number(record, "residual"), std::sqrt(square), 1e-12 * square);
  EXPECT_NEAR(number(record, "chi_square"), chi_square, 1e-9 * chi_square);
  EXPECT_FALSE(record.summary["fits_data"].get<bool>());
  EXPECT_THAT(warnings(record), HasSubstr("the fitted trace is 0.8"));
}

TEST_F(Tomography, TerminalAndReportAgreeOnWhetherItFits) {
  // A pure fit of a state with a little white noise: chi-square is 1.1 to 1.5 a degree of freedom,
  // which 1200 of them make certain.
  simulate_counts({.qubits = 4, .state = "random", .shots = 1000, .depolarizing = 0.025},
                  folder_.path());
  const RunRecord poor = run(folder_ / "counts.json", 1, 5e-6);
  const double each = number(poor, "chi_square") / number(poor, "degrees_of_freedom");
  EXPECT_GT(each, 1.1);
  EXPECT_LT(each, 1.5);
  EXPECT_FALSE(poor.summary["fits_data"].get<bool>());
  EXPECT_THAT(report_html(poor), HasSubstr("larger than noise explains"));
  EXPECT_THAT(warnings(poor), HasSubstr("per degree of freedom, more than shot noise"));
  EXPECT_THAT(warnings(poor), HasSubstr("a larger --rank may help"));
  const RunRecord good = run(folder_ / "counts.json", 0, 5e-6);
  EXPECT_TRUE(good.summary["fits_data"].get<bool>());
  EXPECT_THAT(report_html(good), HasSubstr("Noise explains the misfit"));
}

TEST_F(Tomography, OutcomesThatAStateForbidsFreeNothing) {
  for (const char* state : {"zero", "ghz", "w"}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      simulate_counts({.qubits = 4, .state = state, .shots = 200, .seed = seed}, folder_.path());
      const RunRecord record = run(folder_ / "counts.json", 1, 5e-6);
      // Four deviations of chi-square, and as much again for outcomes that are all but forbidden.
      const double freedom = number(record, "degrees_of_freedom");
      const double chance = 8 * std::sqrt(2 * freedom);
      EXPECT_NEAR(number(record, "chi_square"), freedom, chance) << state << ", seed " << seed;
      EXPECT_TRUE(record.summary["fits_data"].get<bool>()) << state << ", seed " << seed;
      EXPECT_FALSE(record.summary.contains("less_scatter_than_noise")) << state;
    }
  }
  // The same counts as if every shot had been counted twice: chi-square doubles.
  Json counts = parse_json(read_file(folder_ / "counts.json"), folder_ / "counts.json");
  for (auto& setting : counts) {
    for (auto& count : setting) count = 2 * count.get<int>();
  }
  write_file(folder_ / "counts.json", counts.dump());
  const RunRecord twice = run(folder_ / "counts.json", 1, 5e-6);
  EXPECT_FALSE(twice.summary["fits_data"].get<bool>());
}

TEST_F(Tomography, GoodFitsAreSeldomCalledPoor) {
  // One in 30,000 by chance; a pure state forbids many outcomes, and few counts are expected there.
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const char* state : {"ghz", "random"}) {
      simulate_counts({.qubits = 2, .state = state, .shots = 50, .seed = seed}, folder_.path());
      const RunRecord record = run(folder_ / "counts.json", 1, 5e-6);
      EXPECT_TRUE(record.summary["fits_data"].get<bool>()) << state << seed;
      EXPECT_FALSE(record.summary.contains("less_scatter_than_noise")) << state << seed;
    }
  }
}

TEST_F(Tomography, SaysThatDataHaveLessScatterThanShots) {
  const Path file = folder_ / "counts.json";
  std::string text;
  for (const char* label : {"XX", "XY", "XZ", "YX", "YY", "YZ", "ZX", "ZY", "ZZ"}) {
    text += fmt::format("{}\"{}\": [2500, 2500, 2500, 2500]", text.empty() ? "{" : ", ", label);
  }
  write_file(file, text + "}");
  const RunRecord record = run(file, 4, 5e-6);
  EXPECT_TRUE(record.summary["less_scatter_than_noise"].get<bool>());
  EXPECT_TRUE(record.summary["fits_data"].get<bool>());
  EXPECT_THAT(report_html(record), HasSubstr("were the data smoothed or normalised?"));
}

TEST_F(Tomography, ARunThatDidNotEndIsNotJudged) {
  const Path file = folder_ / "counts.json";
  write_file(file, R"({"X": {"0": 600, "1": 400}, "Y": {"0": 550, "1": 450},
                       "Z": {"0": 700, "1": 300}})");
  RunSettings settings;
  settings.options.max_iterations = 1;
  TomographyInput input;
  input.data = {file};
  const RunRecord record = run_tomography(input, settings);
  EXPECT_EQ(record.status, Status::iteration_limit);
  for (const char* verdict : {"fits_data", "p_value", "determined", "undetermined"}) {
    EXPECT_TRUE(record.summary.at(verdict).is_null()) << verdict;
  }
  EXPECT_THAT(report_html(record),
              HasSubstr("Only a run that converged shows whether the state fits"));
}

TEST_F(Tomography, SettingsThatShareQubitsDetermineFewerNumbers) {
  const Path file = folder_ / "counts.json";  // ZI, IZ, ZZ, IX and ZX in six numbers
  write_file(file, R"({"ZZ": [400, 100, 100, 400], "ZX": [240, 260, 250, 250]})");
  const RunRecord record = run(file, 4, 5e-6);
  EXPECT_EQ(number(record, "degrees_of_freedom"), 1);
  EXPECT_THAT(warnings(record), HasSubstr("the data determine only 5 of"));
}

// The average of a model that leaves no degree of freedom and of one that leaves one has some
// thousandth of it, by which nothing can be tested.
TEST_F(Tomography, CountsOfOneQubitAreNoMisfit) {
  const RandomStream random(11, 3);
  int misfits = 0;
  for (std::uint64_t k = 0; k < 60; ++k) {
    std::string text = "{";
    for (std::uint64_t b = 0; b < 3; ++b) {
      const int up = static_cast<int>(random.bits(3 * k + b) % 101);
      text += fmt::format(R"({}"{}": [{}, {}])", b == 0 ? "" : ", ", "XYZ"[b], up, 100 - up);
    }
    const Path file = folder_ / "counts.json";
    write_file(file, text + "}");
    const RunRecord record = run(file, 0, 5e-6);
    const double x = number(record, "chi_square");
    // A Bloch vector that is longer than 1 is what the counts may contradict.
    if (x < 0.1 && !record.summary["fits_data"].get<bool>()) ++misfits;
  }
  EXPECT_EQ(misfits, 0);
}

TEST_F(Tomography, AStringThatComesOftenIsOneNumberOfTheState) {
  const Path file = folder_ / "pauli.csv";
  std::string text = "pauli,expectation,stderr\nII,1,0\n";
  for (const char* value : {"0.49", "0.5", "0.51", "0.5", "0.5", "0.48", "0.52", "0.5"}) {
    text += fmt::format("XX,{},0.01\n", value);
  }
  write_file(file, text);
  const RunRecord record = run(file, 1, 5e-6);
  EXPECT_EQ(number(record, "degrees_of_freedom"), 8 - 1);
  EXPECT_THAT(warnings(record), HasSubstr("the data determine only 1 of"));
}

TEST_F(Tomography, AtFullRankExpectationsGoWithTraceOne) {
  const Path file = folder_ / "pauli.csv";
  write_file(file, expectations_of_w(2, 0.5, 0.01));
  const RunRecord record = run(file, full_rank, 5e-6);
  EXPECT_NEAR(number(record, "trace"), 1, 1e-12);
  EXPECT_EQ(number(record, "degrees_of_freedom"), 0);
  EXPECT_THAT(warnings(record), Not(HasSubstr("one of many that fit")));
}

TEST_F(Tomography, ValuesThatContradictEachOtherAreNamed) {
  const Path file = folder_ / "pauli.csv";
  write_file(file,
             "pauli,expectation,stderr\nXZ,0.9,0.01\nZZ,0.5,0.01\nXZ,-0.5,0.01\nZZ,0.51,0.01\n");
  const std::string said = warnings(run(file, 1, 5e-6));
  EXPECT_THAT(said, HasSubstr("XZ is given as 0.9 ("));
  EXPECT_THAT(said, HasSubstr("and as -0.5 ("));
  EXPECT_THAT(said, HasSubstr("pauli.csv: line 4"));
  EXPECT_THAT(said, Not(HasSubstr("strings in all")));
  write_file(file, "pauli,expectation\nXZ,0.9\nZZ,0.5\nXZ,0.8\n");
  EXPECT_THAT(warnings(run(file, 1, 5e-6)), Not(HasSubstr("given as")));
}

TEST_F(Tomography, SettingsThatContradictEachOtherAreNamed) {
  // Readout errors of the settings that differ from one another fit no state of any rank.
  const Path file = folder_ / "counts.json";
  write_file(file, R"({"XX": [900, 100, 0, 0], "XY": [250, 250, 250, 250], "XZ": [0, 0, 500, 500],
                       "YX": [500, 0, 500, 0], "YY": [250, 250, 250, 250], "YZ": [250, 250, 250, 250],
                       "ZX": [250, 250, 250, 250], "ZY": [500, 0, 500, 0], "ZZ": [1000, 0, 0, 0]})");
  const RunRecord found = run(file, 0, 5e-6), given = run(file, 4, 5e-6);
  for (const RunRecord& record : {found, given}) {
    EXPECT_THAT(warnings(record), HasSubstr("the settings contradict each other: qubit "));
    EXPECT_THAT(warnings(record), HasSubstr("in setting XX"));
  }
}

TEST_F(Tomography, AWrongCalibrationIsNamedWithAnAutomaticRankToo) {
  simulate_counts({.qubits = 2, .state = "bell", .readout_error = 0.05}, folder_.path());
  TomographyInput input;
  input.readout = folder_ / "calibration.json";
  write_file(input.readout, "[[[0.99, 0.2], [0.01, 0.8]], [[0.7, 0.05], [0.3, 0.95]]]");
  EXPECT_THAT(warnings(run(folder_ / "counts.json", 0, 5e-6, {}, input)),
              HasSubstr("the readout calibration makes the fit worse"));
}

TEST_F(Tomography, AStartFromAFileIsInput) {
  simulate_counts({.qubits = 2, .state = "bell"}, folder_.path());
  TomographyInput input;
  input.data = {folder_ / "counts.json"};
  RunSettings settings;
  settings.rank = 1;
  settings.init = (folder_ / "truth.npy").string();
  const RunRecord record = run_tomography(input, settings);
  EXPECT_EQ(record.summary["input"],
            Json({(folder_ / "counts.json").string(), (folder_ / "truth.npy").string()}));
}

TEST_F(Tomography, TheRankIsLookedForFromThatOfAStart) {
  simulate_counts({.qubits = 2, .state = "bell", .depolarizing = 0.2}, folder_.path());
  TomographyInput input;
  input.data = {folder_ / "counts.json"};
  input.white_noise = white_noise_option::off;  // a start has columns, and no white part
  RunSettings settings;
  const Json from_one = run_tomography(input, settings).summary;
  settings.init = (folder_ / "start.npy").string();
  for (const Index columns : {1, 2, 4}) {
    StateFactor start(4, columns);
    fill_normal(RandomStream(1, 2), start);
    write_npy(settings.init, to_array(normalised(start)));
    const Json from_start = run_tomography(input, settings).summary;
    EXPECT_EQ(from_start["rank"], from_one["rank"]) << columns;
    const double objective = from_one["objective"];
    EXPECT_NEAR(from_start["objective"].get<double>(), objective, 1e-2 * objective) << columns;
    EXPECT_THAT(from_start["rank_reason"].get<std::string>(), HasSubstr("rank ")) << columns;
  }
  simulate_counts({.qubits = 2, .state = "bell"}, folder_.path());  // pure: columns are left out
  EXPECT_EQ(run_tomography(input, settings).summary["rank"], 1);
  settings.options.step = StepRule::constant;
  settings.options.step_size = 1e-5;
  EXPECT_EQ(run_tomography(input, settings).summary["rank"], 4);
}

TEST_F(Tomography, SimulatedCountsSayHowTheyWereMade) {
  const Json made = simulate_counts(
      {.qubits = 2, .state = "bell", .shots = 5, .depolarizing = 0.2, .readout_error = 0.1},
      folder_.path());
  EXPECT_EQ(made["state"], "bell");
  EXPECT_EQ(made["depolarizing"], 0.2);
  EXPECT_EQ(made["readout_error"], 0.1);
}

TEST_F(Tomography, AStartOfZerosIsRefused) {
  simulate_counts({.qubits = 2, .state = "bell"}, folder_.path());
  TomographyInput input;
  input.data = {folder_ / "counts.json"};
  RunSettings settings;
  settings.init = (folder_ / "start.npy").string();
  write_npy(settings.init, to_array(StateFactor(StateFactor::Zero(4, 1))));
  EXPECT_THROWS_WITH(run_tomography(input, settings), InputError,
                     "start.npy: found only zeros, expected a factor");
}

TEST_F(Tomography, FitsThatExplainAPoorOneAreInTheBooks) {
  simulate_counts({.qubits = 3, .state = "random", .shots = 4000}, folder_.path());
  TomographyInput input;
  input.data = {folder_ / "counts.json"};
  RunSettings settings;
  settings.rank = full_rank;
  settings.threads = 1;
  EXPECT_FALSE(run_tomography(input, settings).summary.contains("other_fits"));
  input.format.label_qubit0_left = true;  // which is wrong
  const RunRecord poor = run_tomography(input, settings);
  const Json other = poor.summary.at("other_fits").at(0);
  EXPECT_EQ(other["assumption"], "labels reversed");
  EXPECT_LT(other["chi_square"].get<double>(), number(poor, "chi_square"));
  const Index own = poor.trace.back().iteration;
  EXPECT_EQ(number(poor, "iterations"), own + other["iterations"].get<Index>());
  EXPECT_GE(number(poor, "seconds"), other["seconds"].get<double>());

  settings.options.max_iterations = own + 1;  // leaves one iteration for the other fit
  const RunRecord limited = run_tomography(input, settings);
  EXPECT_EQ(limited.status, Status::converged);
  EXPECT_EQ(number(limited, "iterations"), own + 1);
  EXPECT_EQ(limited.summary["other_fits"].at(0)["status"], "iteration_limit");
}

}  // namespace
}  // namespace projfgd::test
