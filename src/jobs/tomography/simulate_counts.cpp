#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "jobs/tomography/random_experiment.hpp"
#include "projfgd/core/any.hpp"
#include "projfgd/core/memory.hpp"
#include "projfgd/core/random.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/io/npy.hpp"
#include "projfgd/io/result_folder.hpp"
#include "projfgd/jobs/simulate_tomography.hpp"
#include "projfgd/operators/product_basis.hpp"
#include "projfgd/operators/readout.hpp"

namespace projfgd {
namespace {

using C = std::complex<double>;

constexpr const char* random_name = "random";
constexpr const char *target_file = "target.npy", *readout_file = "readout.json";
constexpr int most_qubits = 12;  // 3^12 settings of 2^12 outcomes

Setting setting_number(std::uint64_t number, int qubits) {
  Setting setting(static_cast<std::size_t>(qubits));
  for (auto& basis : setting) {
    basis = static_cast<std::uint8_t>(number % 3);
    number /= 3;
  }
  return setting;
}

std::string label_of(const Setting& setting) {
  std::string label;
  for (auto it = setting.rbegin(); it != setting.rend(); ++it) label += "XYZ"[*it];
  return label;
}

std::string bits_of(Index outcome, int qubits) {
  std::string bits;
  for (int j = qubits - 1; j >= 0; --j) bits += ((outcome >> j) & 1) != 0 ? '1' : '0';
  return bits;
}

/// rho^{1/2} for rho = (1 - p) |psi><psi| + p I / n.
StateFactor depolarised(const StateFactor& psi, double p) {
  if (p == 0) return psi;
  const auto n = static_cast<double>(psi.rows());
  const double rest = std::sqrt(p / n), top = std::sqrt(1 - p + p / n);
  StateFactor root = (top - rest) * (psi * psi.adjoint());
  root.diagonal().array() += rest;
  return root;
}

double count_all_settings(int qubits) { return std::pow(3, qubits); }

/// Throws InputError and ResourceError unless all makes sense.
void validate(const CountsSimulation& simulation) {
  const int q = simulation.qubits;
  require_option(q >= 1 && q <= most_qubits, "qubits", q, fmt::format("1 to {}", most_qubits));
  require_option(simulation.shots >= 1 && simulation.shots <= 1'000'000'000, "shots",
                 static_cast<double>(simulation.shots), "1 to 1e9");
  require_option(simulation.depolarizing >= 0 && simulation.depolarizing <= 1, "depolarizing",
                 simulation.depolarizing, "0 to 1");
  require_option(simulation.readout_error >= 0 && simulation.readout_error <= 0.5, "readout-error",
                 simulation.readout_error, "0 to 0.5");
  const double all = count_all_settings(q);
  const double wanted = simulation.settings == 0 ? all : static_cast<double>(simulation.settings);
  require_option(wanted >= 1 && wanted <= all, "settings", wanted,
                 fmt::format("all, or 1 to {}", all));
  require_memory(wanted * std::ldexp(1.0, q) * 16, fmt::format("{} settings", wanted));
  require_name("state", simulation.state, simulated_state_names());
}

/// All of them in order, or some at random.
std::vector<Setting> draw_settings(const CountsSimulation& simulation) {
  const auto all = static_cast<std::uint64_t>(count_all_settings(simulation.qubits));
  std::vector<Setting> settings;
  if (simulation.settings == 0) {
    for (std::uint64_t k = 0; k < all; ++k) {
      settings.push_back(setting_number(k, simulation.qubits));
    }
    return settings;
  }
  const auto wanted = static_cast<std::uint64_t>(simulation.settings);
  for (const std::uint64_t k : distinct_numbers(wanted, all, simulation.seed)) {
    settings.push_back(setting_number(k, simulation.qubits));
  }
  return settings;
}

StateFactor pure_state(const CountsSimulation& simulation) {
  if (simulation.state != random_name) return named_state(simulation.state, simulation.qubits);
  return random_state(Index{1} << simulation.qubits, 1, simulation.seed);
}

/// Of every outcome of every setting, with the white part of the state and the errors of the
/// detectors.
Vector<double> probabilities(const CountsSimulation& simulation,
                             const std::vector<Setting>& settings, const StateFactor& psi) {
  const double e = simulation.readout_error, white = simulation.depolarizing;
  Readout readout;
  readout.per_qubit.assign(static_cast<std::size_t>(simulation.qubits), {{{1 - e, e}, {e, 1 - e}}});
  const AnyOperator<C> ideal((ProductBasisOperator<C>(settings)));
  Vector<double> p;
  ReadoutOperator<C>(ideal, readout).forward(psi, p);
  const auto n = static_cast<double>(psi.rows());
  return ((1 - white) * p.array() + white / n).matrix();
}

/// Label to outcome to count.
Json draw_counts(const CountsSimulation& simulation, const std::vector<Setting>& settings,
                 const Vector<double>& p) {
  const Index n = Index{1} << simulation.qubits;
  const RandomStream random(simulation.seed, shot_stream);
  Json counts = Json::object();
  for (std::size_t s = 0; s < settings.size(); ++s) {
    stop_if(simulation.interrupt);
    const auto drawn =
        draw_outcomes(p.segment(static_cast<Index>(s) * n, n), simulation.shots, random,
                      static_cast<std::uint64_t>(s) * static_cast<std::uint64_t>(simulation.shots));
    Json& entry = counts[label_of(settings[s])] = Json::object();
    for (const auto& [outcome, count] : drawn) {
      entry.push_back({bits_of(outcome, simulation.qubits), count});
    }
  }
  return counts;
}

Json readout_json(const CountsSimulation& simulation) {
  const double e = simulation.readout_error;
  Json matrices = Json::array();
  for (int j = 0; j < simulation.qubits; ++j) matrices.push_back({{1 - e, e}, {e, 1 - e}});
  return matrices;
}

}  // namespace

std::vector<std::string> simulated_state_names() {
  std::vector<std::string> names = state_names();
  names.emplace_back(random_name);
  return names;
}

Json simulate_counts(const CountsSimulation& simulation, const std::filesystem::path& folder) {
  require_place_for_folder(folder, {counts_file, truth_file, target_file, readout_file});
  validate(simulation);
  const std::vector<Setting> settings = draw_settings(simulation);
  const StateFactor psi = pure_state(simulation);
  stop_if(simulation.interrupt);
  const Json counts = draw_counts(simulation, settings, probabilities(simulation, settings, psi));
  const bool has_readout = simulation.readout_error > 0;
  ResultFolder results(folder, simulated_data);
  results.add(target_file, npy_bytes(to_array(psi)));
  results.add(truth_file, npy_bytes(to_array(depolarised(psi, simulation.depolarizing))));
  if (has_readout) results.add(readout_file, json_text(readout_json(simulation)));
  results.add(counts_file, json_text(counts));
  results.publish();
  Json summary = {{"data", (folder / counts_file).string()},
                  {"truth", (folder / truth_file).string()},
                  {"target", (folder / target_file).string()}};
  if (has_readout) summary["readout"] = (folder / readout_file).string();
  summary.update({{"qubits", simulation.qubits},
                  {"state", simulation.state},
                  {"settings", settings.size()},
                  {"shots", simulation.shots},
                  {"depolarizing", simulation.depolarizing},
                  {"readout_error", simulation.readout_error},
                  {"seed", simulation.seed}});
  return summary;
}

}  // namespace projfgd
