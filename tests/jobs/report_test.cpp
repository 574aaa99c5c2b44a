#include "projfgd/jobs/report.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

#include "projfgd/jobs/compare.hpp"

namespace projfgd {
namespace {

using Complex = std::complex<double>;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> titles(const Section& section) {
  std::vector<std::string> result;
  for (const Block& block : section.blocks) {
    result.push_back(std::visit([](const auto& b) { return b.title; }, block));
  }
  return result;
}

const Table& table_of(const Section& section) {
  for (const Block& block : section.blocks) {
    if (const auto* table = std::get_if<Table>(&block)) return *table;
  }
  throw std::logic_error("no table");
}

std::vector<TraceRow> halving(Index rows) {
  std::vector<TraceRow> trace;
  for (Index t = 0; t < rows; ++t) {
    const double value = std::pow(0.5, static_cast<double>(t));
    trace.push_back({t, 0.1 * static_cast<double>(t + 1), value, value, std::nan("")});
  }
  return trace;
}

TEST(JobReport, DrawsOnlyWhatTheTraceKnows) {
  const Section section = convergence_section({{"projfgd", halving(20)}});
  EXPECT_THAT(titles(section),
              ElementsAre("Objective against iterations", "Change against iterations",
                          "Objective against time", "Change against time"));
  EXPECT_TRUE(section.legend.empty());
  EXPECT_TRUE(convergence_section({{"projfgd", {}}}).blocks.empty());
  EXPECT_TRUE(convergence_section({}).blocks.empty());
}

TEST(JobReport, LongTracesAreThinnedAndKeepTheirEnds) {
  const Section section = convergence_section({{"projfgd", halving(5000)}});
  const std::vector<double> x = std::get<Chart>(section.blocks[0]).data[0]["x"];
  EXPECT_LE(x.size(), 1500u);
  EXPECT_EQ(x.front(), 0);
  EXPECT_EQ(x.back(), 4999);
}

TEST(JobReport, CurvesJoinThePointsThatWereMeasured) {
  for (const Index rows : {40, 9000}) {  // a curve that is drawn whole, and one that is thinned
    std::vector<TraceRow> trace = halving(rows);
    for (TraceRow& row : trace) {
      row.objective = row.relative_change = 1;
      if (row.iteration % 7 == 3) row.relative_error = 1.0 / static_cast<double>(row.iteration);
    }
    const Section section = convergence_section({{"slow", trace}});
    ASSERT_EQ(titles(section)[1], "Error against iterations");
    const auto& line = std::get<Chart>(section.blocks[1]).data[0];
    EXPECT_EQ(line["mode"], "lines");
    EXPECT_EQ(line["x"].size(),
              std::min<std::size_t>(static_cast<std::size_t>(rows + 3) / 7, 1500));
    for (const auto& value : line["y"]) EXPECT_GT(value.get<double>(), 0);
    EXPECT_EQ(line["x"][0], 3);
  }
}

TEST(JobReport, ATraceIsCutWhereItsLossChanges) {
  const std::vector<TraceRow> trace = halving(10);
  const auto whole = cut_by_stage({{"method", "auto"}}, trace);
  ASSERT_EQ(whole.size(), 1u);
  EXPECT_EQ(whole[0].name, "auto");
  const Json summary = {
      {"method", "auto"},
      {"stages",
       {{{"iteration", 0}, {"loss", "amplitude"}}, {{"iteration", 4}, {"loss", "poisson"}}}}};
  const auto stages = cut_by_stage(summary, trace);
  ASSERT_EQ(stages.size(), 2u);
  EXPECT_EQ(stages[1].name, "poisson loss");
  EXPECT_EQ(stages[0].trace.size(), 4u);
  EXPECT_EQ(stages[0].trace.size() + stages[1].trace.size(), trace.size());
}

TEST(JobReport, AnObjectiveWithAFloorIsShownAboveIt) {
  std::vector<TraceRow> trace = halving(10);
  for (TraceRow& row : trace) row.objective += 1000;
  const Section section = convergence_section({{"projfgd", trace}});
  const auto& chart = std::get<Chart>(section.blocks[0]);
  EXPECT_EQ(chart.layout["yaxis"]["title"]["text"], "Objective minus its minimum");
  EXPECT_NEAR(chart.data[0]["y"][0].get<double>(), 1 - std::pow(0.5, 9), 1e-6);
}

TEST(JobReport, SeveralRunsShareALegend) {
  const Section section = convergence_section({{"a", halving(10)}, {"b", halving(500)}});
  EXPECT_THAT(section.legend, ElementsAre("a", "b"));
  EXPECT_EQ(std::get<Chart>(section.blocks[0]).layout["xaxis"]["type"], "log");
}

TEST(JobReport, TheDensityMatrixIsDrawnUpToSixQubits) {
  for (const int qubits : {1, 2, 6, 7}) {
    Matrix<Complex> u = Matrix<Complex>::Zero(Index{1} << qubits, 1);
    u(0, 0) = 1;
    const Section section = state_section(u);
    if (qubits <= 6) {
      EXPECT_THAT(
          titles(section),
          ElementsAre("Real part of ρ", "Imaginary part of ρ", "Real part of ρ as a city",
                      "Imaginary part of ρ as a city", "Eigenvalues", "Largest amplitudes"));
    } else {
      EXPECT_THAT(titles(section), ElementsAre("Eigenvalues", "Largest amplitudes"));
      EXPECT_THAT(section.text, HasSubstr("128 x 128. It is drawn for up to 6 qubits"));
    }
  }
}

TEST(JobReport, HeatMapsShowTheMatrix) {
  Matrix<Complex> u(2, 1);
  u << 1 / std::numbers::sqrt2, Complex(0, 1 / std::numbers::sqrt2);  // (|0> + i |1>) / sqrt 2
  const Section section = state_section(u);
  const auto& real = std::get<Chart>(section.blocks[0]).data[0];
  const auto& imaginary = std::get<Chart>(section.blocks[1]).data[0];
  EXPECT_EQ(real["z"], nlohmann::ordered_json({{0.5, 0.0}, {0.0, 0.5}}));
  EXPECT_EQ(imaginary["z"], nlohmann::ordered_json({{0.0, -0.5}, {0.5, 0.0}}));
  EXPECT_EQ(real["x"], nlohmann::ordered_json({"|0⟩", "|1⟩"}));
}

TEST(JobReport, AmplitudesAreThoseOfTheLeadingEigenvector) {
  // 0.8 |psi><psi| + 0.2 |01><01| with psi = i (0.6 |00> - 0.8 |11>): the factor is turned by a
  // rotation, which changes nothing of the state.
  Matrix<Complex> u = Matrix<Complex>::Zero(4, 2);
  u(0, 0) = std::sqrt(0.8) * Complex(0, 0.6);
  u(3, 0) = std::sqrt(0.8) * Complex(0, -0.8);
  u(1, 1) = std::sqrt(0.2);
  Matrix<Complex> turn(2, 2);
  turn << 0.6, Complex(0, 0.8), Complex(0, 0.8), 0.6;
  const Section section = state_section(u * turn);
  EXPECT_THAT(table_of(section).rows,
              ElementsAre(ElementsAre("|11⟩", "0.8000", "0.0", "0.5120"),
                          ElementsAre("|00⟩", "0.6000", "180.0", "0.2880")));
  const auto& bars = std::get<Chart>(section.blocks[4]).data[0];
  EXPECT_NEAR(bars["y"][0].get<double>(), 0.8, 1e-6);
  EXPECT_NEAR(bars["y"][1].get<double>(), 0.2, 1e-6);
}

TEST(JobReport, ASingleEigenvalueIsALineNotAnEmptyBox) {
  Matrix<Complex> u = Matrix<Complex>::Zero(128, 1);
  u(0, 0) = 0.6, u(127, 0) = 0.8;
  const Section section = state_section(u);
  const auto& table = std::get<Table>(section.blocks[0]);
  EXPECT_EQ(table.title, "Eigenvalues");
  EXPECT_THAT(table.rows, ElementsAre(ElementsAre("1", "1")));
  const Section matrix = matrix_section(Matrix<Complex>::Ones(3, 1));
  EXPECT_THAT(std::get<Table>(matrix.blocks[1]).rows, ElementsAre(ElementsAre("1", "3")));
}

TEST(JobReport, EigenvaluesFillThePlaceBesideTheAmplitudes) {
  const Section small = state_section(Matrix<Complex>::Identity(2, 2) / std::numbers::sqrt2);
  EXPECT_EQ(std::get<Chart>(small.blocks[4]).height, Chart{}.height);
  Matrix<Complex> u = Matrix<Complex>::Constant(256, 2, 1 / std::sqrt(512));
  u.col(1).tail(128) *= -1;
  const Section section = state_section(u);
  EXPECT_EQ(std::get<Table>(section.blocks[1]).rows.size(), 16u);
  EXPECT_GT(std::get<Chart>(section.blocks[0]).height, 500);
}

TEST(JobReport, AFailedRunHasNoMatrixToShow) {
  Matrix<Complex> u = Matrix<Complex>::Ones(4, 1);
  EXPECT_THAT(titles(matrix_section(u)), ElementsAre("X", "Eigenvalues"));
  u(2, 0) = std::nan("");
  EXPECT_TRUE(matrix_section(u).blocks.empty());
  EXPECT_TRUE(state_section(u).blocks.empty());
}

TEST(JobReport, SaysInPlainWordsHowItEnded) {
  nlohmann::ordered_json summary = {
      {"status", "converged"}, {"iterations", 58}, {"seconds", 0.183}, {"purity", 0.8734}};
  Report report = start_report("t", "s", summary);
  EXPECT_EQ(report.verdict, Verdict::good);
  EXPECT_EQ(report.verdict_text, "The method converged (58 iterations, 183 ms).");
  ASSERT_EQ(report.facts.size(), 1u);
  EXPECT_EQ(report.facts[0].label, "Purity");
  EXPECT_EQ(report.facts[0].value, "0.873");

  summary["warnings"] = {"the fit is 4.0 times worse than shot noise"};
  report = start_report("t", "s", summary);
  EXPECT_EQ(report.verdict, Verdict::caution);
  EXPECT_THAT(report.remarks, ElementsAre("The fit is 4.0 times worse than shot noise."));

  summary["fits_data"] = false;
  EXPECT_EQ(start_report("t", "s", summary).verdict, Verdict::bad);
  summary.erase("fits_data");

  for (const char* status : {"iteration_limit", "time_limit", "interrupted"}) {
    summary["status"] = status;
    report = start_report("t", "s", summary);
    EXPECT_EQ(report.verdict, Verdict::caution);
    EXPECT_THAT(report.verdict_text, HasSubstr("before it converged"));
  }
  summary["status"] = "diverged";
  EXPECT_EQ(start_report("t", "s", summary).verdict, Verdict::bad);
}

TEST(JobReport, AnImageHasNoTraceAndNoRank) {
  nlohmann::ordered_json summary = {
      {"status", "converged"}, {"trace", 1.0}, {"rank", 1}, {"tolerance", 1e-6}};
  const auto labels = [&] {
    std::string all;
    for (const Fact& fact : answer_facts(summary)) all += fact.label + " ";
    return all;
  };
  EXPECT_EQ(labels(), "Trace Rank ");
  EXPECT_EQ(sought_in(summary), "X");
  summary["patterns"] = 4;
  EXPECT_EQ(labels(), "");
  EXPECT_EQ(sought_in(summary), "z");
  EXPECT_EQ(start_report("t", "s", summary).provenance[0].note, "on the relative change of z");

  summary = {{"status", "converged"}, {"trace", 1.0}, {"rank", 1}, {"purity", 1.0}};
  EXPECT_EQ(labels(), "Purity ");
}

TEST(JobReport, WhatIsAlmostOneIsToldByTheDifference) {
  const auto shown = [](double fidelity) {
    return start_report("", "", {{"fidelity", fidelity}}).facts[0].value;
  };
  EXPECT_EQ(shown(0.9312), "0.931");
  EXPECT_EQ(shown(1 - 2.5e-7), "1 − 2.5 × 10⁻⁷");
  EXPECT_EQ(shown(1), "1");
  EXPECT_EQ(shown(1 - 1e-16), "1");
}

TEST(JobReport, WhatTheDataLeaveOpenIsShownAsARange) {
  nlohmann::ordered_json summary = {
      {"status", "converged"},
      {"determined", false},
      {"undetermined", {"purity"}},
      {"target", "runs/other/state.npy"},
      {"fidelity", 0.2},
      {"purity", 0.9},
      {"intervals", {{"level", 0.95}, {"fidelity", {0.1, 0.8}}, {"purity", {0.25, 1.0}}}},
      {"interval_method", {{"fidelity", "range that fits the data"}, {"purity", "undetermined"}}}};
  const Report report = start_report("t", "s", summary);
  EXPECT_EQ(report.headline, "Fidelity with state 0.10 to 0.80 (all of these fit equally well)");
  EXPECT_EQ(report.verdict, Verdict::caution);
  EXPECT_EQ(report.facts[0].value, "0.10 to 0.80");
  EXPECT_EQ(report.facts[1].value, "not determined");
  EXPECT_EQ(report.facts[1].interval, "0.25 to 1.00 fit the data");
}

TEST(JobReport, NumbersHaveTheDigitsOfTheirErrorBars) {
  const auto shown = [](double value, double low, double high) {
    const Fact fact = start_report("", "",
                                   {{"fidelity", value},
                                    {"intervals", {{"level", 0.95}, {"fidelity", {low, high}}}},
                                    {"interval_method", {{"fidelity", "unbiased"}}}})
                          .facts[0];
    return fact.value + " (" + fact.interval + ")";
  };
  EXPECT_EQ(shown(0.90712, 0.9004, 0.9131), "0.907 (95%: 0.900 to 0.913)");
  EXPECT_EQ(shown(0.856, 0.29, 1), "0.86 (95%: 0.29 to 1.00)");
  EXPECT_EQ(shown(0.999912, 0.999903, 0.999921), "0.999912 (95%: 0.999903 to 0.999921)");
}

TEST(JobReport, AnImageThatTheDataDoNotDetermineIsNotCalledAMisfit) {
  nlohmann::ordered_json summary = {{"status", "converged"}, {"patterns", 1},
                                    {"misfit", 2e-7},        {"determined", false},
                                    {"fits_data", false},    {"warnings", {"give a support"}}};
  EXPECT_EQ(doubt_in_words(summary), ", but not determined by the data");
  const Report report = start_report("t", "s", summary);
  EXPECT_EQ(report.verdict, Verdict::caution);
  EXPECT_THAT(report.verdict_text, HasSubstr("These data do not determine the image."));
  EXPECT_THAT(report.verdict_text, ::testing::Not(HasSubstr("unexplained")));
  summary["determined"] = true;
  EXPECT_EQ(doubt_in_words(summary), ", but does not fit the data");
  EXPECT_EQ(start_report("t", "s", summary).verdict, Verdict::bad);
  summary["status"] = "iteration_limit";
  EXPECT_EQ(doubt_in_words(summary), "");
  EXPECT_EQ(status_in_words("iteration_limit"), "iteration limit");
}

TEST(JobReport, ResidualsAreInStandardErrors) {
  const Section section =
      fit_section({"probability", {0.5, 0.1, 0.0}, {0.4, 0.1, 0.0}, {0.05, 0.05, 0.0}});
  const auto& bars = std::get<Chart>(section.blocks[1]).data[0];
  const std::vector<double> centres = bars["x"], heights = bars["y"];
  const double width = bars["width"];
  double total = 0, at_two = 0;
  for (std::size_t k = 0; k < centres.size(); ++k) {
    total += heights[k];
    if (std::abs(centres[k] - 2) <= width / 2 + 1e-9) at_two += heights[k];
  }
  EXPECT_EQ(total, 2);  // the third has no error to measure by
  EXPECT_EQ(at_two, 1);
}

}  // namespace
}  // namespace projfgd
