// Qiskit Result: results[].data.counts, with the basis in header.name or header.metadata.
#include <fmt/format.h>

#include <algorithm>

#include "reader.hpp"

namespace projfgd::formats {
namespace {

/// The classical registers of a circuit, the lowest bits first.
struct Registers {
  std::size_t bits = 0;  // 0 when the header does not tell
  std::vector<std::size_t> sizes;
};

Registers read_registers(const Json& header) {
  Registers registers;
  if (const auto it = header.find("creg_sizes"); it != header.end() && it->is_array()) {
    for (const Json& creg : *it) {
      if (creg.is_array() && creg.size() == 2 && creg[1].is_number_unsigned()) {
        registers.sizes.push_back(creg[1].get<std::size_t>());
        registers.bits += registers.sizes.back();
      }
    }
  }
  if (const auto it = header.find("memory_slots"); it != header.end() && it->is_number_unsigned()) {
    registers.bits = it->get<std::size_t>();
  }
  return registers;
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

/// Starts the setting of one experiment; false when it is not one of those the pattern asks for.
/// The basis has a letter for every classical bit, or for every bit of one of the registers.
bool begin(const Json& header, const MeasurementFormat& format, const std::string& where,
           CountsBuilder& builder) {
  const Registers registers = read_registers(header);
  std::vector<std::string> texts;
  FoundLabel label;
  if (const auto it = header.find("name"); it != header.end() && it->is_string()) {
    texts.push_back(it->get<std::string>());
  }
  if (const auto it = header.find("metadata"); it != header.end() && it->is_object()) {
    if (format.basis_pattern.empty()) label = {label_from_indices(*it, format)};
    texts.push_back(it->dump());
  }
  if (label.empty()) label = try_label(texts, format, registers.bits);
  if (!label.empty()) {
    builder.begin(label, where);
    return true;
  }
  std::size_t lowest = 0;
  for (const std::size_t size : registers.sizes) {
    const bool only = std::count(registers.sizes.begin(), registers.sizes.end(), size) == 1;
    if (only && !(label = try_label(texts, format, size)).empty()) {
      builder.begin(label, where);
      builder.choose_bits(registers.bits, lowest);
      return true;
    }
    lowest += size;
  }
  if (!format.basis_pattern.empty() && try_label(texts, format, 0).empty()) return false;
  find_label(texts, format, registers.bits, where);  // says what is wrong
  return false;
}

}  // namespace

void read_qiskit(const Json& json, const std::filesystem::path& path,
                 const MeasurementFormat& format, CountsBuilder& builder) {
  const Json& results = require_key(json, "results", path);
  if (!results.is_array()) fail(place(path, "results"), results.dump(), "a list");
  std::size_t empty = 0, other = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string where = place(path, fmt::format("results[{}]", i));
    const Json& header = require_key(results[i], "header", path);
    const Json& data = require_key(results[i], "data", path);
    if (!data.is_object() || !data.contains("counts") || data["counts"].empty()) {
      ++empty;
    } else if (!begin(header, format, where, builder)) {
      ++other;
    } else {
      builder.add_all(data["counts"], where + ".data.counts");
    }
  }
  const auto leave_out = [&](std::size_t count, const char* why) {
    if (count == 0) return;
    if (count == results.size()) fail(path.string(), fmt::format("only results {}", why), "counts");
    builder.note(
        fmt::format("{}: left out {} of {} results {}", path.string(), count, results.size(), why));
  };
  leave_out(empty, "without counts");
  leave_out(other, "that --basis-pattern does not match");
}

}  // namespace projfgd::formats
