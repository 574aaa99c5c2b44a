// What people call the columns of a table, or the keys of a row: the one place that knows.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "projfgd/io/text.hpp"
#include "reader.hpp"

namespace projfgd::formats {

/// Names of one column, our own first; found in any case, and with blanks or hyphens for '_'.
using Names = std::initializer_list<const char*>;

inline constexpr Names label_names = {"pauli", "label", "operator", "observable"};
inline constexpr Names value_names = {"expectation", "value", "mean", "expectation_value"};
/// Of a variance nobody can tell whether it is of the mean or of a single shot: it is not here.
inline constexpr Names error_names = {"stderr",         "error",   "std_error",   "sigma", "sem",
                                      "standard_error", "std_err", "stderror",    "se",    "err",
                                      "errors",         "stds",    "uncertainty", "std",   "stdev"};
inline constexpr Names basis_names = {"basis", "setting"};
inline constexpr Names outcome_names = {"outcome", "bitstring"};
inline constexpr Names count_names = {"count", "counts"};
inline constexpr Names own_projector_names = {"projector", "projection", "polarization",
                                              "polarisation"};
inline constexpr Names projector_names = {"projector", "projection", "polarization", "polarisation",
                                          "basis",     "setting",    "state",        "label"};
inline constexpr Names coincidence_names = {"count", "counts", "coincidences", "coincidence"};
inline constexpr Names exposure_names = {"exposure", "time", "duration", "integration_time"};
inline constexpr Names efficiency_names = {"efficiency", "relative_intensity", "intensity"};
inline constexpr Names accidental_names = {"accidentals", "accidental", "background"};

/// Headers that would do.
inline constexpr const char *header_of_counts = "basis,outcome,count or basis,00,01,10,11",
                            *header_of_projectors = "projector,count",
                            *headers =
                                "pauli,expectation or basis,outcome,count or "
                                "basis,00,01,10,11 or projector,count";

/// The position of the first of the names that is among those found, or -1.
Index find_names(const std::vector<std::string>& found, Names names);

/// In quotation marks, with commas between.
template <class Strings>
std::string quoted(const Strings& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + quote(name);
  return text;
}

/// Which columns a reader takes, and which it passes over.
class Columns {
 public:
  /// The first `required` of them must be there.
  Columns(std::initializer_list<Names> wanted, std::size_t required)
      : wanted_(wanted), required_(required) {}

  /// The position of each of those wanted, -1 where there is none.
  std::vector<Index> match(const CsvReader& csv);
  /// The value of each in a row of a list, nullptr where there is none.
  std::vector<const Json*> match(const Json& row, const std::string& where);

  /// Notes in one line all that was passed over.
  template <class Builder>
  void note_unused(const std::filesystem::path& path, Builder& builder) const {
    if (!unused_.empty()) builder.note(unused_line(path));
  }

 private:
  std::vector<Index> match(const std::vector<std::string>& found);
  [[noreturn]] void fail_missing(const Json& row, const char* name, const std::string& where) const;
  std::string unused_line(const std::filesystem::path& path) const;

  std::vector<Names> wanted_;
  std::size_t required_;
  std::set<std::string> unused_;
};

}  // namespace projfgd::formats
