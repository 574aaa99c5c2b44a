// Cirq ResultDict: records of packed bits, shape (shots, repetitions, qubits), or a list of them.
// The basis stands in a measurement key, in the parameters or in the file's name.
#include <fmt/format.h>

#include <cmath>

#include "reader.hpp"

namespace projfgd::formats {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

/// The bits of one measurement key.
struct Record {
  std::vector<bool> bits;  // row-major
  std::size_t shots = 0, qubits = 0;
};

Record unpack(const Json& json, const std::filesystem::path& path, const std::string& where) {
  const std::string digits = require_string(json, "packed_digits", path);
  if (!json.contains("binary") || json["binary"] != true) {
    fail(where, "digits that are not binary", "\"binary\": true");
  }
  const Json& shape = require_key(json, "shape", path);
  constexpr std::size_t most = std::size_t{1} << 40;
  std::vector<std::size_t> sizes;
  if (shape.is_array()) {
    for (const Json& size : shape) {
      if (size.is_number_unsigned() && size.get<std::size_t>() < most) {
        sizes.push_back(size.get<std::size_t>());
      }
    }
  }
  if (!shape.is_array() || sizes.size() != shape.size() || sizes.size() < 2 || sizes.size() > 3 ||
      sizes.back() == 0) {
    fail(where, "shape " + shape.dump(), "[shots, repetitions, qubits]");
  }
  Record record;
  record.qubits = sizes.back();
  record.shots = sizes.size() == 3 ? sizes[0] * sizes[1] : sizes[0];
  const double expected = static_cast<double>(record.shots) * static_cast<double>(record.qubits);
  if (static_cast<double>(digits.size()) != 2 * std::ceil(expected / 8)) {
    fail(where, fmt::format("{} hexadecimal digits", digits.size()),
         fmt::format("{} for shape {}", 2 * std::ceil(expected / 8), shape.dump()));
  }
  for (const char c : digits) {
    const int value = hex_digit(c);
    if (value < 0) fail(where, fmt::format("'{}' in packed_digits", c), "hexadecimal digits");
    for (int b = 3; b >= 0; --b) record.bits.push_back(((value >> b) & 1) != 0);
  }
  return record;
}

void read_result(const Json& json, const std::filesystem::path& path,
                 const MeasurementFormat& format, const std::string& where,
                 CountsBuilder& builder) {
  const Json& records =
      require_key(json, json.contains("records") ? "records" : "measurements", path);
  if (!records.is_object() || records.empty()) fail(where, "no records", "measurements by key");
  std::vector<Record> parts;
  std::vector<std::string> texts;
  std::size_t qubits = 0;
  for (const auto& [key, record] : records.items()) {
    parts.push_back(unpack(record, path, fmt::format("{}.{}", where, key)));
    texts.push_back(key);
    qubits += parts.back().qubits;
    if (parts.back().shots != parts[0].shots) {
      fail(fmt::format("{}.{}", where, key), fmt::format("{} shots", parts.back().shots),
           fmt::format("{} as in the first key", parts[0].shots));
    }
  }
  if (json.contains("params")) texts.push_back(json["params"].dump());
  texts.push_back(path.stem().string());
  builder.begin(find_label(texts, format, qubits, where), where);
  for (std::size_t shot = 0; shot < parts[0].shots; ++shot) {
    std::uint64_t outcome = 0;
    for (const Record& part : parts) {
      for (std::size_t j = 0; j < part.qubits; ++j) {
        outcome = 2 * outcome + (part.bits[shot * part.qubits + j] ? 1 : 0);
      }
    }
    builder.add(outcome, 1, where);
  }
}

}  // namespace

void read_cirq(const Json& json, const std::filesystem::path& path, const MeasurementFormat& format,
               CountsBuilder& builder) {
  if (!json.is_array()) {
    read_result(json, path, format, path.string(), builder);
    return;
  }
  for (std::size_t i = 0; i < json.size(); ++i) {
    read_result(json[i], path, format, place(path, fmt::format("[{}]", i)), builder);
  }
}

}  // namespace projfgd::formats
