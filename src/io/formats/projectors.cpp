#include "projectors.hpp"

#include <fmt/format.h>

#include "columns.hpp"

namespace projfgd::formats {
namespace {

/// All but the label may have any of these columns.
Columns columns_of_projectors() {
  return {{projector_names, coincidence_names, exposure_names, efficiency_names, accidental_names},
          2};
}

double number(const Json& json, const char* what, const std::string& where) {
  if (!json.is_number()) fail(where, fmt::format("the {} {}", what, json.dump()), "a number");
  return json.get<double>();
}

/// Of singles and coincidences, as KwiatLab's program lists them, the coincidences come last.
const Json& coincidences(const Json& counts) {
  return counts.is_array() && !counts.empty() ? counts.back() : counts;
}

/// "HV", or ["H", "V"].
std::string projector_label(const Json& json, const std::string& where) {
  if (json.is_string()) return json.get<std::string>();
  std::string label;
  for (const Json& letter : json.is_array() ? json : Json::array()) {
    if (!letter.is_string()) break;
    label += letter.get<std::string>();
  }
  if (label.empty()) fail(where, "the projector " + json.dump(), "a text such as \"HV\"");
  return label;
}

void read_row(const Json& row, const std::string& where, Columns& columns,
              ProjectorBuilder& builder) {
  if (!row.is_object())
    fail(where, row.dump(), R"(an object such as {"projector": "HV", "count": 324})");
  const auto found = columns.match(row, where);
  const auto factor = [&](std::size_t k, const char* what, double otherwise) {
    return found[k] == nullptr ? otherwise : number(*found[k], what, where);
  };
  builder.add(projector_label(*found[0], where),
              {number(coincidences(*found[1]), "count", where),
               factor(2, "exposure", 1) * factor(3, "efficiency", 1), factor(4, "accidentals", 0)},
              where);
}

void read_rows(const Json& rows, const std::filesystem::path& path, ProjectorBuilder& builder) {
  Columns columns = columns_of_projectors();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    read_row(rows[i], place(path, fmt::format("[{}]", i)), columns, builder);
  }
  columns.note_unused(path, builder);
}

void read_object(const Json& json, const std::filesystem::path& path, ProjectorBuilder& builder) {
  Columns columns = columns_of_projectors();
  for (const auto& [label, value] : json.items()) {
    const std::string where = place(path, label);
    if (!value.is_object()) {
      builder.add(label, {number(value, "count", where)}, where);
      continue;
    }
    Json row = value;
    row["projector"] = label;
    read_row(row, where, columns, builder);
  }
  columns.note_unused(path, builder);
}

}  // namespace

bool is_projector(std::string_view label, const Json& value) {
  if (!is_projector_label(label)) return false;
  return value.is_number() ||
         (value.is_object() && Columns({coincidence_names}, 0).match(value, "")[0] != nullptr);
}

void read_projectors(const Json& json, const std::filesystem::path& path,
                     ProjectorBuilder& builder) {
  if (json.is_array()) return read_rows(json, path, builder);
  for (const char* states : {"measurement_states", "states"}) {
    if (json.contains(states)) builder.define(json[states], path);
  }
  const auto data = json.find("data"), counts = json.find("counts");
  if (data != json.end() && data->is_array()) return read_rows(*data, path, builder);
  if (counts == json.end() || counts->is_number()) return read_object(json, path, builder);
  counts->is_array() ? read_rows(*counts, path, builder) : read_object(*counts, path, builder);
}

void read_projectors_csv(const NamedBytes& file, ProjectorBuilder& builder) {
  CsvReader csv(file.bytes, file.path, header_of_projectors);
  Columns columns = columns_of_projectors();
  const auto found = columns.match(csv);
  const auto factor = [&](std::size_t k, double otherwise) {
    return found[k] < 0 ? otherwise : csv.number(found[k]);
  };
  while (csv.next()) {
    builder.add(std::string(csv.field(found[0])),
                {csv.number(found[1]), factor(2, 1) * factor(3, 1), factor(4, 0)},
                csv.lines().place());
  }
  columns.note_unused(file.path, builder);
}

}  // namespace projfgd::formats
