// What laboratories have: Pauli expectations and counts, in the layouts people keep them in.
#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "projfgd/operators/pauli_string.hpp"
#include "projfgd/operators/product_basis.hpp"
#include "projfgd/operators/projectors.hpp"
#include "projfgd/operators/readout.hpp"
#include "projfgd/operators/seen_outcomes.hpp"

namespace projfgd {

/// Expectation values of Pauli strings.
struct PauliData {
  int qubits = 0;
  std::vector<PauliString> strings;
  Vector<double> values;
  Vector<double> errors;                ///< standard errors, all > 0; empty when not given
  std::vector<std::string> notes = {};  ///< what is odd about the data, for the user
};

/// How often each outcome was seen in each setting. Outcomes that were never seen have 0.
struct CountsData {
  int qubits = 0;
  std::vector<QubitBasis> bases;
  std::vector<Setting> settings;
  Vector<double> counts;  ///< setting s, outcome k at s 2^q + k
  Vector<double> shots;   ///< of each setting; 1 where only frequencies are known
  bool shots_known = true;
  std::vector<std::string> notes;        ///< what was left out of the files, for the user
  std::vector<std::string> labels = {};  ///< of the outcomes, where files name each by itself
};

/// Counts of projectors on product states, each by itself: what the other outcomes of its basis
/// would have counted is not known. Count i has the mean
///   intensity exposures[i] <psi_i| rho |psi_i> + accidentals[i]
/// with an intensity that nobody knows.
struct ProjectorData {
  int qubits = 0;
  std::vector<QubitState> states;
  std::vector<Setting> projectors;  ///< the state of each qubit, qubit 0 first, in the list above
  Vector<double> counts;
  Vector<double> exposures;    ///< time times efficiency, in any unit, > 0
  Vector<double> accidentals;  ///< counts that have nothing to do with the state, on average
  std::vector<std::string> labels = {};  ///< as files name the projectors
  std::vector<std::string> notes = {};
};

/// Up to so many qubits all outcomes of a setting are kept, 4096 of them, and every statistic is
/// had that looks at them one by one. Of more qubits only those that were seen are kept.
inline constexpr int most_qubits_kept_whole = 12;

/// Counts of many qubits: the outcomes that were seen, in the order of SeenOutcomes, each setting
/// with a 0 behind its own for all others together.
struct SeenCounts {
  int qubits = 0;
  std::vector<QubitBasis> bases = {};
  SeenOutcomes seen = {};
  Vector<double> counts = {};
  Vector<double> shots = {};  ///< of each setting
  std::vector<std::string> notes = {};
};

/// The outcomes that were seen, alone.
SeenCounts seen_part(const CountsData& data);

using Measurements = std::variant<PauliData, CountsData, ProjectorData, SeenCounts>;

/// A file that was read.
struct NamedBytes {
  std::filesystem::path path;
  std::string bytes;
};

/// How files are to be read. In labels and bit strings the leftmost character is the highest qubit,
/// as in Qiskit; each can be turned round.
struct MeasurementFormat {
  std::string format = "auto";     ///< one of measurement_formats()
  bool label_qubit0_left = false;  ///< labels begin with qubit 0
  bool bits_qubit0_left = false;   ///< bit strings begin with qubit 0
  std::string basis_pattern = {};  ///< where the basis stands in a name; empty: looked for
  NamedBytes bases = {};           ///< JSON: letter to the two states of a basis, or to the state
                                   ///< of a projector; empty: none
  double shots = 0;                ///< of each setting when only frequencies are given
};

/// The names that MeasurementFormat::format may have.
std::vector<std::string> measurement_formats();

/// Reads one data set from one or more files of the same kind. Throws InputError naming the file,
/// the place, what was found and what was expected.
Measurements parse_measurements(const std::vector<NamedBytes>& files,
                                const MeasurementFormat& format);

/// A readout calibration for q qubits: prepared bit string to counts for all 2^q of them (a full
/// matrix) or for 0...0 and 1...1 (one matrix a qubit); a list of 2^q counts; or a list of q
/// matrices [[p(0|0), p(0|1)], [p(1|0), p(1|1)]], qubit 0 first.
Readout parse_readout(const NamedBytes& file, int qubits, bool bits_qubit0_left);

/// Pauli labels in capitals, one a line or in a JSON list, or the labels of a Pauli file. Throws
/// InputError unless each has `qubits` letters; 0: as many as the first.
std::vector<std::string> parse_observables(const NamedBytes& file, int qubits = 0);

}  // namespace projfgd
