// Error bars, what the data leave open, the certificate, and the choice of the model, in the
// summary of a run.
#include <gmock/gmock.h>

#include <cmath>
#include <string>
#include <vector>

#include "projfgd/core/error.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/io/json.hpp"
#include "projfgd/measures/state.hpp"
#include "support/tomography.hpp"

namespace projfgd::test {
namespace {

using testing::HasSubstr;

void expect_holds(const Json& interval, double value) {
  EXPECT_LE(interval[0].get<double>(), value);
  EXPECT_GE(interval[1].get<double>(), value);
}

TEST_F(Tomography, IntervalsComeWithTheirLevelAndTheirMethod) {
  simulate_counts({.qubits = 3, .state = "ghz", .shots = 400, .depolarizing = 0.1}, folder_.path());
  TomographyInput input;
  input.target = "ghz";
  input.observables = folder_ / "strings.txt";
  write_file(input.observables, "XXX\nZZI\n");
  const Json summary = run(folder_ / "counts.json", 0, 5e-6, {}, input).summary;
  const Json& intervals = summary["intervals"];
  EXPECT_EQ(intervals["level"], 0.95);
  // 0.9 |ghz><ghz| + 0.1 I/8; these are single experiments that the intervals hold.
  expect_holds(intervals["fidelity"], 0.9 + 0.1 / 8);
  expect_holds(intervals["purity"], 0.81 + 2 * 0.9 * 0.1 / 8 + 0.01 / 8);
  expect_holds(intervals["expectations"]["XXX"], 0.9);
  expect_holds(intervals["expectations"]["ZZI"], 0.9);
  for (const char* qubit : {"0", "1", "2"}) {
    expect_holds(intervals["negativities"][qubit], 0.9 / 2 - 0.1 / 8);
    EXPECT_GT(intervals["negativities"][qubit][0].get<double>(), 0.3);
  }
  // The Bloch vectors and the 24 largest expectations; at random one in twenty misses.
  const Json& paulis = intervals["paulis"];
  EXPECT_GE(paulis.size(), 24u);
  EXPECT_EQ(paulis.size(), summary["paulis"].size());
  for (const char* stabiliser : {"XXX", "ZZI", "IZZ", "ZIZ"}) expect_holds(paulis[stabiliser], 0.9);
  EXPECT_EQ(paulis["XXX"], intervals["expectations"]["XXX"]);
  EXPECT_FALSE(summary.contains("interval_note"));
  EXPECT_EQ(summary["setting_misfits"].size(), 27u);
  EXPECT_EQ(summary["interval_method"]["fidelity"], "unbiased");
  EXPECT_EQ(summary["determined"], true);
  EXPECT_NEAR(summary["white_noise"].get<double>(), 0.1, 0.02);
  EXPECT_EQ(summary["rank"], 1);
  EXPECT_THAT(summary["model_reason"].get<std::string>(), HasSubstr("rank 1 with white noise: "));
  EXPECT_GT(summary["p_value"].get<double>(), 1e-3);
  EXPECT_EQ(summary["optimality_gap"]["unit"], "nats");
  EXPECT_EQ(summary["optimality_gap"]["certified"], true);
}

// Noise alone makes eigenvalues of the partial transpose negative.
TEST_F(Tomography, FewShotsOfAProductStateShowNoEntanglement) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    simulate_counts({.qubits = 3, .state = "plus", .shots = 50, .depolarizing = 0.2, .seed = seed},
                    folder_.path());
    const Json summary = run(folder_ / "counts.json", 0, 5e-6).summary;
    for (const Json& interval : summary["intervals"]["negativities"]) {
      EXPECT_EQ(interval[0], 0.0) << seed;
    }
  }
}

TEST_F(Tomography, AMisfitIsNamedWithItsSetting) {
  write_file(folder_ / "counts.json", R"({"XX": [250, 250, 250, 250], "YY": [0, 500, 500, 0],
      "ZZ": [500, 0, 0, 500], "XY": [250, 250, 250, 250], "YX": [250, 250, 250, 250],
      "XZ": [250, 250, 250, 250], "ZX": [250, 250, 250, 250], "YZ": [250, 250, 250, 250],
      "ZY": [250, 250, 250, 250]})");
  const RunRecord found = run(folder_ / "counts.json", 0, 5e-6);
  EXPECT_THAT(warnings(found), HasSubstr("most of all in setting "));
}

TEST_F(Tomography, IntervalsCanBeLeftOut) {
  simulate_counts({.qubits = 2, .state = "bell", .shots = 100}, folder_.path());
  TomographyInput input;
  input.errors = errors_option::none;
  const Json summary = run(folder_ / "counts.json", 0, 5e-6, {}, input).summary;
  EXPECT_FALSE(summary.contains("intervals"));
  EXPECT_TRUE(summary.contains("optimality_gap"));
}

TEST_F(Tomography, BootstrapShowsHowTheAnswerScatters) {
  simulate_counts({.qubits = 2, .state = "bell", .shots = 200, .depolarizing = 0.1},
                  folder_.path());
  TomographyInput input;
  input.data = {folder_ / "counts.json"};
  input.target = "bell";
  const Json usual = run_tomography(input, {}).summary;
  input.errors = "bootstrap:40";
  std::vector<Json> found;
  for (const int threads : {1, 2}) {
    RunSettings settings;
    settings.threads = threads;
    found.push_back(run_tomography(input, settings).summary);
  }
  EXPECT_EQ(found[0]["intervals"], found[1]["intervals"]);
  EXPECT_EQ(found[0]["interval_method"]["fidelity"], "bootstrap");
  EXPECT_EQ(found[0]["interval_refits"], 40);
  EXPECT_THAT(found[0]["interval_note"].get<std::string>(), HasSubstr("boundary"));
  EXPECT_EQ(found[0]["intervals"]["eigenvalues"].size(), found[0]["eigenvalues"].size());
  EXPECT_EQ(found[0]["intervals"]["paulis"].size(), 15u);
  // A deviation of 40 numbers is known to a ninth; the fit may use more of the data.
  const auto width = [](const Json& summary) {
    const Json& pair = summary["intervals"]["fidelity"];
    return pair[1].get<double>() - pair[0].get<double>();
  };
  EXPECT_LT(width(found[0]), 1.5 * width(usual));
  EXPECT_GT(width(found[0]), 0.5 * width(usual));
}

TEST_F(Tomography, BootstrapNeedsRefitsAndNoise) {
  write_file(folder_ / "pauli.csv", "pauli,expectation\nX,0.9\nY,0.1\nZ,0.1\n");
  TomographyInput input;
  input.data = {folder_ / "pauli.csv"};
  for (const char* errors : {"bootstrap", "bootstrap:3", "bootstrap:many", "percentile"}) {
    input.errors = errors;
    EXPECT_THROW(run_tomography(input, {}), InputError) << errors;
  }
}

TEST_F(Tomography, PositivityBoundsAnExpectationThatWasNotMeasured) {
  write_file(folder_ / "counts.json", R"({"XX": {"00": 475, "01": 25, "10": 25, "11": 475},
                                          "ZZ": {"00": 475, "01": 25, "10": 25, "11": 475}})");
  write_file(folder_ / "observables.txt", "YY\n");
  TomographyInput input;
  input.observables = folder_ / "observables.txt";
  const Json summary = run(folder_ / "counts.json", 0, 5e-6, {}, input).summary;
  // 1 - XX - YY - ZZ >= 0, so YY <= 1 - 0.9 - 0.9, up to 1.96 errors of XX + ZZ, each of
  // sqrt(0.19 / 1000); the other three bound it by -1.
  const Json& found = summary["intervals"]["expectations"]["YY"];
  EXPECT_EQ(summary["interval_method"]["expectations"]["YY"], "likelihood-ratio");
  EXPECT_LT(found[0].get<double>(), -0.98);
  EXPECT_GT(found[1].get<double>(), -0.8);
  EXPECT_LT(found[1].get<double>(), -0.8 + 1.3 * 1.96 * std::sqrt(2 * 0.19 / 1000));
}

TEST_F(Tomography, AHandfulOfRandomSettingsDoesNotDetermineAMixedState) {
  // 5 of 27 settings show at most 35 of 63 coordinates. A state of low rank is then unique among
  // its like, but states of higher rank with quite another fidelity fit as well.
  int flagged = 0;
  constexpr int sets = 10;
  TomographyInput input;
  input.target = "ghz";
  for (std::uint64_t seed = 1; seed <= sets; ++seed) {
    simulate_counts({.qubits = 3, .settings = 5, .depolarizing = 0.1, .seed = seed},
                    folder_.path());
    const Json summary = run(folder_.path(), 0, 5e-6, {}, input).summary;
    const Json& range = summary["intervals"]["fidelity"];
    const bool open = range[1].get<double>() - range[0].get<double>() >= 0.95;
    EXPECT_TRUE(!open || summary["undetermined"].dump().find("fidelity") != std::string::npos);
    ASSERT_TRUE(summary["intervals"].contains("purity"));  // whatever it is, it is told
    EXPECT_LE(summary["intervals"]["purity"][0].get<double>(), 0.834);
    flagged += summary["determined"] == false ? 1 : 0;
  }
  EXPECT_GE(flagged, 9);
}

TEST_F(Tomography, IntervalsAreWidenedByAMisfit) {
  // No pure state is like that: the residuals are many times the noise.
  write_file(folder_ / "counts.json", R"({"X": [900, 100], "Y": [500, 500], "Z": [500, 500]})");
  const RunRecord record = run(folder_ / "counts.json", 1, 5e-6);
  ASSERT_EQ(record.summary.at("fits_data"), false);
  const double times = record.summary.at("intervals").at("widened");
  const double freedom = number(record, "degrees_of_freedom");
  EXPECT_GE(times, std::sqrt(number(record, "chi_square") / freedom) * (1 - 1e-12));
  EXPECT_GT(times, 2);
  EXPECT_THAT(warnings(record), HasSubstr("the intervals are widened"));
}

TEST_F(Tomography, IntervalsOfResamplesAreWidenedByAMisfitToo) {
  // Resamples are drawn from the estimate, which they fit: they scatter alike for both.
  const char* const fitting = R"({"X": [777, 223], "Y": [500, 500], "Z": [916, 84]})";
  const char* const mixed = R"({"X": [700, 300], "Y": [500, 500], "Z": [800, 200]})";
  TomographyInput input;
  input.errors = "bootstrap:100";
  input.observables = folder_ / "strings.txt";
  write_file(input.observables, "Z\n");
  const auto intervals = [&](const char* counts) {
    write_file(folder_ / "counts.json", counts);
    return run(folder_ / "counts.json", 1, 5e-6, {}, input).summary.at("intervals");
  };
  const auto width = [](const Json& found) {
    const Json& z = found.at("expectations").at("Z");
    return z[1].get<double>() - z[0].get<double>();
  };
  const Json right = intervals(fitting), wrong = intervals(mixed);
  EXPECT_FALSE(right.contains("widened"));
  const double times = wrong.at("widened");
  ASSERT_GT(times, 2);
  EXPECT_NEAR(width(wrong), times * width(right), 0.5 * times * width(right));
}

TEST_F(Tomography, MissingErrorBarsAreExplained) {
  simulate_pauli({.qubits = 3, .csam = 7}, folder_.path());
  const RunRecord record = run(folder_ / "pauli.csv", 1, 5e-6);
  EXPECT_FALSE(record.summary["intervals"].contains("purity"));
  EXPECT_THAT(record.summary["interval_note"].get<std::string>(),
              HasSubstr("the noise of the data is unknown; give the standard error"));
}

TEST_F(Tomography, WhatTheSettingsDoNotSeeIsNotDetermined) {
  simulate_counts({.qubits = 3, .state = "ghz", .shots = 300}, folder_.path());
  const Json all = Json::parse(read_file(folder_ / "counts.json"));
  Json some = Json::object();  // qubit 0 is always measured along X
  for (const auto& [label, counts] : all.items()) {
    if (label.ends_with('X')) some[label] = counts;
  }
  ASSERT_EQ(some.size(), 9);
  write_file(folder_ / "some.json", some.dump());
  TomographyInput input;
  input.target = "ghz";
  const RunRecord record = run(folder_ / "some.json", 0, 5e-6, {}, input);
  EXPECT_EQ(record.summary["determined"], false);
  EXPECT_THAT(record.summary["undetermined"].dump(), HasSubstr("fidelity"));
  // States of fidelity 0 to 1, up to shot noise, explain these settings equally well.
  EXPECT_LT(record.summary["intervals"]["fidelity"][0].get<double>(), 0.01);
  EXPECT_GT(record.summary["intervals"]["fidelity"][1].get<double>(), 0.99);
  EXPECT_EQ(record.summary["interval_method"]["fidelity"], "range that fits the data");
  EXPECT_THAT(warnings(record), HasSubstr("the data do not determine the state"));
}

TEST_F(Tomography, ReversedLabelsAreFoundWithoutShots) {
  simulate_counts({.qubits = 3, .state = "random", .shots = 300}, folder_.path());
  Json frequencies = Json::parse(read_file(folder_ / "counts.json"));
  for (auto& [label, counts] : frequencies.items()) {
    for (auto& [bits, count] : counts.items()) count = count.get<double>() / 300;
  }
  write_file(folder_ / "frequencies.json", frequencies.dump());
  TomographyInput input;
  input.format.label_qubit0_left = true;
  EXPECT_THAT(warnings(run(folder_ / "frequencies.json", 1, 5e-6, {}, input)),
              HasSubstr("labels and bit strings seem to have opposite qubit orders"));
}

}  // namespace
}  // namespace projfgd::test
