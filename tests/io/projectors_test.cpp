// Counts of single projectors in every layout that photon laboratories keep them in.
#include <gmock/gmock.h>

#include <string>

#include "projfgd/core/error.hpp"
#include "projfgd/io/measurements.hpp"

namespace projfgd::test {
namespace {

using testing::HasSubstr;

Measurements read(const std::string& text, const MeasurementFormat& format = {}) {
  return parse_measurements({{"data", text}}, format);
}

ProjectorData projectors(const std::string& text, const MeasurementFormat& format = {}) {
  return std::get<ProjectorData>(read(text, format));
}

std::string refusal(const std::string& text, const MeasurementFormat& format = {}) {
  try {
    read(text, format);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// The amplitudes of projector i.
Matrix<std::complex<double>> ket(const ProjectorData& data, std::size_t i) {
  return product_bras(data.states, {data.projectors[i]}).adjoint();
}

TEST(Projectors, LettersAreStates) {
  const ProjectorData data = projectors(R"({"HD": 5, "RV": 7, "x- Y+": 3, "L,A": 1})");
  EXPECT_EQ(data.qubits, 2);
  EXPECT_EQ(data.counts, (Vector<double>(4) << 5, 7, 3, 1).finished());
  EXPECT_EQ(data.exposures, Vector<double>::Ones(4));
  EXPECT_EQ(data.accidentals, Vector<double>::Zero(4));
  const double half = std::sqrt(0.5);
  const std::complex<double> i(0, 1);
  // The leftmost letter is the highest qubit: the high bit of the index.
  EXPECT_LE(
      (ket(data, 0) - half * (Matrix<std::complex<double>>(4, 1) << 1, 1, 0, 0).finished()).norm(),
      1e-15);
  EXPECT_LE(
      (ket(data, 1) - half * (Matrix<std::complex<double>>(4, 1) << 0, 1, 0, i).finished()).norm(),
      1e-15);
  EXPECT_LE(
      (ket(data, 2) - 0.5 * (Matrix<std::complex<double>>(4, 1) << 1, i, -1, -i).finished()).norm(),
      1e-15);
  EXPECT_LE(
      (ket(data, 3) - 0.5 * (Matrix<std::complex<double>>(4, 1) << 1, -1, -i, i).finished()).norm(),
      1e-15);
  MeasurementFormat left;
  left.label_qubit0_left = true;
  EXPECT_EQ(projectors(R"({"HD": 5, "RV": 7})", left).projectors,
            projectors(R"({"DH": 5, "VR": 7})").projectors);
}

TEST(Projectors, CoordinatesAreExpectations) {
  const ProjectorData data = projectors(R"({"HDR": 5, "RVA": 7, "LLH": 3})");
  const Matrix<double> t = projector_coordinates(data.states, data.projectors);
  ASSERT_EQ(t.cols(), 64);
  // Of a projector on itself: 2^q sum_P T_P^2 = 1.
  for (Index i = 0; i < 3; ++i) EXPECT_NEAR(8 * t.row(i).squaredNorm(), 1, 1e-15);
  const double overlap = 8 * t.row(0).dot(t.row(1));
  EXPECT_NEAR(overlap, std::norm(ket(data, 0).col(0).dot(ket(data, 1).col(0))), 1e-15);
}

TEST(Projectors, ExposureEfficiencyAndAccidentals) {
  const ProjectorData json = projectors(
      R"({"HH": {"counts": 50, "exposure": 2, "efficiency": 0.25, "accidentals": 3}, "HV": 7})");
  EXPECT_EQ(json.exposures, (Vector<double>(2) << 0.5, 1).finished());
  EXPECT_EQ(json.accidentals, (Vector<double>(2) << 3, 0).finished());
  const ProjectorData csv =
      projectors("projector,coincidences,time,background\nHH,50,0.5,3\nHV,7,1,0\n");
  EXPECT_EQ(csv.counts, json.counts);
  EXPECT_EQ(csv.exposures, json.exposures);
  EXPECT_EQ(csv.accidentals, json.accidentals);
  EXPECT_EQ(csv.projectors, json.projectors);
  const ProjectorData rows = projectors(
      R"([{"projector": "HH", "count": 50, "exposure": 0.5, "accidentals": 3},
          {"projector": "HV", "count": 7, "comment": 1}])");
  EXPECT_EQ(rows.exposures, json.exposures);
  EXPECT_THAT(rows.notes.at(0), HasSubstr("comment"));
  EXPECT_EQ(projectors("basis;count\nHH;50\nHV;7\n").counts, json.counts);
}

TEST(Projectors, FilesOfKwiatLab) {
  const ProjectorData data = projectors(R"({"n_qubits": 2, "n_detectors_per_qubit": 1,
      "measurement_states": {"H": [1, 0], "S": [1, "-0.5 - 0.5j"], "R": [1, "1j"]},
      "data": [{"basis": ["H", "S"], "integration_time": 2, "counts": [9, 8, 70]},
               {"basis": ["R", "H"], "relative_intensity": 0.5, "counts": [5]}]})");
  EXPECT_EQ(data.counts, (Vector<double>(2) << 70, 5).finished());
  EXPECT_EQ(data.exposures, (Vector<double>(2) << 2, 0.5).finished());
  const auto psi = ket(data, 0);
  EXPECT_LE(std::abs(psi(1) / psi(0) - std::complex<double>(-0.5, -0.5)), 1e-15);
}

TEST(Projectors, OwnStates) {
  MeasurementFormat format;
  format.bases = {"states.json", R"({"T": [1, [0, 2]], "R": [1, [0, -1]]})"};
  const ProjectorData data = projectors(R"({"TH": 5, "RH": 7, "HH": 1})", format);
  EXPECT_LE(std::abs(ket(data, 0)(2) / ket(data, 0)(0) - std::complex<double>(0, 2)), 1e-15);
  // R as James, Kwiat, Munro and White (2001) have it.
  EXPECT_LE(std::abs(ket(data, 1)(2) / ket(data, 1)(0) - std::complex<double>(0, -1)), 1e-15);
  format.bases.bytes = R"({"T": [0, 0]})";
  EXPECT_THAT(refusal(R"({"TH": 5, "HH": 1})", format), HasSubstr("not both 0"));
}

TEST(Projectors, CompleteBasesAreSettings) {
  const std::string text =
      R"({"HH": 10, "HV": 2, "VH": 0, "VV": 9, "DR": 1, "DL": 2, "AR": 3, "AL": 4})";
  const auto data = std::get<CountsData>(read(text));
  EXPECT_EQ(data.settings, (std::vector<Setting>{{2, 2}, {1, 0}}));
  EXPECT_EQ(data.counts, (Vector<double>(8) << 10, 2, 0, 9, 1, 2, 3, 4).finished());
  EXPECT_EQ(data.shots, (Vector<double>(2) << 21, 10).finished());
  // One that is missing is not known, and so are those of another exposure.
  EXPECT_NO_THROW(
      projectors(R"({"HH": 10, "HV": 2, "VV": 9, "DR": 1, "DL": 2, "AR": 3, "AL": 4})"));
  EXPECT_NO_THROW(projectors("projector,count,exposure\nH,4,1\nV,5,2\n"));
  EXPECT_NO_THROW(projectors("projector,count,accidentals\nH,4,1\nV,5,0\n"));
  EXPECT_NO_THROW(projectors("projector,count\nH,4\nV,5\nV,5\n"));
}

TEST(Projectors, OtherDataKeepTheirLayout) {
  EXPECT_NO_THROW(std::get<PauliData>(read(R"({"XX": 0.5, "ZZ": 1})")));
  EXPECT_NO_THROW(std::get<CountsData>(read(R"({"X": {"0": 5, "1": 7}})")));
  MeasurementFormat forced;
  forced.format = "projectors";
  EXPECT_EQ(projectors(R"({"XZ": 450, "0+": 3})", forced).projectors[0], (Setting{0, 2}));
  MeasurementFormat letters;  // a basis that has the letter of a state
  letters.bases = {"bases.json", R"({"H": [[1, 0], [0, 1]]})"};
  EXPECT_NO_THROW(std::get<CountsData>(read(R"({"H": {"0": 5, "1": 7}})", letters)));
}

TEST(Projectors, WhatIsWrongIsNamed) {
  EXPECT_THAT(refusal(R"({"HH": 5, "HQ": 1})"),
              HasSubstr("data: HQ: found letter 'Q' in label \"HQ\", expected H, V, D, A, R, L"));
  EXPECT_THAT(refusal(R"({"HH": 5, "HX": 1})"),
              HasSubstr("expected the sign of the state, as in X+"));
  EXPECT_THAT(refusal(R"({"HH": 5, "H": 1})"), HasSubstr("label \"H\" of 1 qubits, expected 2"));
  EXPECT_THAT(refusal(R"({"HH": 5, "HV": -1})"),
              HasSubstr("found the count -1, expected raw counts"));
  EXPECT_THAT(refusal(R"({"HH": 5, "HV": "x"})"), HasSubstr("expected a number"));
  EXPECT_THAT(refusal(R"({"HH": 0, "HV": 0})"), HasSubstr("found no counts"));
  EXPECT_THAT(refusal(R"({"HH": 0.5, "HV": 0.25})"), HasSubstr("--shots"));
  EXPECT_THAT(refusal("projector,count,exposure\nH,4,0\n"), HasSubstr("found the exposure 0"));
  EXPECT_THAT(refusal("projector,count,accidentals\nH,4,-1\n"), HasSubstr("accidentals >= 0"));
  EXPECT_THAT(refusal("basis,count\nXZ,4\n"), HasSubstr("without a column \"outcome\""));
  EXPECT_THAT(refusal("projector,accidentals\nH,1\n"), HasSubstr("count"));
  MeasurementFormat format;
  format.shots = 100;
  EXPECT_EQ(projectors(R"({"HH": 0.5, "HV": 0.25})", format).counts[1], 25);
  EXPECT_THAT(refusal(R"({"HH": 5, "HV": 1})", format), HasSubstr("--shots: found counts"));
  format = {};
  format.bits_qubit0_left = true;
  EXPECT_THAT(refusal(R"({"HH": 5, "HV": 1})", format), HasSubstr("--bit-order"));
}

TEST(Projectors, AFileThatWasCutIsRefused) {
  for (const std::string& text :
       {std::string(R"({"HH": {"count": 50, "exposure": 2}, "HV": 7, "DR": 12})"),
        std::string(R"([{"projector": "HH", "count": 50}, {"projector": "HV", "count": 5}])"),
        std::string("# rows: 2\nprojector,count,exposure\nHH,50,2\nHV,7,1\n")}) {
    ASSERT_EQ(refusal(text), "");
    for (std::size_t size = 0; size < text.size(); ++size) {
      EXPECT_NE(refusal(text.substr(0, size)), "") << text.substr(0, size);
    }
  }
}

}  // namespace
}  // namespace projfgd::test
