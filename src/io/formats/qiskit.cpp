// Qiskit Result: results[].data.counts, with the basis in header.name or header.metadata.
#include <fmt/format.h>

#include "reader.hpp"

namespace projfgd::formats {
namespace {

std::size_t classical_bits(const Json& header) {
  if (const auto it = header.find("memory_slots"); it != header.end() && it->is_number_unsigned()) {
    return it->get<std::size_t>();
  }
  std::size_t bits = 0;
  if (const auto it = header.find("creg_sizes"); it != header.end() && it->is_array()) {
    for (const Json& creg : *it) {
      if (creg.is_array() && creg.size() == 2 && creg[1].is_number_unsigned()) {
        bits += creg[1].get<std::size_t>();
      }
    }
  }
  return bits;
}

/// The measurement indices qiskit-experiments keeps, qubit 0 first: 0 is Z, 1 is X, 2 is Y.
std::string label_from_indices(const Json& metadata, const MeasurementFormat& format) {
  const auto it = metadata.find("m_idx");
  if (it == metadata.end() || !it->is_array()) return "";
  std::string label;
  for (const Json& index : *it) {
    if (!index.is_number_unsigned() || index.get<std::size_t>() > 2) return "";
    const char letter = "ZXY"[index.get<std::size_t>()];
    if (format.label_qubit0_left) {
      label += letter;
    } else {
      label.insert(label.begin(), letter);
    }
  }
  return label;
}

}  // namespace

void read_qiskit(const Json& json, const std::filesystem::path& path,
                 const MeasurementFormat& format, CountsBuilder& builder) {
  const Json& results = require_key(json, "results", path);
  if (!results.is_array()) fail(place(path, "results"), results.dump(), "a list");
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string where = place(path, fmt::format("results[{}]", i));
    const Json& result = results[i];
    const Json& header = require_key(result, "header", path);
    const Json& counts = require_key(require_key(result, "data", path), "counts", path);
    std::vector<std::string> texts;
    std::string label;
    if (const auto it = header.find("name"); it != header.end() && it->is_string()) {
      texts.push_back(it->get<std::string>());
    }
    if (const auto it = header.find("metadata"); it != header.end() && it->is_object()) {
      if (format.basis_pattern.empty()) label = label_from_indices(*it, format);
      texts.push_back(it->dump());
    }
    if (label.empty()) label = find_label(texts, format, classical_bits(header), where);
    builder.begin(label, where);
    builder.add_all(counts, where + ".data.counts");
  }
}

}  // namespace projfgd::formats
