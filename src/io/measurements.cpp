#include "projfgd/io/measurements.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "io/formats/projectors.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/io/file_kind.hpp"
#include "projfgd/io/text.hpp"

namespace projfgd {
namespace {

using formats::CountsBuilder;
using formats::fail;
using formats::is_json;
using formats::PauliBuilder;
using formats::ProjectorBuilder;

bool is_npy(const NamedBytes& file) { return file_kind(file.bytes) == FileKind::npy; }

constexpr const char* what_is_read =
    "Pauli expectations, counts of settings or of projectors (CSV or JSON) or classical shadows "
    "(NPY)";

void refuse_other_kinds(const NamedBytes& file) {
  if (file.bytes.starts_with("%%MatrixMarket")) {
    fail(file.path.string(), "known entries of a matrix, for projfgd solve", what_is_read);
  }
  const FileKind kind = file_kind(file.bytes);
  if (kind == FileKind::text || kind == FileKind::npy) return;
  const char* expected = kind == FileKind::packed
                             ? "the unpacked file, or a spreadsheet saved as CSV"
                         : kind == FileKind::utf16 ? "UTF-8 text"
                                                   : what_is_read;
  fail(file.path.string(), describe_file(file.bytes), expected);
}

bool has(const Json& json, const char* key) { return json.is_object() && json.contains(key); }

/// Throws InputError for counts of a setting, by outcome or as a list, where nothing says which.
void refuse_without_basis(const Json& counts, const std::filesystem::path& path) {
  const bool by_outcome = counts.is_object() && !counts.empty() &&
                          std::isdigit(static_cast<unsigned char>(counts.begin().key()[0])) != 0;
  if (!by_outcome && !counts.is_array()) return;
  fail(path.string(), "a list of counts without the basis of each",
       R"({"XX": counts, ...}, or rows {"basis": "XX", "outcome": "00", "count": 450})");
}

/// Which layout a JSON document is in, by its keys.
std::string find_json_format(const Json& json, const std::filesystem::path& path) {
  const Json& first = json.is_array() && !json.empty() ? json[0] : json;
  if (has(first, "packed_digits") || has(first, "records") ||
      (has(first, "cirq_type") && has(first, "measurements"))) {
    return "cirq";
  }
  if (has(json, "results")) return "qiskit";
  if (has(json, "quasi_dists")) return "quasi";
  for (const char* key :
       {"measurementCounts", "measurement_counts", "measurements", "measurementProbabilities"}) {
    if (has(json, key)) return "braket";
  }
  if (has(json, "histogram") || has(json, "probabilities")) return "ionq";
  if (has(json, "measurement_states")) return "projectors";  // of KwiatLab's program
  if (has(json, "operator") && has(json, "dimension")) {
    fail(path.string(), "a description for projfgd solve", what_is_read);
  }
  if (json.is_array()) {
    refuse_without_basis(first, path);
    return formats::layout_of_row(first);
  }
  if (has(json, "counts") && json["counts"].is_array()) refuse_without_basis(json["counts"], path);
  if (!json.is_object() || json.empty()) {
    fail(path.string(), json.is_object() ? "an empty object" : json.dump(), what_is_read);
  }
  // One label of projectors is enough: others may have letters of --bases.
  const Json& listed = has(json, "counts") && json["counts"].is_object() ? json["counts"] : json;
  for (const auto& [label, value] : listed.items()) {
    if (formats::is_projector(label, value)) return "projectors";
  }
  const auto entry = json.begin();
  const bool digits = entry.key().find_first_of("0123456789") != std::string::npos;
  if (digits) return "ionq";
  const bool array =
      entry.value().is_array() && entry.value().size() == 2 && entry.key().size() != 1;
  return entry.value().is_number() || array ? "pauli" : "labels";
}

void read_labels(const Json& json, const std::filesystem::path& path, const MeasurementFormat&,
                 CountsBuilder& builder) {
  const bool wrapped = json.contains("counts") && json["counts"].is_object();
  formats::read_labels(wrapped ? json["counts"] : json, path, builder);
}

/// A layout by its name, and what reads counts from one JSON document in it: nothing where the data
/// are no counts in JSON.
struct Layout {
  const char* name;
  void (*read)(const Json& json, const std::filesystem::path& path, const MeasurementFormat& format,
               CountsBuilder& builder) = nullptr;
  bool in_lists = false;  ///< a document may be a list
};
constexpr Layout layouts[] = {{"auto"},
                              {"pauli"},
                              {"labels", read_labels, true},
                              {"qiskit", formats::read_qiskit},
                              {"quasi", formats::read_quasi},
                              {"cirq", formats::read_cirq, true},
                              {"pennylane"},
                              {"braket", formats::read_braket},
                              {"ionq", formats::read_histogram},
                              {"projectors"}};

const Layout& layout_of(const std::string& name) {
  return require_named("--format", layouts, name);
}

void read_counts(const Layout& layout, const Json& json, const std::filesystem::path& path,
                 const MeasurementFormat& format, CountsBuilder& builder) {
  const bool readable = json.is_object() || (layout.in_lists && json.is_array());
  if (layout.read == nullptr || !readable) {
    fail(path.string(), "no object", fmt::format("an object in the layout {}", layout.name));
  }
  layout.read(json, path, format, builder);
}

/// Files of two layouts are not one data set.
void refuse_mixture(const std::string& name, const std::string& found, const std::string& first) {
  if (found == first) return;
  const auto words = [](const std::string& layout) {
    return layout == "pauli" ? "Pauli expectations" : "counts in the layout " + layout;
  };
  fail(
      name, words(found),
      fmt::format(
          "{} as in the first file{}", words(first),
          found == "pauli" || first == "pauli" ? ": counts and expectations cannot be mixed" : ""));
}

/// Files of one layout, the one asked for or else that of the first.
Measurements parse_texts(const std::vector<NamedBytes>& files, const MeasurementFormat& format) {
  std::optional<CountsBuilder> counts;
  std::optional<PauliBuilder> paulis;
  std::optional<ProjectorBuilder> projectors;
  std::string layout = format.format;
  for (const NamedBytes& file : files) {
    const std::string name = file.path.string();
    const bool is_table = !is_json(file);
    // An NPY file behind others, or JSON that is a word, a number or null.
    if (is_table && (is_npy(file) || Json::accept(file.bytes))) {
      fail(name, describe_file(file.bytes), what_is_read);
    }
    const Json json = is_table ? Json() : parse_json(file.bytes, file.path);
    std::string found = format.format;
    if (found == "auto")
      found = is_table ? formats::layout_of_csv(file) : find_json_format(json, file.path);
    if (layout != "auto") refuse_mixture(name, found, layout);
    layout = found;
    if (layout == "pauli") {
      if (!paulis) paulis.emplace(format);
      is_table ? formats::read_pauli_csv(file, *paulis)
               : formats::read_pauli_json(json, file.path, *paulis);
    } else if (layout == "projectors") {
      if (!projectors) projectors.emplace(format);
      is_table ? formats::read_projectors_csv(file, *projectors)
               : formats::read_projectors(json, file.path, *projectors);
    } else {
      if (!counts) counts.emplace(format);
      if (is_table && layout != "labels") fail(name, "no JSON", "the layout " + layout);
      is_table ? formats::read_counts_csv(file, *counts)
               : read_counts(layout_of(layout), json, file.path, format, *counts);
    }
  }
  const std::string first = files[0].path.string();
  if (layout == "pauli") return std::move(*paulis).finish(first);
  if (layout == "projectors") return std::move(*projectors).finish(first);
  return std::move(*counts).measurements(first);
}

}  // namespace

std::vector<std::string> measurement_formats() { return names_of(layouts); }

Measurements parse_measurements(const std::vector<NamedBytes>& files,
                                const MeasurementFormat& format) {
  layout_of(format.format);  // refuses another name
  if (files.empty()) throw InputError("data: found no file, expected at least one");
  for (const NamedBytes& file : files) refuse_other_kinds(file);
  if (is_npy(files[0]) || format.format == "pennylane") {
    if (format.format != "auto" && format.format != "pennylane") {
      fail(files[0].path.string(), "an NPY file", "the layout " + format.format);
    }
    CountsBuilder builder(format);
    formats::read_pennylane(files, builder);
    return std::move(builder).measurements(files[0].path.string());
  }
  return parse_texts(files, format);
}

}  // namespace projfgd
