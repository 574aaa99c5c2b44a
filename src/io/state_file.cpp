#include "projfgd/io/state_file.hpp"

#include <fmt/format.h>

#include "io/formats/reader.hpp"
#include "projfgd/core/memory.hpp"

namespace projfgd {
namespace {

using formats::fail;
using formats::place;

std::string counted(std::size_t count, const char* thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

/// The number of a basis state such as "01".
std::size_t number_of_state(const std::string& digits, int qubits,
                            const std::filesystem::path& path) {
  const bool binary = digits.find_first_not_of("01") == std::string::npos;
  if (!binary || digits.size() != static_cast<std::size_t>(qubits)) {
    fail(path.string(), fmt::format("the basis state \"{}\"", digits),
         counted(static_cast<std::size_t>(qubits), "digit") + " 0 or 1");
  }
  return std::stoull(digits, nullptr, 2);
}

}  // namespace

Array parse_state(const NamedBytes& file, int qubits) {
  const Json json = parse_json(file.bytes, file.path);
  const std::size_t n = std::size_t{1} << qubits;
  if (!json.is_array() && !json.is_object()) {
    fail(file.path.string(), json.dump(), "a list of amplitudes, or an object such as {\"01\": 1}");
  }
  if (json.is_array() && json.size() != n) {
    fail(file.path.string(), counted(json.size(), "amplitude"),
         fmt::format("{} for {} qubits, or an object with those that are not 0", n, qubits));
  }
  require_memory(2 * sizeof(double) * static_cast<double>(n), "a state");
  Array state{{static_cast<Index>(n)}, true, std::vector<double>(2 * n, 0.0)};
  const auto set = [&](std::size_t i, const Json& value, const std::string& field) {
    const std::complex<double> a = formats::amplitude(value, place(file.path, field));
    state.values[2 * i] = a.real();
    state.values[2 * i + 1] = a.imag();
  };
  if (json.is_array()) {
    for (std::size_t i = 0; i < n; ++i) set(i, json[i], fmt::format("[{}]", i));
  } else {
    for (const auto& [digits, value] : json.items()) {
      set(number_of_state(digits, qubits, file.path), value, digits);
    }
  }
  return state;
}

}  // namespace projfgd
