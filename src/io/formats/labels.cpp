// Counts by label: {"XX": {"00": 450, "01": 38}, "XY": ...}, or an array of 2^q counts for each
// label, or of the bits of each shot; or a row for each outcome, CSV with the columns basis,
// outcome and count, or JSON as
// [{"basis": "XX", "outcome": "00", "count": 450}, ...]; or CSV with a column for each outcome.
#include <fmt/format.h>

#include "columns.hpp"
#include "wide_table.hpp"

namespace projfgd::formats {
namespace {

void read_row(const Json& row, const std::string& where, Columns& columns, CountsBuilder& builder) {
  if (!row.is_object()) {
    fail(where, row.dump(), R"(an object such as {"basis": "XX", "outcome": "00", "count": 450})");
  }
  const auto found = columns.match(row, where);
  const Json &basis = *found[0], &outcome = *found[1];
  if (!basis.is_string()) fail(where, "the basis " + basis.dump(), "a text such as \"XX\"");
  if (!outcome.is_string() && !outcome.is_number_unsigned()) {
    fail(where, "the outcome " + outcome.dump(), "a text such as \"00\"");
  }
  builder.begin({basis.get<std::string>()}, where);
  // A program may have made numbers of bit strings: the text alone is certain.
  builder.add(outcome.is_string() ? outcome.get<std::string>() : outcome.dump(), *found[2], where);
}

/// One shot as bits, "01" or [0, 1]; empty for anything else.
std::string shot_of(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  std::string bits;
  for (const Json& bit : json.is_array() ? json : Json::array()) {
    if (!bit.is_number_unsigned() || bit.get<std::uint64_t>() > 1) return "";
    bits += bit.get<std::uint64_t>() == 1 ? '1' : '0';
  }
  return bits;
}

/// A list with the bits of every shot.
void add_listed_shots(const Json& shots, const std::string& where, CountsBuilder& builder) {
  for (std::size_t k = 0; k < shots.size(); ++k) {
    const std::string bits = shot_of(shots[k]), at = fmt::format("{}[{}]", where, k);
    if (bits.size() != static_cast<std::size_t>(builder.qubits())) {
      fail(at, shots[k].dump(), fmt::format("the {} bits of a shot", builder.qubits()));
    }
    builder.add(bits, 1.0, at);
  }
}

Columns columns_of_counts() { return {{basis_names, outcome_names, count_names}, 3}; }

}  // namespace

void read_labels(const Json& json, const std::filesystem::path& path, CountsBuilder& builder) {
  if (json.is_array()) {
    Columns columns = columns_of_counts();
    for (std::size_t i = 0; i < json.size(); ++i) {
      read_row(json[i], place(path, fmt::format("[{}]", i)), columns, builder);
    }
    columns.note_unused(path, builder);
  } else {
    for (const auto& [label, counts] : json.items()) {
      const std::string where = place(path, label);
      builder.begin({label}, where);
      const bool shots = counts.is_array() && !counts.empty() && !shot_of(counts[0]).empty();
      shots ? add_listed_shots(counts, where, builder) : builder.add_all(counts, where);
    }
  }
  builder.refuse_ambiguous_keys();
}

void read_counts_csv(const NamedBytes& file, CountsBuilder& builder) {
  CsvReader csv(file.bytes, file.path, header_of_counts);
  if (const auto wide = wide_table(csv.header())) {
    read_wide_table(*wide, csv, file.path, builder);
    builder.refuse_ambiguous_keys();
    return;
  }
  Columns columns = columns_of_counts();
  const auto found = columns.match(csv);
  const Index basis = found[0], outcome = found[1], count = found[2];
  while (csv.next()) {
    const std::string where = csv.lines().place();
    builder.begin({std::string(csv.field(basis))}, where);
    builder.add(std::string(csv.field(outcome)), csv.number(count), where);
  }
  columns.note_unused(file.path, builder);
  builder.refuse_ambiguous_keys();
}

}  // namespace projfgd::formats
