#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "jobs/common/simulated.hpp"
#include "jobs/tomography/random_experiment.hpp"
#include "jobs/tomography/simulate_projectors.hpp"
#include "jobs/tomography/simulated_state.hpp"
#include "projfgd/core/any.hpp"
#include "projfgd/core/memory.hpp"
#include "projfgd/core/random.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/io/measurements.hpp"
#include "projfgd/io/npy.hpp"
#include "projfgd/jobs/simulate_tomography.hpp"
#include "projfgd/operators/product_basis.hpp"
#include "projfgd/operators/readout.hpp"

namespace projfgd {
namespace {

using C = std::complex<double>;

constexpr const char *target_file = "target.npy", *readout_file = "readout.json";
constexpr int most_qubits = 24;  // amplitudes and probabilities of one setting: 1 GiB
/// Up to so many qubits rho^{1/2} is written as the truth, 4096 x 4096 numbers.
constexpr int most_qubits_of_root = 12;
/// Probabilities that are computed together: settings share work, and memory stays small.
constexpr Index most_at_once = Index{1} << 22;

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

double count_all_settings(int qubits) { return std::pow(3, qubits); }

/// Throws InputError and ResourceError unless all makes sense.
void validate(const CountsSimulation& simulation) {
  const int q = simulation.qubits;
  require_option(q >= 1 && q <= most_qubits, "--qubits", q, fmt::format("1 to {}", most_qubits));
  require_option(simulation.shots >= 1 && simulation.shots <= 1'000'000'000, "--shots",
                 static_cast<double>(simulation.shots), "1 to 1e9");
  require_option(simulation.depolarizing >= 0 && simulation.depolarizing <= 1, "--depolarizing",
                 simulation.depolarizing, "0 to 1");
  require_option(simulation.readout_error >= 0 && simulation.readout_error <= 0.5,
                 "--readout-error", simulation.readout_error, "0 to 0.5");
  require_option(std::abs(simulation.drift) <= 100, "--drift", simulation.drift,
                 "an angle of at most 100 radians");
  require_option(simulation.accidentals >= 0 && simulation.accidentals <= 1e9, "--accidentals",
                 simulation.accidentals, "0 to 1e9");
  if (!simulation.projectors.empty()) return validate_projectors(simulation);
  require_option(simulation.accidentals == 0, "--accidentals", simulation.accidentals,
                 "0, or --projectors");
  const double all = count_all_settings(q);
  const double wanted = simulation.settings == 0 ? all : static_cast<double>(simulation.settings);
  require_option(wanted >= 1 && wanted <= all, "--settings", wanted,
                 fmt::format("all, or 1 to {}", all));
  // The work on one setting, and the outcomes that are seen of all of them.
  const double seen = std::min(static_cast<double>(simulation.shots), std::ldexp(1.0, q));
  constexpr double bytes_of_entry = 100;  // a bit string and a count in JSON
  require_memory(std::ldexp(16.0 * q, q) + wanted * seen * bytes_of_entry,
                 fmt::format("{} settings of {} shots", wanted, simulation.shots));
}

/// All of them in order, or some at random. Of many qubits Z...Z is the first of them: without it
/// no state of few amplitudes can be told.
std::vector<Setting> draw_settings(const CountsSimulation& simulation) {
  auto all = static_cast<std::uint64_t>(count_all_settings(simulation.qubits));
  std::vector<Setting> settings;
  if (simulation.settings == 0) {
    for (std::uint64_t k = 0; k < all; ++k) {
      settings.push_back(setting_number(k, simulation.qubits));
    }
    return settings;
  }
  auto wanted = static_cast<std::uint64_t>(simulation.settings);
  if (simulation.qubits > most_qubits_kept_whole) {
    settings.push_back(setting_number(all - 1, simulation.qubits));
    --wanted;
    --all;  // the last number is that of Z...Z
  }
  for (const std::uint64_t k : distinct_numbers(wanted, all, simulation.seed)) {
    settings.push_back(setting_number(k, simulation.qubits));
  }
  return settings;
}

/// Of every outcome of these settings, with the white part of the state and the errors of the
/// detectors; setting s meets the state turned by angle s.
Vector<double> probabilities(const CountsSimulation& simulation,
                             const std::vector<Setting>& settings, const StateFactor& state,
                             const Vector<double>& angles) {
  const double e = simulation.readout_error, white = simulation.depolarizing;
  Readout readout;
  readout.per_qubit.assign(static_cast<std::size_t>(simulation.qubits), {{{1 - e, e}, {e, 1 - e}}});
  const auto measured = [&](std::vector<Setting> some, const StateFactor& u) {
    Vector<double> p;
    const AnyOperator<C> ideal((ProductBasisOperator<C>(std::move(some))));
    ReadoutOperator<C>(ideal, readout).forward(u, p);
    return p;
  };
  const auto n = static_cast<double>(state.rows());
  Vector<double> p;
  if (simulation.drift == 0) {
    p = measured(settings, state);
  } else {
    p.resize(std::ssize(settings) * state.rows());
    for (Index s = 0; s < angles.size(); ++s) {
      stop_if(simulation.interrupt);
      p.segment(s * state.rows(), state.rows()) =
          measured({settings[static_cast<std::size_t>(s)]}, turned(state, angles[s]));
    }
  }
  return ((1 - white) * p.array() + white / n).matrix();
}

/// Adds a key that is new. An object looks through all that it has where it must find that out.
void append(std::string key, Json value, Json& object) {
  static_cast<Json::object_t::Container&>(object.get_ref<Json::object_t&>())
      .emplace_back(std::move(key), std::move(value));
}

/// Label to outcome to count.
Json draw_counts(const CountsSimulation& simulation, const std::vector<Setting>& settings,
                 const StateFactor& state, const Vector<double>& angles) {
  const Index n = state.rows();
  const auto at_once = static_cast<std::size_t>(std::max<Index>(most_at_once / n, 1));
  const RandomStream random(simulation.seed, shot_stream);
  Json counts = Json::object();
  Vector<double> p;
  for (std::size_t s = 0; s < settings.size(); ++s) {
    stop_if(simulation.interrupt);
    if (s % at_once == 0) {
      const std::size_t end = std::min(s + at_once, settings.size());
      const std::vector<Setting> some(settings.begin() + static_cast<std::ptrdiff_t>(s),
                                      settings.begin() + static_cast<std::ptrdiff_t>(end));
      p = probabilities(simulation, some, state,
                        angles.segment(static_cast<Index>(s), std::ssize(some)));
    }
    const auto drawn =
        draw_outcomes(p.segment(static_cast<Index>(s % at_once) * n, n), simulation.shots, random,
                      static_cast<std::uint64_t>(s) * static_cast<std::uint64_t>(simulation.shots));
    Json entry = Json::object();
    for (const auto& [outcome, count] : drawn) {
      append(bits_of(outcome, simulation.qubits), count, entry);
    }
    append(label_of(settings[s]), std::move(entry), counts);
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

Json simulate_counts(const CountsSimulation& simulation, const std::filesystem::path& folder) {
  require_place_for_folder(folder,
                           {counts_file, truth_file, target_file, readout_file, simulation_file});
  validate(simulation);
  const StateFactor state = simulated_state(simulation);
  const bool of_projectors = !simulation.projectors.empty();
  const std::vector<Setting> settings =
      of_projectors ? std::vector<Setting>() : draw_settings(simulation);
  const Index measurements = of_projectors ? count_projectors(simulation) : std::ssize(settings);
  const Vector<double> angles = drift_angles(simulation.drift, measurements);
  stop_if(simulation.interrupt);
  const Json counts = of_projectors ? draw_projectors(simulation, state, angles)
                                    : draw_counts(simulation, settings, state, angles);
  const bool has_readout = simulation.readout_error > 0;
  SimulatedFiles files = {{target_file, npy_bytes(to_array(state))}};
  const bool has_root = simulation.depolarizing == 0 || simulation.qubits <= most_qubits_of_root;
  if (has_root) {
    files.emplace_back(
        truth_file,
        npy_bytes(to_array(depolarised(drifted(state, angles), simulation.depolarizing))));
  }
  if (has_readout) files.emplace_back(readout_file, json_text(readout_json(simulation)));
  files.emplace_back(counts_file, json_text(counts));
  Json summary = {{"data", (folder / counts_file).string()}};
  if (has_root) summary["truth"] = (folder / truth_file).string();
  summary["target"] = (folder / target_file).string();
  if (has_readout) summary["readout"] = (folder / readout_file).string();
  summary.update({{"qubits", simulation.qubits},
                  {simulation.mix.empty() ? "state" : "mix",
                   simulation.mix.empty() ? simulation.state : simulation.mix},
                  {of_projectors ? "projectors" : "settings", measurements},
                  {"shots", simulation.shots},
                  {"depolarizing", simulation.depolarizing},
                  {"readout_error", simulation.readout_error},
                  {"drift", simulation.drift},
                  {"accidentals", simulation.accidentals},
                  {"seed", simulation.seed}});
  publish_simulation(folder, files, simulation.command, summary);
  return summary;
}

}  // namespace projfgd
