// What the readers of the single formats share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "projfgd/io/json.hpp"
#include "projfgd/io/measurements.hpp"

namespace projfgd::formats {

/// Throws InputError "place: found ..., expected ...".
[[noreturn]] void fail(const std::string& place, const std::string& found,
                       const std::string& expected);

/// True when the first character is that of a JSON object or list.
bool is_json(const NamedBytes& file);

/// A label in capital letters.
std::string capitals(std::string label);

/// Throws InputError for the first letter of a label that is not known.
void require_letters(std::string_view label, const std::function<bool(char)>& known,
                     const char* expected, const std::string& where);

/// "file: field" as errors say it; the file alone for a field without a name.
std::string place(const std::filesystem::path& path, const std::string& field);

/// A basis label, and the text it was found in where a pattern was searched for.
struct FoundLabel {
  std::string label, text = {};
  bool empty() const { return label.empty(); }
};

/// Counts by outcome, in few bytes each. What comes again is added up whenever the memory is full.
class OutcomeCounts {
 public:
  void add(std::uint64_t outcome, double count) {
    if (counts_.size() == counts_.capacity()) merge();
    counts_.emplace_back(outcome, count);
  }
  /// Each outcome once, in ascending order.
  void merge();
  const std::vector<std::pair<std::uint64_t, double>>& counts() const { return counts_; }
  double sum() const;

 private:
  std::vector<std::pair<std::uint64_t, double>> counts_;
};

/// Collects counts setting by setting, and lays them out as an operator wants them.
class CountsBuilder {
 public:
  explicit CountsBuilder(const MeasurementFormat& format);
  CountsBuilder(const CountsBuilder&) = delete;
  CountsBuilder& operator=(const CountsBuilder&) = delete;

  /// The counts that follow belong to this label, "XYZ", also "xyz", "X,Y,Z" or "('X', 'Y', 'Z')".
  /// A label may come again: counts add up.
  void begin(const FoundLabel& found, const std::string& where);

  /// Of `width` bits the outcomes have, the label's qubits are those from bit `lowest` on; what the
  /// others say is summed over. Until the next begin().
  void choose_bits(std::size_t width, std::size_t lowest);

  /// Something that was left out, in one line.
  void note(std::string line) { notes_.push_back(std::move(line)); }

  /// A key of any of the layouts: "0110", "01 10", "0x6", "0b110" or "6".
  void add(const std::string& key, const Json& value, const std::string& where);
  void add(const std::string& key, double value, const std::string& where);
  /// An outcome as a number, the leftmost bit the highest.
  void add(std::uint64_t outcome, double value, const std::string& where);
  /// All of an object {key: value}, or of an array of 2^q values.
  void add_all(const Json& counts, const std::string& where);

  /// Shots of the current setting, told beside frequencies.
  void set_shots(double shots) { current_->second.shots = shots; }
  /// The values are frequencies even if they happen to be whole numbers.
  void set_frequencies() { frequencies_ = true; }
  /// "10" among outcomes of four bits may be 0010 or the number ten; a key with a digit above 1
  /// tells, as does a layout of frequencies, whose keys are numbers.
  void refuse_ambiguous_keys() const;

  int qubits() const { return static_cast<int>(qubits_); }
  /// With all outcomes of all settings.
  CountsData finish(const std::string& where) &&;
  /// The same, or SeenCounts of more qubits than are kept whole.
  Measurements measurements(const std::string& where) &&;

 private:
  /// What there may be very many of: memory is to be in proportion to the file.
  struct Entry {
    std::size_t place_begin = 0, place_size = 0;  ///< in places_
    OutcomeCounts values = {};
    double shots = 0;
  };
  using Entries = std::map<std::string, Entry>;
  using Labelled = Entries::value_type;
  /// The least count below 0 of a setting.
  struct Negative {
    double count = 0;
    std::string where = {};
  };
  /// The first key that may be bits as well as a decimal number.
  struct AmbiguousKey {
    std::string key, where;
    std::size_t width = 0;
  };
  std::string plain_label(const std::string& label) const;
  std::uint64_t parse_outcome(const std::string& key, const std::string& where);
  bool are_frequencies() const;
  void require_room() const;
  void merge_counts();
  std::string place_of(const Entry& entry) const;
  /// Throws InputError for its least count below 0.
  [[noreturn]] void fail_negative(const Entry& entry, const std::string& expected) const;
  double checked_shots(const Entry& entry, bool frequencies) const;
  Setting setting_of(const std::string& label) const;
  SeenCounts seen_counts();

  const MeasurementFormat& format_;
  std::map<char, std::uint8_t> letters_;
  std::vector<QubitBasis> bases_;
  Entries by_label_;
  std::vector<Labelled*> entries_;  ///< in the order of the file
  Labelled* current_ = nullptr;
  std::string places_;  ///< of all settings, one after the other
  std::map<const Entry*, Negative> negative_;
  std::vector<std::string> notes_;
  std::size_t qubits_ = 0;
  std::size_t width_ = 0, lowest_ = 0;  // of the outcomes, and where the qubits are in them
  bool frequencies_ = false, whole_ = true;
  bool decimals_ = false;  // a key has digits above 1
  AmbiguousKey ambiguous_;
};

/// Collects Pauli expectations string by string.
class PauliBuilder {
 public:
  /// Throws InputError for options that speak of counts alone.
  explicit PauliBuilder(const MeasurementFormat& format);

  /// `error` is not a number when it is not given.
  void add(std::string label, double value, double error, const std::string& where);
  void note(std::string line) { notes_.push_back(std::move(line)); }
  PauliData finish(const std::string& where) &&;

 private:
  /// A stderr of 0, which the identity alone may have, becomes the smallest that was seen.
  void set_errors(PauliData& data) const;
  void note_identity(PauliData& data) const;
  void note_contradictions(PauliData& data) const;

  static constexpr std::size_t most_places = 100'000;  // more would weigh more than the data
  const MeasurementFormat& format_;
  std::vector<std::string> places_;  // of the first rows
  std::vector<std::string> notes_;
  std::size_t qubits_ = 0;
  std::string first_;  // label
  std::vector<PauliString> strings_;
  std::vector<double> values_, errors_;
};

/// The basis label in one of the texts: by the user's pattern (its groups joined, or all of the
/// match), else the one word of X, Y and Z with `qubits` letters (any number for 0).
/// Throws InputError when there is none.
FoundLabel find_label(const std::vector<std::string>& texts, const MeasurementFormat& format,
                      std::size_t qubits, const std::string& where);

/// The same, but empty when there is none.
FoundLabel try_label(const std::vector<std::string>& texts, const MeasurementFormat& format,
                     std::size_t qubits);

/// Throws InputError unless the user's pattern, where there is one, is a regular expression.
void require_basis_pattern(const MeasurementFormat& format);

/// The layout that the keys of a row of a list, or the header of a CSV file, belong to: pauli,
/// labels or projectors. Throws InputError where there is no header.
const char* layout_of_row(const Json& row);
const char* layout_of_csv(const NamedBytes& file);

/// A number, or [real, imaginary].
std::complex<double> amplitude(const Json& json, const std::string& where);

/// One reader a format.
void read_pauli_csv(const NamedBytes& file, PauliBuilder& builder);
void read_pauli_json(const Json& json, const std::filesystem::path& path, PauliBuilder& builder);
void read_labels(const Json& json, const std::filesystem::path& path, CountsBuilder& builder);
void read_counts_csv(const NamedBytes& file, CountsBuilder& builder);
void read_qiskit(const Json& json, const std::filesystem::path& path,
                 const MeasurementFormat& format, CountsBuilder& builder);
void read_quasi(const Json& json, const std::filesystem::path& path,
                const MeasurementFormat& format, CountsBuilder& builder);
void read_cirq(const Json& json, const std::filesystem::path& path, const MeasurementFormat& format,
               CountsBuilder& builder);
void read_braket(const Json& json, const std::filesystem::path& path,
                 const MeasurementFormat& format, CountsBuilder& builder);
void read_histogram(const Json& json, const std::filesystem::path& path,
                    const MeasurementFormat& format, CountsBuilder& builder);
void read_pennylane(const std::vector<NamedBytes>& files, CountsBuilder& builder);

}  // namespace projfgd::formats
