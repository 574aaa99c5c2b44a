// Counts of single projectors, as photon laboratories keep them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reader.hpp"

namespace projfgd::formats {

/// Collects counts of projectors on products of one-qubit states. Letters: H V D A R L, signed
/// letters of the Pauli bases such as X+ and Y-, + and - for those of X, 0 and 1 for those of Z,
/// and the states of MeasurementFormat::bases.
class ProjectorBuilder {
 public:
  /// Throws InputError for options that speak of settings.
  explicit ProjectorBuilder(const MeasurementFormat& format);

  /// What was counted, in what multiple of the unit of time and efficiency, and how many of these
  /// counts are expected to be accidental.
  struct Count {
    double count = 0, exposure = 1, accidentals = 0;
  };
  void add(const std::string& label, const Count& found, const std::string& where);

  /// States by letter, {"T": [a, b]}, above those that have the same letter.
  void define(const Json& states, const std::filesystem::path& path);

  /// Something that was left out, in one line.
  void note(std::string line) { notes_.push_back(std::move(line)); }

  /// Counts of settings where the projectors are those of complete bases that were counted alike:
  /// the sum over a basis tells the intensity and nothing of the state. Else the projectors.
  Measurements finish(const std::string& where) &&;

 private:
  Setting parse_label(const std::string& label, const std::string& where) const;
  void require_counts(const std::string& where);

  const MeasurementFormat& format_;
  std::map<char, std::uint8_t> letters_;
  ProjectorData data_;
  std::vector<double> counts_, exposures_, accidentals_;
  std::vector<std::string> notes_;
  std::string first_;  // label
};

/// Whether a key of an object and its value are a projector and nothing else: letters H V D A R L
/// or signed ones, and a count or an object that has one.
bool is_projector(std::string_view label, const Json& value);
bool is_projector_label(std::string_view label);

/// {"HH": 34749, ...}, also with an object {"count", "exposure", "efficiency", "accidentals"} for a
/// number; a list of such rows with the key "projector"; or a file of KwiatLab's program.
void read_projectors(const Json& json, const std::filesystem::path& path,
                     ProjectorBuilder& builder);
/// CSV with the columns projector and count, and perhaps exposure, efficiency and accidentals.
void read_projectors_csv(const NamedBytes& file, ProjectorBuilder& builder);

}  // namespace projfgd::formats
