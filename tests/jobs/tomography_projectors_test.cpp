// States from counts of single projectors, whose intensity nobody knows.
#include <gmock/gmock.h>

#include <Eigen/LU>
#include <cmath>
#include <string>

#include "projfgd/core/error.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/io/measurements.hpp"
#include "support/tomography.hpp"

namespace projfgd::test {
namespace {

using testing::HasSubstr;

/// The photon pair of James, Kwiat, Munro and White, Phys. Rev. A 64, 052312 (2001).
constexpr const char* photon_pair =
    R"({"HH": 34749, "HV": 324, "VV": 35805, "VH": 444, "RV": 16324, "RH": 17521, "DH": 13441,
        "DV": 16901, "DR": 17932, "DD": 32028, "RD": 15132, "HD": 17238, "VD": 13171, "VL": 17170,
        "HL": 16722, "RL": 33586})";

/// A solver that shares nothing with the library: X <- B^-1 R X R B^-1 with B = sum e P and
/// R = sum k / p P, whose fixed point is the likeliest X >= 0.
StateFactor likeliest(const ProjectorData& data, int iterations) {
  const StateFactor bras = product_bras(data.states, data.projectors);
  const auto sum = [&](const Vector<double>& w) -> StateFactor {
    return bras.adjoint() * w.cast<C>().asDiagonal() * bras;
  };
  const StateFactor inverse = sum(data.exposures).inverse();
  StateFactor x = StateFactor::Identity(bras.cols(), bras.cols());
  for (int k = 0; k < iterations; ++k) {
    const Vector<double> p = (bras * x).cwiseProduct(bras.conjugate()).real().rowwise().sum();
    const StateFactor step = inverse * sum(data.counts.cwiseQuotient(p));
    x = step * x * step.adjoint();
  }
  return x / x.trace();
}

class ProjectorTomography : public Tomography {
 protected:
  RunRecord fit(const std::string& text, Index rank, const std::string& target = "bell",
                TomographyInput input = {}) {
    write_file(folder_ / "counts.json", text);
    input.target = target;
    return run(folder_ / "counts.json", rank, 1e-9, {}, input);
  }
  static StateFactor rho_of(const RunRecord& record) {
    const StateFactor u = normalised(factor_of(record));
    return u * u.adjoint();
  }
};

TEST_F(ProjectorTomography, TheLikeliestStateIsThatOfAnotherSolver) {
  const auto data =
      std::get<ProjectorData>(parse_measurements({{"pair", photon_pair}}, MeasurementFormat{}));
  const StateFactor expected = likeliest(data, 20000);
  const RunRecord found = fit(photon_pair, full_rank);
  EXPECT_LE((rho_of(found) - expected).norm(), 1e-4);
  EXPECT_NEAR(number(found, "fidelity"), 0.98764, 1e-4);
  EXPECT_NEAR(number(found, "intensity"), 71568, 10);
  EXPECT_EQ(found.summary["projectors"], 16);
  EXPECT_EQ(found.summary["optimality_gap"]["certified"], true);
  EXPECT_LE(found.summary["optimality_gap"]["value"].get<double>(), 0.1);
  // 73 nats are left where counting noise leaves a few: the analysers were not quite right.
  EXPECT_EQ(found.summary["fits_data"], false);
  EXPECT_THAT(warnings(found), HasSubstr("counting noise"));
}

/// Exact counts of 0.97 |bell><bell| + 0.03 I/4: p = 0.97 |<psi|bell>|^2 + 0.0075.
std::string exact_counts(double intensity, double accidentals, const std::string& left_out = "") {
  std::string text = "{";
  for (const std::string label : {"HH", "HV", "VV", "VH", "RV", "RH", "DH", "DV", "DR", "DD", "RD",
                                  "HD", "VD", "VL", "HL", "RL"}) {
    if (left_out.find(label) != std::string::npos) continue;
    const bool same = label == "HH" || label == "VV" || label == "DD" || label == "RL";
    const bool never = label == "HV" || label == "VH";
    const double p = 0.97 * (same ? 0.5 : never ? 0 : 0.25) + 0.0075;
    text += (text.size() > 1 ? ", \"" : "\"") + label +
            "\": {\"count\": " + std::to_string(std::round(intensity * p + accidentals)) +
            ", \"accidentals\": " + std::to_string(accidentals) + "}";
  }
  return text + "}";
}

TEST_F(ProjectorTomography, IntensityAndAccidentalsArePartOfTheModel) {
  for (const double accidentals : {0.0, 40.0}) {
    const RunRecord found = fit(exact_counts(20000, accidentals), 0);
    EXPECT_EQ(found.status, Status::converged);
    // <bell|rho|bell> = 0.97 + 0.0075, and tr rho^2 = 0.97^2 + 2 0.97 0.0075 + 0.0009 / 4.
    EXPECT_NEAR(number(found, "fidelity"), 0.9775, 1e-3) << accidentals;
    EXPECT_NEAR(number(found, "purity"), 0.9556, 2e-3) << accidentals;
    EXPECT_NEAR(number(found, "intensity"), 20000, 50) << accidentals;
    EXPECT_EQ(warnings(found), "");
    const Json& interval = found.summary["intervals"]["fidelity"];
    EXPECT_LE(interval[0].get<double>(), 0.9775);
    EXPECT_GE(interval[1].get<double>(), 0.9775);
    EXPECT_EQ(found.summary["determined"], true);
  }
}

/// All products of six states of two qubits, for rho = 0.9 |bell><bell| + 0.1 I/4.
Json all_counts() {
  Json out;
  const std::string letters = "HVDARL";
  for (std::size_t a = 0; a < letters.size(); ++a) {
    for (std::size_t b = 0; b < letters.size(); ++b) {
      // <bell| agrees in Z and X and disagrees in Y.
      const bool same = (a + b) % 2 == (a / 2 == 2 ? 1 : 0);
      const double bell = a / 2 != b / 2 ? 0.25 : same ? 0.5 : 0;
      out[{letters[a], letters[b]}] = std::round(2000 * (0.9 * bell + 0.1 / 4));
    }
  }
  return out;
}

TEST_F(ProjectorTomography, ACountThatContradictsAllOthersIsNamed) {
  EXPECT_FALSE(fit(all_counts().dump(), 0).summary.contains("wrong_count"));
  for (const char* label : {"HH", "HV", "DL", "RR"}) {
    for (const bool drifted : {false, true}) {  // then they are no settings of one exposure each
      Json counts = all_counts();
      counts[label] = 3 * counts[label].get<double>() + 300;
      if (drifted) counts["AA"] = {{"count", 2 * counts["AA"].get<double>()}, {"exposure", 2}};
      const RunRecord found = fit(counts.dump(), 0);
      EXPECT_EQ(found.summary["fits_data"], false);
      ASSERT_TRUE(found.summary.contains("wrong_count")) << label << drifted;
      EXPECT_EQ(found.summary["wrong_count"]["label"], label);
      EXPECT_GT(found.summary["wrong_count"]["deviations"], 5);
      EXPECT_THAT(warnings(found), HasSubstr(std::string(label) + " was counted"));
    }
  }
}

TEST_F(ProjectorTomography, AMissingProjectorIsNotKnown) {
  // 14 projectors leave one direction of a mixed state open, not one of a state of rank 1.
  const RunRecord found = fit(exact_counts(20000, 0, "HV VL"), full_rank);
  EXPECT_EQ(found.summary["determined"], false);
  EXPECT_THAT(warnings(found), HasSubstr("one of many that fit"));
  const RunRecord pure = fit(R"({"HH": 5000, "VV": 5000, "DD": 5000, "RL": 5000, "HV": 0, "VH": 0,
                                 "DR": 2500, "RD": 2500, "HD": 2500, "DV": 2500})",
                             1);
  EXPECT_NEAR(number(pure, "fidelity"), 1, 1e-3);
}

TEST_F(ProjectorTomography, WhatBoundsTheTraceIsRefused) {
  TomographyInput input;
  input.loss = "weighted";
  EXPECT_THROW(fit(photon_pair, 1, "bell", input), InputError);
  write_file(folder_ / "counts.json", photon_pair);
  input = {};
  input.data = {folder_ / "counts.json"};
  RunSettings settings;
  settings.constraint = "frobenius-sphere:1";
  EXPECT_THROW(run_tomography(input, settings), InputError);
  settings.constraint = "real";
  settings.rank = 4;
  EXPECT_EQ(run_tomography(input, settings).status, Status::converged);
}

}  // namespace
}  // namespace projfgd::test
