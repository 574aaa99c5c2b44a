// What a physicist looks at beside the matrix: single qubits, the largest Pauli expectations, and
// which setting the state explains badly.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "projfgd/io/charts.hpp"
#include "projfgd/jobs/report.hpp"
#include "projfgd/measures/entanglement.hpp"

namespace projfgd {
namespace {

constexpr int most_qubits_of_strings = most_qubits_of_negativity;  // 4,096 take milliseconds
constexpr std::size_t most_bars = 24;                              // more labels would not be read

/// The expectations of X, Y and Z of one qubit, its purity, and its entanglement with the rest.
std::vector<std::string> qubit_row(const StateFactor& state, int qubit, bool entangled) {
  const StateFactor rho = reduced_state(state, {qubit});
  const double x = 2 * rho(0, 1).real(), y = -2 * rho(0, 1).imag();
  const double z = (rho(0, 0) - rho(1, 1)).real();
  std::vector<std::string> row = {fmt::format("{}", qubit)};
  for (const double value : {x, y, z, rho.squaredNorm()}) {
    row.push_back(format_fixed(value, 3));
  }
  if (entangled) row.push_back(format_fixed(negativity(state, {qubit}), 3));
  return row;
}

Table qubit_table(const StateFactor& state, int qubits,
                  const std::vector<charts::Range>& negativities) {
  const bool entangled = qubits > 1 && qubits <= most_qubits_of_negativity;
  Table table{.title = "Single qubits",
              .caption = "Bloch vector and purity of each qubit alone.",
              .header = {"Qubit", "⟨X⟩", "⟨Y⟩", "⟨Z⟩", "Purity"}};
  if (entangled) {
    table.header.emplace_back("Negativity");
    table.caption +=
        " The negativity measures its entanglement with the rest: 0 if there is none, 0.5 at most.";
    if (!negativities.empty()) table.header.emplace_back("95% interval");
  }
  for (int qubit = 0; qubit < qubits; ++qubit) {
    table.rows.push_back(qubit_row(state, qubit, entangled));
    if (!entangled || negativities.empty()) continue;
    const auto [low, high] = negativities[static_cast<std::size_t>(qubit)];
    table.rows.back().push_back(
        fmt::format("{} to {}", format_fixed(low, 3), format_fixed(high, 3)));
  }
  return table;
}

/// All strings but the identity.
std::vector<PauliString> all_strings(int qubits) {
  std::vector<PauliString> strings;
  const std::uint32_t n = 1u << qubits;
  for (std::uint32_t x = 0; x < n; ++x) {
    for (std::uint32_t z = 0; z < n; ++z) {
      if (x != 0 || z != 0) strings.push_back({x, z});
    }
  }
  return strings;
}

Chart pauli_bars(const StateFactor& state, int qubits) {
  const std::vector<PauliString> strings = all_strings(qubits);
  const Vector<double> values = expectations(strings, state);
  std::vector<std::size_t> order(strings.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto size = [&](std::size_t k) { return std::abs(values[static_cast<Index>(k)]); };
  std::ranges::stable_sort(order, std::greater(), size);
  order.resize(std::min(order.size(), most_bars));
  std::vector<std::string> labels;
  std::vector<double> heights;
  for (const std::size_t k : order) {
    labels.push_back(pauli_label(strings[k], qubits));
    heights.push_back(values[static_cast<Index>(k)]);
  }
  Chart chart = charts::bars("Largest Pauli expectations", labels, heights, {"Pauli string"},
                             {"Expectation in the state"});
  chart.caption = fmt::format("The {} of {} strings with the largest expectation of either sign.",
                              order.size(), format_number(static_cast<double>(strings.size())));
  return chart;
}

}  // namespace

Section qubit_section(const StateFactor& state, const std::vector<charts::Range>& negativities) {
  Section section{.title = "Qubits and correlations", .columns = Columns::one};
  if (!all_finite(state)) return section;
  const int qubits = qubits_of(state.rows());
  section.blocks.emplace_back(qubit_table(state, qubits, negativities));
  if (qubits <= most_qubits_of_strings) section.blocks.emplace_back(pauli_bars(state, qubits));
  return section;
}

std::optional<Chart> setting_chart(std::vector<SettingMisfit> settings) {
  if (settings.size() < 2) return std::nullopt;
  const std::size_t all = settings.size();
  std::ranges::stable_sort(settings, std::greater(), &SettingMisfit::chi_square);
  settings.resize(std::min(all, most_bars));
  std::vector<std::string> labels;
  std::vector<double> heights;
  for (const SettingMisfit& setting : settings) {
    labels.push_back(setting.label);
    heights.push_back(setting.chi_square);
  }
  Chart chart = charts::bars("Misfit of each setting", labels, heights, {"Setting"},
                             {"Chi-square / expected"});
  chart.layout["shapes"] = {{{"type", "line"},
                             {"xref", "paper"},
                             {"x0", 0},
                             {"x1", 1},
                             {"y0", 1},
                             {"y1", 1},
                             {"line", {{"color", "var(--text)"}, {"dash", "dash"}, {"width", 1}}}}};
  chart.caption =
      "Shot noise alone gives about 1, the dashed line; a setting that stands out may be "
      "mislabelled "
      "or miscalibrated.";
  if (settings.size() < all) {
    chart.caption += fmt::format(" The {} worst of {} settings.", settings.size(), all);
  }
  return chart;
}

}  // namespace projfgd
