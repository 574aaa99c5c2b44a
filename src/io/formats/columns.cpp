#include "columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "projectors.hpp"
#include "wide_table.hpp"

namespace projfgd::formats {
namespace {

/// In small letters, with '_' between words.
std::string plain_name(std::string_view name) {
  std::string plain(name);
  for (char& c : plain) {
    if (c == ' ' || c == '-') c = '_';
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return plain;
}

}  // namespace

Index find_names(const std::vector<std::string>& found, Names names) {
  for (const char* name : names) {
    const auto at = std::ranges::find_if(
        found, [name](const std::string& own) { return plain_name(own) == name; });
    if (at != found.end()) return at - found.begin();
  }
  return -1;
}

namespace {

std::vector<std::string> keys_of(const Json& row) {
  std::vector<std::string> keys;
  for (const auto& item : row.items()) keys.push_back(item.key());
  return keys;
}

/// A bit string is counted, and where nothing is a value so is what belongs to a basis. What is
/// counted without outcomes are projectors, where the first label is one.
const char* kind_of(const std::vector<std::string>& found, std::string_view label) {
  const auto has = [&found](Names names) { return find_names(found, names) >= 0; };
  if (has(outcome_names)) return "labels";
  if (has(value_names)) return "pauli";
  const bool counted = has(coincidence_names) && is_projector_label(label);
  if (has(own_projector_names) || counted) return "projectors";
  return has(basis_names) || has(count_names) ? "labels" : "pauli";
}

/// "HV", also from ["H", "V"].
std::string text_of(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  std::string text;
  for (const Json& part : json.is_array() ? json : Json::array()) text += text_of(part);
  return text;
}

}  // namespace

std::vector<Index> Columns::match(const std::vector<std::string>& found) {
  std::vector<Index> positions;
  for (const Names names : wanted_) positions.push_back(find_names(found, names));
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool used = std::ranges::find(positions, static_cast<Index>(i)) != positions.end();
    // The numbers of the rows stand in a column without a name.
    if (!used && !found[i].empty()) unused_.insert(found[i]);
  }
  return positions;
}

std::vector<Index> Columns::match(const CsvReader& csv) {
  std::vector<Index> positions = match(csv.header());
  for (std::size_t k = 0; k < required_; ++k) {
    if (positions[k] < 0) csv.required_column(*wanted_[k].begin());  // throws
  }
  return positions;
}

std::vector<const Json*> Columns::match(const Json& row, const std::string& where) {
  std::vector<const Json*> values;
  for (const Index position : match(keys_of(row))) {
    const std::size_t k = values.size();
    if (position < 0 && k < required_) fail_missing(row, *wanted_[k].begin(), where);
    values.push_back(position < 0 ? nullptr : &*std::next(row.begin(), position));
  }
  return values;
}

void Columns::fail_missing(const Json& row, const char* name, const std::string& where) const {
  std::vector<std::string> others = keys_of(row);
  std::erase_if(others, [this](const std::string& key) { return !unused_.contains(key); });
  fail(where, fmt::format("no {}{}", name, others.empty() ? "" : " but " + quoted(others)),
       fmt::format("the key \"{}\"", name));
}

std::string Columns::unused_line(const std::filesystem::path& path) const {
  std::vector<const char*> known;
  for (const Names names : wanted_) known.push_back(*names.begin());
  const bool one = unused_.size() == 1;
  return fmt::format("{}: the column{} {} {} ignored; known columns are {}", path.string(),
                     one ? "" : "s", quoted(unused_), one ? "was" : "were", fmt::join(known, ", "));
}

const char* layout_of_row(const Json& row) {
  if (!row.is_object()) return "pauli";
  const std::vector<std::string> keys = keys_of(row);
  const Index label = find_names(keys, projector_names);
  return kind_of(keys, label < 0 ? "" : text_of(*std::next(row.begin(), label)));
}

const char* layout_of_csv(const NamedBytes& file) {
  CsvReader csv(file.bytes, file.path, headers);
  if (wide_table(csv.header())) return "labels";
  const Index label = find_names(csv.header(), projector_names);
  const bool counted = label >= 0 && find_names(csv.header(), coincidence_names) >= 0;
  return kind_of(csv.header(), counted && csv.next() ? csv.field(label) : "");
}

}  // namespace projfgd::formats
