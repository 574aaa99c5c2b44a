// Error bars, what the data leave open, the certificate, and the choice of the model, in the
// summary of a run.
#include <gmock/gmock.h>

#include <string>

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
  EXPECT_EQ(summary["interval_method"]["fidelity"], "unbiased");
  EXPECT_EQ(summary["determined"], true);
  EXPECT_NEAR(summary["white_noise"].get<double>(), 0.1, 0.02);
  EXPECT_EQ(summary["rank"], 1);
  EXPECT_THAT(summary["model_reason"].get<std::string>(), HasSubstr("rank 1 with white noise: "));
  EXPECT_GT(summary["p_value"].get<double>(), 1e-3);
  EXPECT_EQ(summary["optimality_gap"]["unit"], "nats");
  EXPECT_EQ(summary["optimality_gap"]["certified"], true);
}

TEST_F(Tomography, IntervalsCanBeLeftOut) {
  simulate_counts({.qubits = 2, .state = "bell", .shots = 100}, folder_.path());
  TomographyInput input;
  input.errors = errors_option::none;
  const Json summary = run(folder_ / "counts.json", 0, 5e-6, {}, input).summary;
  EXPECT_FALSE(summary.contains("intervals"));
  EXPECT_TRUE(summary.contains("optimality_gap"));
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
  EXPECT_EQ(record.summary["intervals"]["fidelity"], Json::array({0.0, 1.0}));
  EXPECT_EQ(record.summary["interval_method"]["fidelity"], "undetermined");
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
              HasSubstr("labels and bit strings seem to run in opposite directions"));
}

}  // namespace
}  // namespace projfgd::test
