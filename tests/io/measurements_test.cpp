// Every layout of measurements: small samples read right, each one cut anywhere refused, and the
// errors that people make named in one sentence.
#include "projfgd/io/measurements.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "projfgd/core/error.hpp"
#include "projfgd/io/json.hpp"
#include "support/temporary_folder.hpp"

namespace projfgd {
namespace {

using testing::HasSubstr;

Measurements parse(const std::string& name, const std::string& text,
                   const MeasurementFormat& format = {}) {
  return parse_measurements({{name, text}}, format);
}

CountsData counts(const std::string& name, const std::string& text,
                  const MeasurementFormat& format = {}) {
  return std::get<CountsData>(parse(name, text, format));
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

/// An NPY file of bytes, as numpy writes it.
std::string npy(const std::vector<std::uint8_t>& values, int rows, int columns) {
  std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (" +
                       std::to_string(rows) + ", " + std::to_string(columns) + "), }";
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += '\x01';
  bytes += '\x00';
  bytes += static_cast<char>(header.size() & 0xFF);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  bytes.append(values.begin(), values.end());
  return bytes;
}

const char* const labels_text = R"({"XZ": {"00": 450, "01": 38, "11": 12}, "YZ": [1, 2, 3, 4]})";
const char* const qiskit_text =
    R"json({"backend_name": "b", "results": [
 {"shots": 10, "data": {"counts": {"0x0": 7, "0x2": 3}},
  "header": {"name": "tomo_XZ_0", "memory_slots": 2, "creg_sizes": [["c", 2]], "metadata": {}}},
 {"shots": 5, "data": {"counts": {"1 0": 2, "0b11": 3}},
  "header": {"name": "circuit", "creg_sizes": [["a", 1], ["b", 1]],
             "metadata": {"basis": "YY"}}},
 {"shots": 4, "data": {"counts": {"10": 4}},
  "header": {"name": "StateTomography_(0, 1)", "memory_slots": 2, "metadata": {"m_idx": [1, 2]}}},
 {"shots": 4, "data": {"counts": {"01": 4}},
  "header": {"name": "('Z', 'Y')", "memory_slots": 2}}]})json";
const char* const quasi_text =
    R"({"quasi_dists": [{"0": 0.25, "3": 0.75}, {"1": 1.0}],
 "metadata": [{"shots": 1000, "basis": "XX"}, {"shots": 1000, "basis": "ZZ"}]})";
const char* const cirq_text =  // shots 01, 11, 11 of XY: 0b011111 and two bits of padding
    R"({"cirq_type": "ResultDict", "params": {"cirq_type": "ParamResolver", "param_dict": []},
 "records": {"XY": {"packed_digits": "7c", "binary": true, "dtype": "uint8", "shape": [3, 1, 2]}}})";
const char* const braket_text =
    R"({"measurementCounts": {"01": 30, "11": 70}, "measuredQubits": [0, 1]})";
const char* const ionq_text = R"({"0": 500, "3": 250})";
const char* const pauli_text = "pauli,expectation,stderr\n# rows: 2\nXI,0.5,0.01\nZZ,-1.01,0.02\n";

const char* const rows_text =
    "basis,outcome,count\n# rows: 7\nXZ,00,450\nXZ,01,38\nXZ,11,12\nYZ,00,1\nYZ,01,2\n"
    "YZ,10,3\nYZ,11,4\n";

TEST(Measurements, LabelToCounts) {
  const CountsData data = counts("a.json", labels_text);
  ASSERT_EQ(data.qubits, 2);
  ASSERT_EQ(data.settings.size(), 2u);
  EXPECT_EQ(data.settings[0], (Setting{2, 0}));  // qubit 0 is Z, the right letter
  EXPECT_EQ(data.settings[1], (Setting{2, 1}));
  EXPECT_EQ(data.counts, (Vector<double>(8) << 450, 38, 0, 12, 1, 2, 3, 4).finished());
  EXPECT_EQ(data.shots, (Vector<double>(2) << 500, 10).finished());
  MeasurementFormat turned;
  turned.label_qubit0_left = true;
  EXPECT_EQ(counts("a.json", labels_text, turned).settings[0], (Setting{0, 2}));
  turned.bits_qubit0_left = true;
  EXPECT_EQ(counts("a.json", labels_text, turned).counts[2], 38);
}

TEST(Measurements, ARowForEachOutcomeIsLabelToCounts) {
  const CountsData expected = counts("a.json", labels_text);
  const char* const list =
      R"([{"basis": "XZ", "outcome": "00", "count": 400}, {"basis": "XZ", "outcome": 1, "count": 38},
 {"basis": "YZ", "outcome": "00", "count": 1}, {"basis": "YZ", "outcome": "01", "count": 2},
 {"basis": "YZ", "outcome": "10", "count": 3}, {"basis": "YZ", "outcome": 3, "count": 4.0},
 {"basis": "XZ", "outcome": "0b11", "count": 12}, {"basis": "XZ", "outcome": "00", "count": 50}])";
  const char* const spreadsheet =
      "Count;note;Basis;Outcome\r\n450;;xz;00\r\n38;late;xz;01\r\n12;;xz;3\r\n1;;yz;00\r\n"
      "2;;yz;01\r\n3;;yz;10\r\n4;;yz;11\r\n";
  for (const std::string text : {rows_text, list, spreadsheet}) {
    for (const std::string format : {"auto", "labels"}) {
      const CountsData data = counts("rows", text, {.format = format});
      EXPECT_EQ(data.settings, expected.settings);
      EXPECT_EQ(data.counts, expected.counts);
      EXPECT_EQ(data.shots, expected.shots);
    }
  }
  const auto message = [](const std::string& text, const MeasurementFormat& format = {}) {
    return error_of([&] { parse("a", text, format); });
  };
  const std::string header = "basis,outcome,count\n";
  EXPECT_EQ(
      message("outcome,count\n00,4\n"),
      "a: line 1: found the header \"outcome,count\" without a column \"basis\", expected one "
      "such as basis,outcome,count or basis,00,01,10,11");
  EXPECT_EQ(message(header + "ZZ,02,4\n"),
            "a: line 2: found outcome \"02\", expected a bit string of 2 bits or an integer");
  EXPECT_EQ(message(header + "ZZ,7,4\n"),
            "a: line 2: found outcome 7, expected one of the 2^2 outcomes of 2 bits");
  EXPECT_EQ(message(header + "ZZ,00,x\n"),
            "a: line 2: count: found \"x\", expected a finite number up to 1e100");
  EXPECT_EQ(message(header + "ZZ,00,5\nZZZ,000,5\n"),
            "a: line 3: found a label of 3 qubits, expected 2 as in the first, \"ZZ\"");
  EXPECT_THAT(message(header + "ZZZZ,0,5\nZZZZ,10,5\n"),
              HasSubstr("a: line 3: found outcome \"10\", the bits 0010 or the number 10"));
  EXPECT_EQ(message(R"([{"basis": "ZZ", "outcome": "00"}])"),
            "a: [0]: found no count, expected the key \"count\"");
  EXPECT_EQ(message(R"([{"basis": "Z", "outcome": -1, "count": 3}])"),
            "a: [0]: found the outcome -1, expected a text such as \"00\"");
  EXPECT_EQ(message(rows_text, {.format = "qiskit"}),
            "a: found no JSON, expected the layout qiskit");
  EXPECT_THAT(message(rows_text, {.format = "pauli"}), HasSubstr("without a column \"pauli\""));
  EXPECT_THAT(error_of([] {
                parse_measurements({{"a.csv", rows_text}, {"b.csv", pauli_text}}, {});
              }),
              HasSubstr("b.csv: found Pauli expectations, expected counts in the layout labels"));
}

TEST(Measurements, QiskitResult) {
  const CountsData data = counts("a.json", qiskit_text);
  ASSERT_EQ(data.settings.size(), 4u);
  EXPECT_EQ(data.settings[0], (Setting{2, 0}));
  EXPECT_EQ(data.settings[1], (Setting{1, 1}));
  EXPECT_EQ(data.settings[2], (Setting{0, 1}));  // m_idx: qubit 0 is X, qubit 1 is Y
  EXPECT_EQ(data.settings[3], (Setting{1, 2}));
  EXPECT_EQ(data.counts.head(8), (Vector<double>(8) << 7, 0, 3, 0, 0, 0, 2, 3).finished());
  MeasurementFormat pattern;
  pattern.basis_pattern = "_basis([xyz]+)_";
  EXPECT_THAT(error_of([&] { parse("a.json", qiskit_text, pattern); }),
              HasSubstr("--basis-pattern does not match"));
  pattern.basis_pattern = "q1=([XYZ]);q0=([XYZ])";
  const CountsData one = counts(
      "a.json",
      R"({"results": [{"data": {"counts": {"0x1": 1}}, "header": {"name": "run q1=X;q0=Y"}}]})",
      pattern);
  EXPECT_EQ(one.settings[0], (Setting{1, 0}));
  pattern.basis_pattern = "([";
  EXPECT_THAT(error_of([&] { parse("a.json", qiskit_text, pattern); }), HasSubstr("basis-pattern"));
}

TEST(Measurements, QuasiDistributions) {
  const CountsData data = counts("a.json", quasi_text);
  EXPECT_TRUE(data.shots_known);
  EXPECT_EQ(data.counts, (Vector<double>(8) << 250, 0, 0, 750, 0, 1000, 0, 0).finished());
  const CountsData plain = counts("a.json", R"({"ZZ": {"0": 1.01, "3": -0.01}})");
  EXPECT_FALSE(plain.shots_known);
  EXPECT_EQ(plain.counts[3], -0.01);
  EXPECT_THAT(error_of([] { parse("a.json", R"({"ZZ": {"0": 0.5}})"); }), HasSubstr("sum to 0.5"));
}

TEST(Measurements, CirqResultDict) {
  const CountsData data = counts("a.json", cirq_text);
  EXPECT_EQ(data.settings[0], (Setting{1, 0}));
  EXPECT_EQ(data.counts, (Vector<double>(4) << 0, 1, 0, 2).finished());
}

TEST(Measurements, BraketAndIonqTakeTheBasisFromTheFileName) {
  EXPECT_EQ(counts("run_XZ.json", braket_text).counts,
            (Vector<double>(4) << 0, 30, 0, 70).finished());
  const CountsData two = std::get<CountsData>(
      parse_measurements({{"run_XZ.json", ionq_text}, {"run_ZZ.json", ionq_text}}, {}));
  EXPECT_EQ(two.settings[1], (Setting{2, 2}));
  EXPECT_EQ(two.counts, (Vector<double>(8) << 500, 0, 0, 250, 500, 0, 0, 250).finished());
  EXPECT_EQ(counts("s-YY.json", R"({"measurements": [[0, 1], [1, 1], [1, 1]]})").counts,
            (Vector<double>(4) << 0, 1, 0, 2).finished());
  EXPECT_THAT(error_of([] { parse("run.json", ionq_text); }), HasSubstr("no basis"));
}

TEST(Measurements, PennylaneShadows) {
  const NamedBytes bits{"bits.npy", npy({0, 1, 1, 1, 0, 0}, 3, 2)};
  const NamedBytes recipes{"recipes.npy", npy({0, 2, 0, 2, 1, 1}, 3, 2)};
  const CountsData data = std::get<CountsData>(parse_measurements({recipes, bits}, {}));
  ASSERT_EQ(data.settings.size(), 2u);
  EXPECT_EQ(data.settings[0], (Setting{2, 0}));
  EXPECT_EQ(data.counts, (Vector<double>(8) << 0, 1, 0, 1, 1, 0, 0, 0).finished());
  EXPECT_THROW(parse_measurements({bits}, {}), InputError);
}

TEST(Measurements, PauliExpectations) {
  const auto data = std::get<PauliData>(parse("a.csv", pauli_text));
  EXPECT_EQ(data.qubits, 2);
  EXPECT_EQ(data.strings[0], parse_pauli("XI"));
  EXPECT_EQ(data.values[1], -1.01);
  EXPECT_EQ(data.errors[1], 0.02);
  const auto crlf =
      std::get<PauliData>(parse("a.csv", "\xEF\xBB\xBFpauli,expectation\r\nXX,0.5\r\nXX,0.25\r\n"));
  EXPECT_EQ(crlf.values, (Vector<double>(2) << 0.5, 0.25).finished());
  for (const char* text : {R"({"XI": [0.5, 0.01], "ZZ": [0.2, 0.02]})",
                           R"([{"pauli": "XI", "expectation": 0.5, "stderr": 0.01}])"}) {
    const auto json = std::get<PauliData>(parse("a.json", text));
    EXPECT_EQ(json.values[0], 0.5);
    EXPECT_EQ(json.errors[0], 0.01);
  }
  MeasurementFormat turned;
  turned.label_qubit0_left = true;
  EXPECT_EQ(std::get<PauliData>(parse("a.csv", pauli_text, turned)).strings[0], parse_pauli("IX"));
}

TEST(Measurements, OnlyTheIdentityIsKnownWithoutError) {
  const std::string header = "pauli,expectation,stderr\n";
  EXPECT_THAT(error_of([&] { parse("a.csv", header + "XX,0.5,0.01\nZZ,1,0\n"); }),
              HasSubstr("a.csv: line 3: found the standard error 0 of ZZ"));
  EXPECT_THAT(error_of([] { parse("a.json", R"({"XX": [0.5, 0.01], "ZZ": [1, 0]})"); }),
              HasSubstr("a.json: ZZ: found the standard error 0"));
  const auto data = std::get<PauliData>(parse("a.csv", header + "XX,0.5,0.01\nII,1,0\n"));
  EXPECT_EQ(data.errors, (Vector<double>(2) << 0.01, 0.01).finished());
}

TEST(Measurements, ExpectationsRefuseOptionsOfCounts) {
  const auto refused = [](MeasurementFormat format) {
    return error_of([&] { parse("a.csv", pauli_text, format); });
  };
  EXPECT_EQ(refused({.shots = 100}), "--shots: found Pauli expectations, expected counts");
  EXPECT_EQ(refused({.bits_qubit0_left = true}),
            "--bit-order: found Pauli expectations, expected counts");
  EXPECT_THAT(refused({.basis_pattern = "([XYZ]+)"}), HasSubstr("--basis-pattern"));
  EXPECT_THAT(refused({.bases = {"bases.json", "{}"}}), HasSubstr("--bases"));
}

TEST(Measurements, CutAnywhereIsRefused) {
  const std::vector<NamedBytes> samples = {{"a.json", labels_text},      {"a.json", qiskit_text},
                                           {"a.json", quasi_text},       {"a.json", cirq_text},
                                           {"run_XZ.json", braket_text}, {"run_XZ.json", ionq_text},
                                           {"a.csv", pauli_text},        {"a.csv", rows_text}};
  for (const NamedBytes& sample : samples) {
    ASSERT_NO_THROW(parse_measurements({sample}, {}));
    for (std::size_t length = 0; length < sample.bytes.size(); ++length) {
      EXPECT_THROW(parse_measurements({{sample.path, sample.bytes.substr(0, length)}}, {}),
                   InputError)
          << sample.path << " cut at " << length;
    }
  }
  const NamedBytes bits{"bits.npy", npy({0, 1, 1, 1}, 2, 2)};
  for (std::size_t length = 0; length < bits.bytes.size(); ++length) {
    EXPECT_THROW(parse_measurements({{"bits.npy", bits.bytes.substr(0, length)}, bits}, {}),
                 InputError);
  }
}

TEST(Measurements, BadInputIsNamed) {
  const auto message = [](const char* name, const char* text) {
    return error_of([&] { parse(name, text); });
  };
  EXPECT_THAT(message("a.json", R"({"XA": {"00": 1}})"), HasSubstr("letter 'A'"));
  EXPECT_THAT(message("a.json", R"({"XX": {"00": 1}, "X": {"0": 1}})"), HasSubstr("1 qubits"));
  EXPECT_THAT(message("a.json", R"({"XX": {"00": -1}})"), HasSubstr("negative count -1"));
  EXPECT_THAT(message("a.csv", "basis,outcome,count\nX,0,5\nX,1,-1\nX,1,-3\n"),
              AllOf(HasSubstr("line 4"), HasSubstr("negative count -3")));
  EXPECT_THAT(message("a.json", R"({"XX": {}})"), HasSubstr("no counts"));
  EXPECT_THAT(message("a.json", R"({"XX": {"0a": 1}})"), HasSubstr("outcome \"0a\""));
  EXPECT_THAT(message("a.json", R"({"XX": {"7": 1}})"), HasSubstr("outcome 7"));
  EXPECT_THAT(message("a.json", R"({"XX": {"00": null}})"), HasSubstr("null"));
  EXPECT_THAT(message("a.json", R"({"XX": {"00": 1}, "XX": {"00": 1}})"), HasSubstr("XX"));
  EXPECT_THAT(message("a.json", "{}"), HasSubstr("empty"));
  EXPECT_THAT(message("a.csv", "pauli,expectation\nXQ,0.5\n"), HasSubstr("'Q'"));
  EXPECT_THAT(message("a.csv", "pauli,expectation\nXX,0.5\nX,0.5\n"), HasSubstr("line 3"));
  EXPECT_THAT(message("a.csv", "pauli,expectation\nXQ,0.5\n"), HasSubstr("a.csv: line 2: "));
  EXPECT_THAT(message("a.json", R"({"XX": {"00": 1}, "XЖ": {"00": 1}})"),
              HasSubstr("letter 'Ж' in label \"XЖ\""));
  EXPECT_THAT(message("a.csv", "pauli,expectation\nXX,0.5\nXЖ,0.5\n"),
              HasSubstr("letter 'Ж' in label \"XЖ\""));
  EXPECT_THAT(message("a.json", R"({"": {"0": 1}})"), HasSubstr("a.json: found an empty label"));
  EXPECT_THAT(message("a.json", R"({"X": {"0": 1e300}})"),
              HasSubstr("a.json: X.0: found 1e+300, expected a finite count up to 1e100"));
  EXPECT_THAT(message("a.json", R"({"XX": [0.5, 1e300]})"), HasSubstr("standard error 1e+300"));
  for (const char* scalar : {"null", "\"XX\"", "12", "true\n"}) {
    EXPECT_THAT(message("a.json", scalar), HasSubstr("expected Pauli expectations, counts of"));
  }
  EXPECT_THAT(message("a.csv", "pauli,expectation\nXX,1.5\n"), HasSubstr("1.5"));
  EXPECT_THAT(message("a.csv", "pauli,expectation\nXX,nan\n"), HasSubstr("a.csv"));
  EXPECT_THAT(message("a.json", R"([{"pauli": "XX", "expectation": "nan"}])"),
              HasSubstr(R"(a.json: [0] ("XX"): found "nan", expected a number)"));
  EXPECT_THAT(message("a.csv", "pauli,expectation\n"), HasSubstr("no row"));
  EXPECT_THROW(parse("a.csv", "pauli,expectation\n" + std::string(40, 'X') + ",0.5\n"),
               ResourceError);
  EXPECT_THROW(parse("a.json", R"({")" + std::string(40, 'X') + R"(": {"0": 1}})"), ResourceError);
}

TEST(Measurements, EveryLayoutOfferedIsReadOrRefusedByName) {
  for (const std::string& name : measurement_formats()) {
    MeasurementFormat format;
    format.format = name;
    EXPECT_THROW(parse_measurements({{"a.json", "[]"}}, format), InputError) << name;
  }
  MeasurementFormat format;
  format.format = "labels";
  EXPECT_EQ(
      std::get<CountsData>(parse_measurements({{"a.json", R"({"Z": [3, 1]})"}}, format)).qubits, 1);
}

TEST(Measurements, ReadoutCalibration) {
  const Readout full =
      parse_readout({"r.json", R"({"0": {"0": 90, "1": 10}, "1": {"0": 20, "1": 80}})"}, 1, false);
  EXPECT_EQ(full.full, (Matrix<double>(2, 2) << 0.9, 0.2, 0.1, 0.8).finished());
  const Readout ends = parse_readout(
      {"r.json", R"({"00": {"00": 80, "01": 20}, "11": {"11": 60, "01": 40}})"}, 2, false);
  ASSERT_EQ(ends.per_qubit.size(), 2u);
  EXPECT_NEAR(ends.per_qubit[0][1][0], 0.2, 1e-15);  // qubit 0 read as 1 when 0 was prepared
  EXPECT_NEAR(ends.per_qubit[1][0][1], 0.4, 1e-15);
  EXPECT_EQ(parse_readout({"r.json", "[[[0.9, 0.2], [0.1, 0.8]]]"}, 1, false).per_qubit[0][0][1],
            0.2);
  const Readout turned = parse_readout(
      {"r.json", R"({"00": {"00": 80, "01": 20}, "11": {"11": 60, "01": 40}})"}, 2, true);
  EXPECT_NEAR(turned.per_qubit[1][1][0], 0.2, 1e-15);
  EXPECT_THROW(parse_readout({"r.json", R"({"00": {"00": 1}})"}, 2, false), InputError);
  EXPECT_THROW(parse_readout({"r.json", "[[[0.9, 0.2], [0.2, 0.8]]]"}, 1, false), InputError);
}

TEST(Measurements, ReadoutOfAllBasisStatesAsOneMatrix) {
  EXPECT_EQ(parse_readout({"r.json", "[[0.9, 0.2], [0.1, 0.8]]"}, 1, false).full,
            (Matrix<double>(2, 2) << 0.9, 0.2, 0.1, 0.8).finished());
  const auto message = [](const char* text) {
    return error_of([&] { parse_readout({"r.json", text}, 1, false); });
  };
  EXPECT_EQ(
      message("[[1, 0, 0], [0, 1, 0], [0, 0, 1]]"),
      "r.json: found a matrix of 3 rows, expected 2 x 2 numbers, or a list of 2 x 2 matrices");
  EXPECT_EQ(message("[[1, 0], [0]]"), "r.json: [1]: found 1 entries, expected a row of 2 numbers");
  EXPECT_EQ(message("[[1, 0], 3]"), "r.json: [1]: found 3, expected a row of 2 numbers");
  EXPECT_EQ(message(R"([[1, "nan"], [0, 1]])"),
            R"(r.json: [0][1]: found "nan", expected a number)");
  EXPECT_THAT(message("[[0.9, 0.1], [0.2, 0.8]]"), HasSubstr("r.json: "));  // columns, not rows
  EXPECT_EQ(message("[[[1, 0], [0, 1]], [[1, 0], [0, 1]]]"),
            "r.json: found 2 matrices, expected one for the qubit");
}

}  // namespace
}  // namespace projfgd
