// What a physicist looks at beside the matrix: single qubits, the largest Pauli expectations, and
// which setting the state explains badly.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "jobs/tomography/shown_strings.hpp"
#include "projfgd/io/charts.hpp"
#include "projfgd/jobs/report.hpp"
#include "projfgd/measures/entanglement.hpp"

namespace projfgd {
namespace {

constexpr std::size_t most_settings = 24;  // more labels would not be read

/// "0.454 ± 0.010"; the half width of its interval, where that is known.
std::string with_error(const PauliString& string, const StateFactor& state, int qubits,
                       const StringRanges& known) {
  const std::string value = format_fixed(expectation(string, state), 3);
  const auto found = known.find(pauli_label(string, qubits));
  if (found == known.end()) return value;
  return fmt::format("{} ± {}", value,
                     format_fixed((found->second.high - found->second.low) / 2, 3));
}

/// The Bloch vector, the purity, and the entanglement with the rest of every qubit.
Table qubit_table(const StateFactor& state, int qubits,
                  const std::vector<charts::Range>& negativities, const StringRanges& known) {
  const bool entangled = qubits > 1 && qubits <= most_qubits_of_negativity;
  Table table{.title = "Single qubits",
              .caption = "Bloch vector and purity of each qubit alone.",
              .header = {"Qubit", "⟨X⟩", "⟨Y⟩", "⟨Z⟩", "Purity"}};
  if (!known.empty()) table.caption += " ± is half the width of the 95% interval.";
  if (entangled) {
    table.header.emplace_back("Negativity");
    table.caption +=
        " The negativity measures its entanglement with the rest: 0 if there is none, 0.5 at most.";
    if (!negativities.empty()) table.header.emplace_back("95% interval");
  }
  const std::vector<PauliString> strings = bloch_strings(qubits);
  for (int qubit = 0; qubit < qubits; ++qubit) {
    std::vector<std::string> row = {fmt::format("{}", qubit)};
    for (std::size_t k = 0; k < 3; ++k) {
      row.push_back(
          with_error(strings[3 * static_cast<std::size_t>(qubit) + k], state, qubits, known));
    }
    row.push_back(format_fixed(reduced_state(state, {qubit}).squaredNorm(), 3));
    if (entangled) row.push_back(format_fixed(negativity(state, {qubit}), 3));
    if (entangled && !negativities.empty()) {
      const auto [low, high] = negativities[static_cast<std::size_t>(qubit)];
      row.push_back(fmt::format("{} to {}", format_fixed(low, 3), format_fixed(high, 3)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Of strings, in the order of the list; not numbers where there is none.
std::vector<charts::Range> ranges_of(const std::vector<PauliString>& strings, int qubits,
                                     const StringRanges& known) {
  std::vector<charts::Range> ranges;
  if (known.empty()) return ranges;
  for (const PauliString& string : strings) {
    const auto found = known.find(pauli_label(string, qubits));
    ranges.push_back(found == known.end() ? charts::Range{std::nan(""), std::nan("")}
                                          : found->second);
  }
  return ranges;
}

Chart pauli_bars(const StateFactor& state, int qubits, const StringRanges& known) {
  const std::vector<PauliString> strings = largest_strings(state);
  std::vector<std::string> labels;
  std::vector<double> heights;
  for (const PauliString& string : strings) {
    labels.push_back(pauli_label(string, qubits));
    heights.push_back(expectation(string, state));
  }
  const std::vector<charts::Range> ranges = ranges_of(strings, qubits, known);
  Chart chart = charts::bars("Largest Pauli expectations", labels, heights, {"Pauli string"},
                             {"Expectation in the state"}, ranges);
  chart.caption = fmt::format("The {} of {} strings with the largest expectation of either sign.{}",
                              strings.size(), format_number(std::pow(4.0, qubits) - 1),
                              ranges.empty() ? "" : " Error bars are 95% intervals.");
  return chart;
}

}  // namespace

Section qubit_section(const StateFactor& state, const std::vector<charts::Range>& negativities,
                      const StringRanges& strings) {
  Section section{.title = "Qubits and correlations", .columns = Columns::one};
  if (!all_finite(state)) return section;
  const int qubits = qubits_of(state.rows());
  section.blocks.emplace_back(qubit_table(state, qubits, negativities, strings));
  if (qubits <= most_qubits_of_strings)
    section.blocks.emplace_back(pauli_bars(state, qubits, strings));
  return section;
}

std::optional<Chart> setting_chart(std::vector<SettingMisfit> settings) {
  if (settings.size() < 2) return std::nullopt;
  const std::size_t all = settings.size();
  std::ranges::stable_sort(settings, std::greater(), &SettingMisfit::chi_square);
  settings.resize(std::min(all, most_settings));
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
