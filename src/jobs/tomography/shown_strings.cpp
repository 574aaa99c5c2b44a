#include "jobs/tomography/shown_strings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>

namespace projfgd {

std::vector<PauliString> bloch_strings(int qubits) {
  std::vector<PauliString> strings;
  for (int qubit = 0; qubit < qubits; ++qubit) {
    const std::uint32_t bit = 1u << qubit;
    strings.insert(strings.end(), {{bit, 0}, {bit, bit}, {0, bit}});
  }
  return strings;
}

std::vector<PauliString> largest_strings(const StateFactor& state) {
  const int qubits = qubits_of(state.rows());
  if (qubits > most_qubits_of_strings) return {};
  std::vector<PauliString> strings;
  const std::uint32_t n = 1u << qubits;
  for (std::uint32_t x = 0; x < n; ++x) {
    for (std::uint32_t z = 0; z < n; ++z) {
      if (x != 0 || z != 0) strings.push_back({x, z});
    }
  }
  const Vector<double> values = expectations(strings, state);
  std::vector<std::size_t> order(strings.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto size = [&](std::size_t k) { return std::abs(values[static_cast<Index>(k)]); };
  std::ranges::stable_sort(order, std::greater(), size);
  order.resize(std::min(order.size(), most_strings));
  std::vector<PauliString> largest;
  for (const std::size_t k : order) largest.push_back(strings[k]);
  return largest;
}

std::vector<PauliString> shown_strings(const StateFactor& state) {
  std::vector<PauliString> shown = bloch_strings(qubits_of(state.rows()));
  for (const PauliString& string : largest_strings(state)) {
    if (std::ranges::find(shown, string) == shown.end()) shown.push_back(string);
  }
  return shown;
}

}  // namespace projfgd
