#include "projfgd/measures/determined.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "projfgd/core/random.hpp"

namespace projfgd {
namespace {

bool is_identity(const PauliString& p) { return (p.x | p.z) == 0; }

/// Sorts them.
double count_different(std::vector<std::uint64_t>& values) {
  std::ranges::sort(values);
  return static_cast<double>(std::unique(values.begin(), values.end()) - values.begin());
}

}  // namespace

double count_independent(const std::vector<PauliString>& strings) {
  return static_cast<double>(strings.size()) -
         static_cast<double>(std::ranges::count_if(strings, is_identity));
}

double count_independent(std::size_t settings, int qubits) {
  return static_cast<double>(settings) * (std::ldexp(1.0, qubits) - 1);
}

double count_determined(const std::vector<PauliString>& strings) {
  std::vector<std::uint64_t> different;
  different.reserve(strings.size());
  for (const PauliString& p : strings) {
    if (!is_identity(p)) different.push_back(std::uint64_t{p.x} << 32 | p.z);
  }
  return count_different(different);
}

double count_determined(const std::vector<Setting>& settings, std::size_t bases, int qubits) {
  if (bases == 3 && static_cast<double>(settings.size()) == std::pow(3.0, qubits)) {
    return std::pow(4.0, qubits) - 1;
  }
  // For each choice of qubits: how many different settings there are of them. Settings are told
  // apart by sums of random keys, and the choices follow one another with one qubit changed.
  const RandomStream random(1, 0x5E7);
  std::vector<std::uint64_t> keys(bases), sums(settings.size()), sorted;
  std::uint64_t chosen = 0;
  double total = 0;
  for (std::uint64_t step = 1; step >> qubits == 0; ++step) {
    const auto qubit = static_cast<std::size_t>(std::countr_zero(step));
    chosen ^= std::uint64_t{1} << qubit;
    const bool added = (chosen >> qubit & 1) != 0;
    for (std::size_t b = 0; b < keys.size(); ++b) {
      const std::uint64_t key = random.bits(qubit * keys.size() + b);
      keys[b] = added ? key : 0 - key;
    }
    for (std::size_t s = 0; s < sums.size(); ++s) sums[s] += keys[settings[s][qubit]];
    sorted = sums;
    total += std::min(count_different(sorted), std::pow(3.0, std::popcount(chosen)));
  }
  return total;
}

}  // namespace projfgd
