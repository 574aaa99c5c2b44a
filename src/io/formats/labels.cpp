// Counts by label: {"XX": {"00": 450, "01": 38}, "XY": ...}, or an array of 2^q counts for each
// label; or a row for each outcome, CSV with the columns basis, outcome and count, or JSON as
// [{"basis": "XX", "outcome": "00", "count": 450}, ...].
#include <fmt/format.h>

#include "projfgd/io/text.hpp"
#include "reader.hpp"

namespace projfgd::formats {
namespace {

constexpr const char *basis_name = "basis", *outcome_name = "outcome", *count_name = "count";

void read_row(const Json& row, const std::string& where, CountsBuilder& builder) {
  if (!row.is_object()) {
    fail(where, row.dump(), R"(an object such as {"basis": "XX", "outcome": "00", "count": 450})");
  }
  for (const char* key : {basis_name, outcome_name, count_name}) {
    if (!row.contains(key))
      fail(where, fmt::format("no {}", key), fmt::format("the key \"{}\"", key));
  }
  const Json &basis = row[basis_name], &outcome = row[outcome_name];
  if (!basis.is_string()) fail(where, "the basis " + basis.dump(), "a text such as \"XX\"");
  if (!outcome.is_string() && !outcome.is_number_unsigned()) {
    fail(where, "the outcome " + outcome.dump(), "a text such as \"00\"");
  }
  builder.begin({basis.get<std::string>()}, where);
  // A program may have made numbers of bit strings: the text alone is certain.
  builder.add(outcome.is_string() ? outcome.get<std::string>() : outcome.dump(), row[count_name],
              where);
}

}  // namespace

void read_labels(const Json& json, const std::filesystem::path& path, CountsBuilder& builder) {
  if (json.is_array()) {
    for (std::size_t i = 0; i < json.size(); ++i) {
      read_row(json[i], place(path, fmt::format("[{}]", i)), builder);
    }
  } else {
    for (const auto& [label, counts] : json.items()) {
      const std::string where = place(path, label);
      builder.begin({label}, where);
      builder.add_all(counts, where);
    }
  }
  builder.refuse_ambiguous_keys();
}

bool is_row_of_counts(const Json& row) { return row.is_object() && row.contains(outcome_name); }

bool is_csv_of_counts(const NamedBytes& file) {
  const CsvReader csv(file.bytes, file.path, "pauli,expectation or basis,outcome,count");
  return csv.column(outcome_name) >= 0;
}

void read_counts_csv(const NamedBytes& file, CountsBuilder& builder) {
  CsvReader csv(file.bytes, file.path, "basis,outcome,count");
  const Index basis = csv.required_column(basis_name), outcome = csv.required_column(outcome_name),
              count = csv.required_column(count_name);
  while (csv.next()) {
    const std::string where = csv.lines().place();
    builder.begin({std::string(csv.field(basis))}, where);
    builder.add(std::string(csv.field(outcome)), csv.number(count), where);
  }
  builder.refuse_ambiguous_keys();
}

}  // namespace projfgd::formats
