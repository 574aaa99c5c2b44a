#include "projfgd/measures/consistency.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>

#include "projfgd/core/require.hpp"
#include "projfgd/measures/acceptance.hpp"

namespace projfgd {
namespace {

/// <(-1)^{mask . outcome}> of one setting.
double parity(const double* counts, Index outcomes, Index mask, double shots) {
  double sum = 0;
  for (Index k = 0; k < outcomes; ++k) {
    sum += (std::popcount(static_cast<std::uint64_t>(k & mask)) & 1) != 0 ? -counts[k] : counts[k];
  }
  return sum / shots;
}

/// The means that settings with equal letters on some qubits find there.
struct Group {
  std::vector<Index> settings;
  std::vector<double> means;
};

/// The letters of the chosen qubits, as digits to the base 256, to what the settings find.
using Groups = std::map<std::uint32_t, Group>;

Groups group(const std::vector<Setting>& settings, const Vector<double>& counts,
             const Vector<double>& shots, const std::vector<int>& qubits) {
  const Index outcomes = Index{1} << settings[0].size();
  Index mask = 0;
  for (const int j : qubits) mask |= Index{1} << j;
  Groups groups;
  for (std::size_t s = 0; s < settings.size(); ++s) {
    std::uint32_t letters = 0;
    for (const int j : qubits) letters = letters << 8 | settings[s][static_cast<std::size_t>(j)];
    const auto place = static_cast<Index>(s);
    Group& found = groups[letters];
    found.settings.push_back(place);
    found.means.push_back(parity(counts.data() + place * outcomes, outcomes, mask, shots[place]));
  }
  return groups;
}

/// The mean of a group with its settings weighed by their shots.
double common_mean(const Group& found, const Vector<double>& shots) {
  double sum = 0, weight = 0;
  for (std::size_t i = 0; i < found.settings.size(); ++i) {
    sum += shots[found.settings[i]] * found.means[i];
    weight += shots[found.settings[i]];
  }
  return sum / weight;
}

SettingsConflict conflict(const Group& found, double mean, const Vector<double>& shots) {
  SettingsConflict out;
  double farthest = -1;
  for (std::size_t i = 0; i < found.settings.size(); ++i) {
    const double n = shots[found.settings[i]];
    // Half a count to either side keeps a mean of +-1 from having no variance.
    const double variance = std::max(1 - mean * mean, 1 / n);
    const double square = n * std::pow(found.means[i] - mean, 2) / variance;
    out.chi_square += square;
    if (square > farthest) {
      farthest = square;
      out.setting = found.settings[i];
      out.value = found.means[i];
    }
  }
  out.others = mean;
  out.freedom = static_cast<double>(found.settings.size()) - 1;
  out.deviations = deviations_above({out.chi_square, out.freedom, 2 * out.freedom});
  return out;
}

}  // namespace

Consistency consistency(const std::vector<Setting>& settings, const Vector<double>& counts,
                        const Vector<double>& shots) {
  require_size("shots", shots.size(), static_cast<Index>(settings.size()));
  const int qubits = static_cast<int>(settings[0].size());
  Consistency out;
  double tests = 0, pair_tests = 0;
  const auto look_at = [&](const std::vector<int>& chosen) {
    for (const auto& [letters, found] : group(settings, counts, shots, chosen)) {
      if (found.settings.size() < 2) continue;
      const double mean = common_mean(found, shots);
      for (std::size_t i = 0; i < found.settings.size(); ++i) {
        out.scatter += shots[found.settings[i]] * std::pow(found.means[i] - mean, 2);
      }
      out.freedom += static_cast<double>(found.settings.size()) - 1;
      SettingsConflict now = conflict(found, mean, shots);
      now.qubit = chosen.back();
      now.basis = static_cast<std::uint8_t>(letters);  // the last digit
      const bool pair = chosen.size() > 1;
      if (pair) {
        now.second_qubit = chosen[0];
        now.second_basis = static_cast<std::uint8_t>(letters >> 8);
      }
      ++(pair ? pair_tests : tests);
      SettingsConflict& worst = pair ? out.worst_pair : out.worst;
      if (now.deviations > worst.deviations) worst = now;
    }
  };
  for (int j = 0; j < qubits; ++j) {
    look_at({j});
    for (int k = 0; k < j; ++k) look_at({k, j});
  }
  if (tests > 0) out.worst.p_value = std::min(1.0, tests * chance_above(out.worst.deviations));
  if (pair_tests > 0) {
    out.worst_pair.p_value = std::min(1.0, pair_tests * chance_above(out.worst_pair.deviations));
  }
  return out;
}

bool labels_seem_reversed(const std::vector<Setting>& settings, const Vector<double>& counts,
                          const Vector<double>& shots) {
  std::vector<Setting> reversed = settings;
  for (Setting& setting : reversed) std::ranges::reverse(setting);
  if (reversed == settings) return false;
  const Consistency as_read = consistency(settings, counts, shots);
  const Consistency other = consistency(reversed, counts, shots);
  const double freedom = std::min(as_read.freedom, other.freedom);
  if (!(freedom > 0) || !(other.scatter > 0)) return false;
  const double fall =
      std::log(as_read.scatter / as_read.freedom) - std::log(other.scatter / other.freedom);
  return fall > beyond_chance * std::sqrt(4 / freedom);
}

}  // namespace projfgd
