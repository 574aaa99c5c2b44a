// What must not be handed to a user as an answer without a word: a state whose noise went missing
// with its trace, a point that is no minimum, a state that the data do not determine.
#include <gmock/gmock.h>

#include <cmath>
#include <string>

#include "projfgd/core/error.hpp"
#include "projfgd/core/random.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/measures/state.hpp"
#include "support/tomography.hpp"

namespace projfgd::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// All expectations but that of the identity of 0.85 |w><w| + 0.15 I/16, with an error of 0.01.
std::string noisy_w_state() {
  const StateFactor w = named_state("w", 4);
  const RandomStream random(5, 1);
  std::string text = "pauli,expectation,stderr\n";
  for (std::uint32_t k = 1; k < 256; ++k) {
    const PauliString p{k >> 4, k & 15};
    const double value = 0.85 * expectation(p, w) + 0.01 * random.normal(k);
    text += pauli_label(p, 4) + "," + std::to_string(value) + ",0.01\n";
  }
  return text;
}

TEST_F(Tomography, WhiteNoiseIsNotLostWithTheTrace) {
  const Path file = folder_ / "pauli.csv";
  write_file(file, noisy_w_state());
  // tr rho^2 = 0.85^2 + 2 * 0.85 * 0.15 / 16 + 0.15^2 / 16 and <w|rho|w> = 0.85 + 0.15 / 16.
  //
  // The data are rho + E, E = 1/16 sum_P e_P P. <w|E|w> has the deviation 0.01 sqrt(15) / 16 =
  // 0.0024, since the squares of <w|P|w> add up to 16; three of them are 0.0073 of the fidelity and
  // 2 * 0.86 * 0.0073 = 0.0125 of the purity. The other 15 eigenvalues are 0.0094 plus a semicircle
  // of radius 2 ||E||_F / sqrt(16) = 0.02. Rank 6, the least that fits, keeps the largest five,
  // 0.0208 on average, and shares the trace that is cut: all six rise by (1 - 0.859 - 5 * 0.0208) /
  // 6 = 0.0061. That is a bias of 0.0061 of the fidelity and of 2 * 0.86 * 0.0061 + 5 * 0.0269^2 -
  // 15 * 0.0094^2 = 0.0128 of the purity.
  TomographyInput input;
  input.target = "w";
  const RunRecord found = run(file, 0, 5e-6, {}, input);
  EXPECT_NEAR(number(found, "purity"), 0.7398, 0.0125 + 0.0128);
  EXPECT_NEAR(number(found, "fidelity"), 0.8594, 0.0073 + 0.0061);
  EXPECT_NEAR(number(found, "trace"), 1, 1e-12);
  EXPECT_THAT(warnings(found), Not(HasSubstr("trace")));
  const RunRecord pure = run(file, 1, 5e-6);
  EXPECT_NEAR(number(pure, "trace"), 0.85, 0.01);
  EXPECT_THAT(warnings(pure), HasSubstr("the fitted trace is 0.8"));
  EXPECT_THAT(warnings(pure), HasSubstr("frobenius-sphere:1"));
}

TEST_F(Tomography, AShortStepIsNotTakenForTheEnd) {
  // Full rank is a convex problem; one weight is ten thousand times the others.
  const Path file = folder_ / "pauli.csv";
  write_file(file, "pauli,expectation,stderr\nX,0.5,0.001\nZ,0.1,0.1\nY,0.9,0.1\n");
  const RunRecord usual = run(file, 2, 5e-6), sharp = run(file, 2, 1e-12);
  // A run may leave a thousandth of what the noise of its three data costs, 3/2.
  EXPECT_NEAR(number(usual, "objective"), number(sharp, "objective"), 1.5e-3);
  // The nearest state of |r| <= 1 with x = 1/2 is at |(y, z)| = sqrt(3)/2: from |(0.9, 0.1)| that
  // is 0.0395 away, or 0.078 in 1/2 (0.0395 / 0.1)^2; x moves by less than its error.
  EXPECT_NEAR(number(sharp, "objective"), 0.078, 0.001);
}

TEST_F(Tomography, SaysWhenTheDataDoNotDetermineTheState) {
  const Path file = folder_ / "counts.json";
  write_file(file, R"({"ZZ": {"00": 500, "11": 500}})");
  EXPECT_THAT(warnings(run(file, 1, 5e-6)), HasSubstr("the data determine only 3 of the 6 "
                                                      "parameters of a state of rank 1"));
  write_file(file, R"({"ZZ": {"00": 500, "11": 500}, "XX": {"00": 500, "11": 500},
                       "YY": {"01": 500, "10": 500}})");
  EXPECT_EQ(warnings(run(file, 1, 5e-6)), "");
}

// Intervals may take longer than the fit, and whoever stops a run has no time for them.
TEST_F(Tomography, ARunThatIsStoppedIsNotJudged) {
  simulate_pauli({.qubits = 4, .csam = 6}, folder_.path());
  TomographyInput input;
  input.data = {folder_ / "pauli.csv"};
  for (const char* rank : {"full", "1"}) {
    int rows = 0;
    RunSettings settings;
    settings.rank = *rank == 'f' ? 16 : 1;
    settings.progress = [&](const TraceRow&) { ++rows; };
    settings.interrupt = [&] { return rows > 2; };
    const RunRecord record = run_tomography(input, settings);
    EXPECT_EQ(record.status, Status::interrupted) << rank;
    EXPECT_TRUE(record.summary["interval_method"].empty()) << record.summary.dump(1);
    EXPECT_FALSE(record.summary.contains("optimality_gap")) << record.summary.dump(1);
    EXPECT_TRUE(record.summary.contains("purity"));
  }
}

TEST_F(Tomography, CountsThatTheSpectralStartRulesOutAreFitted) {
  // Exact counts of 0.9 |bell><bell| + 0.1 I/4: the start is the Bell state itself, to which some
  // of what was counted cannot happen. <bell|rho|bell> = 0.925, tr rho^2 = 0.81 + 0.045 + 0.0025.
  std::string text = "{";
  for (const std::string label : {"XX", "XY", "XZ", "YX", "YY", "YZ", "ZX", "ZY", "ZZ"}) {
    const bool even = label == "XX" || label == "ZZ", odd = label == "YY";
    const char* same = even ? "475" : odd ? "25" : "250";
    const char* other = even ? "25" : odd ? "475" : "250";
    text += std::string(text.size() > 1 ? "," : "") + "\"" + label + "\": {\"00\": " + same +
            ", \"01\": " + other + ", \"10\": " + other + ", \"11\": " + same + "}";
  }
  const Path file = folder_ / "counts.json";
  write_file(file, text + "}");
  TomographyInput input;
  input.target = "bell";
  const RunRecord record = run(file, 0, 5e-6, {}, input);
  EXPECT_EQ(record.status, Status::converged);
  EXPECT_NEAR(number(record, "trace"), 1, 1e-3);
  EXPECT_NEAR(number(record, "fidelity"), 0.925, 0.01);  // an error of 1 / sqrt(9000) counts
  EXPECT_NEAR(number(record, "purity"), 0.8575, 2 * 0.925 * 0.01);  // what that does to 0.925^2
  EXPECT_EQ(warnings(record), "");
}

TEST_F(Tomography, AMixedQubitIsDetermined) {
  const Path file = folder_ / "counts.json";
  write_file(file, R"({"X": {"0": 600, "1": 400}, "Y": {"0": 550, "1": 450},
                       "Z": {"0": 700, "1": 300}})");
  const RunRecord record = run(file, 0, 5e-6);
  EXPECT_NEAR(number(record, "purity"), (1 + 0.2 * 0.2 + 0.1 * 0.1 + 0.4 * 0.4) / 2, 1e-4);
  EXPECT_EQ(warnings(record), "");
}

TEST_F(Tomography, ThreeStabilisersAreFittedThoughTheyLeaveTheStateOpen) {
  const Path file = folder_ / "pauli.csv";
  write_file(file, "pauli,expectation,stderr\nXX,0.9,0.01\nZZ,0.9,0.01\nYY,-0.9,0.01\n");
  TomographyInput input;
  input.target = "bell";
  const RunRecord record = run(file, 0, 5e-6, {}, input);
  EXPECT_NEAR(number(record, "fidelity"), (1 + 3 * 0.9) / 4, 0.01);
  EXPECT_THAT(warnings(record), HasSubstr("one of many that fit"));
  EXPECT_THAT(warnings(record), Not(HasSubstr("times worse")));
}

TEST_F(Tomography, SaysThatARankWithoutKnownNoiseIsAGuess) {
  const Path file = folder_ / "counts.json";
  write_file(file, R"({"X": {"0": 0.6, "1": 0.4}, "Y": {"0": 0.55, "1": 0.45},
                       "Z": {"0": 0.7, "1": 0.3}})");
  EXPECT_THAT(warnings(run(file, 0, 5e-6)), HasSubstr("give the number of shots with --shots"));
}

TEST_F(Tomography, EigenvaluesHeldAtZeroLeaveTheirDegreesOfFreedom) {
  // Of a pure state most eigenvalues of the full-rank fit end at 0, and chi-square is that of a fit
  // with few parameters. Over all fits it differs from its mean by sqrt(2 mean) or so.
  double chi_square = 0, freedom = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    simulate_counts({.qubits = 3, .state = "w", .seed = seed}, folder_.path());
    const RunRecord record = run(folder_ / "counts.json", 8, 5e-6);
    chi_square += number(record, "chi_square");
    freedom += number(record, "degrees_of_freedom");
    EXPECT_GT(number(record, "degrees_of_freedom"), 189 - 63);  // all 63 parameters of a state
    EXPECT_LE(number(record, "degrees_of_freedom"), 189 - 14);  // those of a pure one
  }
  EXPECT_NEAR(chi_square, freedom, 5 * std::sqrt(2 * freedom));
}

TEST_F(Tomography, SaysWhenACalibrationSpoilsTheFit) {
  simulate_counts({.qubits = 2, .state = "bell", .readout_error = 0.05}, folder_.path());
  TomographyInput input;
  const auto warned = [&](const std::string& calibration) {
    input.readout = folder_ / "calibration.json";
    write_file(input.readout, calibration);
    return warnings(run(folder_ / "counts.json", 1, 5e-6, {}, input));
  };
  const std::string right = "[[0.95, 0.05], [0.05, 0.95]]";
  EXPECT_EQ(warned("[" + right + "," + right + "]"), "");
  EXPECT_THAT(warned("[[[0.99, 0.2], [0.01, 0.8]], [[0.7, 0.05], [0.3, 0.95]]]"),
              HasSubstr("the readout calibration makes the fit worse"));
}

TEST_F(Tomography, RefusesSetsThatStatesDoNotHave) {
  const Path file = folder_ / "counts.json";
  write_file(file, R"({"X": [500, 500], "Y": [500, 500], "Z": [900, 100]})");
  write_npy(folder_ / "mask.npy", {{2}, false, {1, 0}});
  TomographyInput input;
  input.data = {file};
  RunSettings settings;
  settings.rank = 2;
  const auto said = [&](const std::string& set) -> std::string {
    settings.constraint = set;
    try {
      run_tomography(input, settings);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  for (const char* set : {"nonnegative", "nonnegative-l1:1"}) {
    EXPECT_THAT(said(set), HasSubstr("expected one of none, frobenius-ball, frobenius-sphere, "
                                     "l1-ball, real, "));
  }
  for (const char* set : {"none", "real", "frobenius-sphere:1", "spectral-ball:1"}) {
    EXPECT_EQ(said(set), "") << set;
  }
  const std::string mask = "support:" + (folder_ / "mask.npy").string();
  EXPECT_THAT(said(mask), HasSubstr("found counts of outcomes that are impossible under it"));
  input.loss = "least-squares";
  EXPECT_EQ(said(mask), "");
}

TEST_F(Tomography, AFitThatConvergedFarFromTheDataSaysSo) {
  const Path file = folder_ / "counts.json";  // no pure state is like that
  write_file(file, R"({"X": [500, 500], "Y": [500, 500], "Z": [500, 500]})");
  const RunRecord poor = run(file, 1, 5e-6), good = run(file, 2, 5e-6);
  EXPECT_EQ(poor.status, Status::converged);
  EXPECT_FALSE(poor.summary["fits_data"].get<bool>());
  EXPECT_THAT(warnings(poor), HasSubstr("times worse than expected from shot noise"));
  EXPECT_TRUE(good.summary["fits_data"].get<bool>());
  EXPECT_EQ(warnings(good), "");
}

TEST_F(Tomography, ADensityMatrixMayBeRounded) {
  // As a factor it would be another state: rho^2, of eigenvalues 0.9 and 0.1 for 0.75 and 0.25.
  StateFactor u = StateFactor::Zero(4, 2);
  u(0, 0) = u(1, 0) = std::sqrt(0.375);
  u(2, 1) = u(3, 1) = std::sqrt(0.25) * C(0, 1) * std::sqrt(0.5);
  const StateFactor rho = u * u.adjoint();
  const auto read = [](const StateFactor& m) { return to_state(to_array(m), 4, "rho.npy"); };
  for (const double trace : {1.0, 0.9999, 1.0001, 0.992}) {
    const StateFactor v = read(trace * rho);
    EXPECT_NEAR(v.squaredNorm(), 1, 1e-14);
    EXPECT_LE((v * v.adjoint() - rho).norm(), 1e-14) << trace;
  }
  StateFactor single = (rho / 3).cast<std::complex<float>>().cast<C>() * 3.0;
  single(0, 1) += 1e-7;  // not quite Hermitian either
  const StateFactor v = read(single);
  EXPECT_LE((v * v.adjoint() - rho).norm(), 1e-6);
  StateFactor rough = rho;  // another program's, in a few digits; the Hermitian part is meant
  rough(0, 1) += 1e-4;
  const StateFactor w = read(rough);
  EXPECT_LE((w * w.adjoint() - rho).norm(), 1e-4);
}

TEST_F(Tomography, AHermitianMatrixOfAnotherTraceIsNotTakenForAFactor) {
  const StateFactor plain = StateFactor::Identity(4, 4);
  try {
    to_state(to_array(plain), 4, "rho.npy");
    FAIL() << "the identity is no state";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("rho.npy: found a square matrix, Hermitian, of trace 4 and "
                                        "norm 2, expected a density matrix of trace 1"));
  }
  StateFactor turned = plain;  // no factor either
  turned(0, 1) = 1;
  EXPECT_THROW(to_state(to_array(turned), 4, "rho.npy"), InputError);
  StateFactor twice = StateFactor::Zero(4, 4);  // of trace 2, and of a norm near 1
  twice.diagonal() << 0.55, 0.5, 0.5, 0.45;
  EXPECT_THROW(to_state(to_array(twice), 4, "rho.npy"), InputError);
  StateFactor negative = plain / 2;  // trace 1
  negative(3, 3) = -0.5;
  EXPECT_THROW(to_state(to_array(negative), 4, "rho.npy"), InputError);
  StateFactor root = plain / 2;  // of the mixed state
  EXPECT_LE((to_state(to_array(root), 4, "root.npy") - root).norm(), 1e-15);
  root.diagonal() << std::sqrt(1 - 1e-5), std::sqrt(1e-5), 0, 0;  // of one that is nearly pure
  EXPECT_LE((to_state(to_array(root), 4, "root.npy") - root).norm(), 1e-15);
}

TEST_F(Tomography, AStateOfTheWrongSignIsRefused) {
  const StateFactor psi = named_state("ghz", 2);
  for (const StateFactor& rho :
       {StateFactor(-psi * psi.adjoint()), StateFactor(-StateFactor::Identity(4, 4) / 4)}) {
    try {
      to_state(to_array(rho), 4, "rho.npy");
      FAIL() << "its trace is -1";
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(),
                   "rho.npy: found a Hermitian matrix of trace -1, expected a density matrix of "
                   "trace 1");
    }
  }
  const StateFactor root = -StateFactor::Identity(4, 4) / 2;  // a factor, whatever its sign
  EXPECT_LE((to_state(to_array(root), 4, "root.npy") - root).norm(), 1e-15);
}

TEST_F(Tomography, TheTruthMayBeADensityMatrix) {
  simulate_pauli({.qubits = 3, .rank = 2, .csam = 4, .seed = 2}, folder_.path());
  const StateFactor u = to_matrix<C>(read_npy(folder_ / "truth.npy"), "truth.npy");
  write_npy(folder_ / "rho.npy", to_array(StateFactor(u * u.adjoint())));
  const double by_factor =
      number(run(folder_ / "pauli.csv", 2, 5e-6, folder_ / "truth.npy"), "relative_error");
  const double by_matrix =
      number(run(folder_ / "pauli.csv", 2, 5e-6, folder_ / "rho.npy"), "relative_error");
  EXPECT_NEAR(by_matrix, by_factor, 1e-7);  // the square roots of rounding errors
}

TEST_F(Tomography, TheTraceIsThatOfTheAnswer) {
  const Path file = folder_ / "pauli.csv";
  write_file(file, noisy_w_state());
  const RunRecord found = run(file, 0, 5e-6);
  ASSERT_FALSE(found.trace.empty());
  EXPECT_EQ(found.trace.back().objective, number(found, "objective"));
}

// Bell states in white noise, without a word on the errors of their expectations.
TEST_F(Tomography, CompleteDataOfUnknownNoiseMayBeThoseOfAnyState) {
  const Path file = folder_ / "pauli.json";
  TomographyInput input;
  input.data = {file};
  for (const double white : {0.0, 0.15, 0.5, 1.0}) {
    Json values = Json::object();
    for (const char a : std::string("IXYZ")) {
      for (const char b : std::string("IXYZ")) {
        if (a == 'I' && b == 'I') continue;
        values[std::string{a, b}] = a != b ? 0.0 : (a == 'Y' ? white - 1 : 1 - white);
      }
    }
    write_file(file, values.dump());
    const Json summary = run_tomography(input, {}).summary;
    EXPECT_EQ(summary["rank"], white == 0 ? 1 : 4) << white;
    // (1 + 3 (1 - white)^2) / 4
    EXPECT_NEAR(summary["purity"].get<double>(), 0.25 + 0.75 * (1 - white) * (1 - white), 1e-4);
  }
}

TEST_F(Tomography, ValuesThatNoStateHasAreCalledSo) {
  const Path file = folder_ / "pauli.json";
  const auto warned = [&](const std::string& text, Index rank, const std::string& constraint = "") {
    write_file(file, text);
    TomographyInput input;
    input.data = {file};
    RunSettings settings;
    settings.rank = rank;
    settings.constraint = constraint;
    return run_tomography(input, settings);
  };
  // The nearest Bloch vector is (1, 1, 1) / sqrt(3): 1 - 0.577 is missing of each.
  const RunRecord qubit = warned(R"({"X": 1, "Y": 1, "Z": 1})", full_rank);
  EXPECT_THAT(warnings(qubit), HasSubstr("the fit misses the values by 0.42 (root mean square): no "
                                         "state has these values"));
  EXPECT_EQ(qubit.summary["fits_data"], false);
  EXPECT_THAT(warnings(warned(R"({"X": 1, "Y": 1, "Z": 1})", 0)),
              HasSubstr("try --rank full to see whether any state has these values"));
  const RunRecord pair =
      warned(R"({"XX": 1, "YY": 1, "ZZ": 1, "XI": 1, "IX": -1, "ZI": 1})", full_rank);
  EXPECT_THAT(warnings(pair), HasSubstr("no state has these values"));
  EXPECT_THAT(warnings(pair), Not(HasSubstr("one of many that fit")));
  // Values that a state has, all but, and those of which the noise is known.
  const RunRecord near = warned(R"({"XX": 1, "ZZ": 1, "YY": -0.85})", full_rank);
  EXPECT_THAT(warnings(near), HasSubstr("one of many that fit"));
  EXPECT_THAT(warnings(near), Not(HasSubstr("misses")));
  EXPECT_FALSE(near.summary.contains("fits_data"));
  const RunRecord noisy = warned(R"({"X": [1, 0.5], "Y": [1, 0.5], "Z": [1, 0.5]})", full_rank);
  EXPECT_THAT(warnings(noisy), Not(HasSubstr("misses")));
  EXPECT_THAT(warnings(warned(R"({"Y": 1})", full_rank, "real")),
              HasSubstr("no state within the constraint real has these values"));
}

TEST_F(Tomography, ATargetWithItsQubitsReversedIsNoticed) {
  const StateFactor psi = normalised(StateFactor::Random(8, 1));
  std::string text = "pauli,expectation\n";
  for (std::uint32_t k = 1; k < 64; ++k) {
    const PauliString p{k >> 3, k & 7};
    text += pauli_label(p, 3) + "," + std::to_string(expectation(p, psi)) + "\n";
  }
  write_file(folder_ / "pauli.csv", text);
  write_npy(folder_ / "same.npy", to_array(psi));
  write_npy(folder_ / "turned.npy", to_array(qubits_reversed(psi)));
  TomographyInput input;
  input.target = (folder_ / "turned.npy").string();
  const RunRecord turned = run(folder_ / "pauli.csv", 1, 5e-6, {}, input);
  ASSERT_LT(number(turned, "fidelity"), 0.9);
  EXPECT_THAT(warnings(turned),
              HasSubstr("with the qubits of the target reversed, the fidelity would be 1.0000"));
  input.target = (folder_ / "same.npy").string();
  EXPECT_EQ(warnings(run(folder_ / "pauli.csv", 1, 5e-6, {}, input)), "");
  input.target = "ghz";  // neither of them
  EXPECT_EQ(warnings(run(folder_ / "pauli.csv", 1, 5e-6, {}, input)), "");
}

TEST_F(Tomography, TheFidelityWithAPureDensityMatrixIsExact) {
  const StateFactor psi = normalised(StateFactor::Random(16, 1));
  const StateFactor u = normalised(StateFactor::Random(16, 3));
  const StateFactor target = to_state(to_array(StateFactor(psi * psi.adjoint())), 16, "rho.npy");
  EXPECT_NEAR(fidelity(u, target), (u.adjoint() * psi).squaredNorm(), 1e-13);
  EXPECT_NEAR(fidelity(psi, target), 1, 1e-13);
}

}  // namespace
}  // namespace projfgd::test
