#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_set>

#include "projfgd/core/error.hpp"
#include "projfgd/core/memory.hpp"
#include "projfgd/core/random.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/io/npy.hpp"
#include "projfgd/io/text.hpp"
#include "projfgd/jobs/simulate_tomography.hpp"
#include "projfgd/operators/pauli.hpp"
#include "projfgd/operators/product_basis.hpp"
#include "projfgd/operators/readout.hpp"

namespace projfgd {
namespace {

using C = std::complex<double>;

constexpr const char* random_name = "random";
constexpr const char *truth_file = "truth.npy", *target_file = "target.npy",
                     *readout_file = "readout.json";

/// Different purposes take different streams of the seed.
enum Stream : std::uint64_t { state_stream = 0x51, choice_stream, noise_stream, shot_stream };

StateFactor random_state(Index n, Index rank, std::uint64_t seed) {
  StateFactor u(n, rank);
  fill_normal(RandomStream(seed, state_stream), u);
  return normalised(u);
}

/// `count` distinct numbers below `bound`, in random order.
std::vector<std::uint64_t> distinct_numbers(std::uint64_t count, std::uint64_t bound,
                                            std::uint64_t seed) {
  const RandomStream random(seed, choice_stream);
  std::vector<std::uint64_t> chosen;
  if (2 * count > bound) {  // shuffle all of them
    chosen.resize(bound);
    for (std::uint64_t k = 0; k < bound; ++k) chosen[k] = k;
    for (std::uint64_t k = 0; k < count; ++k) {
      std::swap(chosen[k], chosen[k + random.below(bound - k, k)]);
    }
    chosen.resize(count);
    return chosen;
  }
  std::unordered_set<std::uint64_t> seen;
  for (std::uint64_t k = 0; chosen.size() < count; ++k) {
    const std::uint64_t number = random.below(bound, k);
    if (seen.insert(number).second) chosen.push_back(number);
  }
  return chosen;
}

/// How often each of the outcomes comes in `shots` draws from p.
std::map<Index, std::int64_t> draw(const Vector<double>& p, std::int64_t shots,
                                   const RandomStream& random, std::uint64_t first) {
  std::vector<double> cumulative(static_cast<std::size_t>(p.size()));
  double sum = 0;
  for (Index k = 0; k < p.size(); ++k) cumulative[static_cast<std::size_t>(k)] = sum += p[k];
  std::map<Index, std::int64_t> counts;
  for (std::int64_t shot = 0; shot < shots; ++shot) {
    const double at = sum * random.uniform(first + static_cast<std::uint64_t>(shot));
    const auto it = std::upper_bound(cumulative.begin(), cumulative.end() - 1, at);
    ++counts[it - cumulative.begin()];
  }
  return counts;
}

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

}  // namespace

std::vector<std::string> pauli_sample_names() { return {"linear", "log"}; }

double samples_of(double csam, bool log, int qubits) {
  return log ? csam * std::log(std::ldexp(1.0, qubits)) : csam;
}

PauliExperiment draw_pauli(const PauliSimulation& simulation) {
  const int q = simulation.qubits;
  require_option(q >= 1 && q <= max_qubits, "qubits", q, fmt::format("1 to {}", max_qubits));
  const double n = std::ldexp(1.0, q), most = std::ldexp(1.0, 2 * q);
  const auto rank = static_cast<double>(simulation.rank);
  require_option(rank >= 1 && rank <= n, "rank", rank, fmt::format("1 to {}", n));
  require_name("option samples", simulation.samples, pauli_sample_names());
  const double each = rank * n * samples_of(1, simulation.samples == "log", q);
  const double wanted = std::round(simulation.csam * each);
  require_option(wanted >= 1 && wanted <= most, "csam", simulation.csam,
                 fmt::format("> 0 and at most {} for distinct strings", most / each));
  require_option(simulation.noise_norm >= 0 && std::isfinite(simulation.noise_norm), "noise-norm",
                 simulation.noise_norm, ">= 0");
  require_memory(wanted * 100 + n * rank * 64, fmt::format("{:.3g} Pauli strings", wanted));

  const auto numbers = distinct_numbers(static_cast<std::uint64_t>(wanted),
                                        static_cast<std::uint64_t>(most), simulation.seed);
  std::vector<PauliString> strings;
  strings.reserve(numbers.size());
  for (const std::uint64_t k : numbers) {
    strings.push_back({static_cast<std::uint32_t>(k >> q),
                       static_cast<std::uint32_t>(k & ((std::uint64_t{1} << q) - 1))});
  }
  stop_if(simulation.interrupt);
  const StateFactor truth = random_state(Index{1} << q, simulation.rank, simulation.seed);
  Vector<double> y, noise(static_cast<Index>(strings.size()));
  PauliOperator<C>(q, strings, 1).forward(truth, y);
  const RandomStream random(simulation.seed, noise_stream);
  for (Index i = 0; i < noise.size(); ++i) noise[i] = random.normal(static_cast<std::uint64_t>(i));
  y += simulation.noise_norm / noise.norm() * noise;
  stop_if(simulation.interrupt);

  return {{q, std::move(strings), std::move(y), {}}, truth};
}

Json simulate_pauli(const PauliSimulation& simulation, const std::filesystem::path& folder) {
  require_place_for_folder(folder, {pauli_file, truth_file});
  const auto [data, truth] = draw_pauli(simulation);
  std::string csv = "pauli,expectation\n";
  for (std::size_t i = 0; i < data.strings.size(); ++i) {
    csv += fmt::format("{},{:.17g}\n", pauli_label(data.strings[i], data.qubits),
                       data.values[static_cast<Index>(i)]);
  }
  make_folder(folder);
  write_npy(folder / truth_file, to_array(truth));
  write_file(folder / pauli_file, csv);
  return {{"data", (folder / pauli_file).string()},
          {"truth", (folder / truth_file).string()},
          {"qubits", data.qubits},
          {"rank", simulation.rank},
          {"csam", simulation.csam},
          {"samples", simulation.samples},
          {"measurements", data.strings.size()},
          {"noise_norm", simulation.noise_norm},
          {"seed", simulation.seed}};
}

std::vector<std::string> simulated_state_names() {
  std::vector<std::string> names = state_names();
  names.emplace_back(random_name);
  return names;
}

Json simulate_counts(const CountsSimulation& simulation, const std::filesystem::path& folder) {
  require_place_for_folder(folder, {counts_file, truth_file, target_file, readout_file});
  const int q = simulation.qubits;
  require_option(q >= 1 && q <= 12, "qubits", q, "1 to 12");
  require_option(simulation.shots >= 1 && simulation.shots <= 1'000'000'000, "shots",
                 static_cast<double>(simulation.shots), "1 to 1e9");
  require_option(simulation.depolarizing >= 0 && simulation.depolarizing <= 1, "depolarizing",
                 simulation.depolarizing, "0 to 1");
  require_option(simulation.readout_error >= 0 && simulation.readout_error <= 0.5, "readout-error",
                 simulation.readout_error, "0 to 0.5");
  const double all = std::pow(3, q);
  const double wanted = simulation.settings == 0 ? all : static_cast<double>(simulation.settings);
  require_option(wanted >= 1 && wanted <= all, "settings", wanted,
                 fmt::format("all, or 1 to {}", all));
  const Index n = Index{1} << q;
  require_memory(wanted * static_cast<double>(n) * 16, fmt::format("{} settings", wanted));

  std::vector<Setting> settings;
  if (simulation.settings == 0) {
    for (std::uint64_t k = 0; k < static_cast<std::uint64_t>(all); ++k) {
      settings.push_back(setting_number(k, q));
    }
  } else {
    for (const std::uint64_t k :
         distinct_numbers(static_cast<std::uint64_t>(wanted), static_cast<std::uint64_t>(all),
                          simulation.seed)) {
      settings.push_back(setting_number(k, q));
    }
  }
  require_name("state", simulation.state, simulated_state_names());
  const StateFactor psi = simulation.state == random_name ? random_state(n, 1, simulation.seed)
                                                          : named_state(simulation.state, q);
  Readout readout;
  const double e = simulation.readout_error;
  readout.per_qubit.assign(static_cast<std::size_t>(q), {{{1 - e, e}, {e, 1 - e}}});
  stop_if(simulation.interrupt);
  const AnyOperator<C> ideal((ProductBasisOperator<C>(settings)));
  Vector<double> p;
  ReadoutOperator<C>(ideal, readout).forward(psi, p);
  p = ((1 - simulation.depolarizing) * p.array() + simulation.depolarizing / static_cast<double>(n))
          .matrix();

  const RandomStream random(simulation.seed, shot_stream);
  Json counts = Json::object();
  for (std::size_t s = 0; s < settings.size(); ++s) {
    stop_if(simulation.interrupt);
    const auto drawn =
        draw(p.segment(static_cast<Index>(s) * n, n), simulation.shots, random,
             static_cast<std::uint64_t>(s) * static_cast<std::uint64_t>(simulation.shots));
    Json& entry = counts[label_of(settings[s])] = Json::object();
    for (const auto& [outcome, count] : drawn) entry.push_back({bits_of(outcome, q), count});
  }
  make_folder(folder);
  write_npy(folder / target_file, to_array(psi));
  write_npy(folder / truth_file, to_array(depolarised(psi, simulation.depolarizing)));
  if (e > 0) {
    Json matrices = Json::array();
    for (int j = 0; j < q; ++j) matrices.push_back({{1 - e, e}, {e, 1 - e}});
    write_file(folder / readout_file, json_text(matrices));
  }
  write_file(folder / counts_file, json_text(counts));
  Json summary = {{"data", (folder / counts_file).string()},
                  {"truth", (folder / truth_file).string()},
                  {"target", (folder / target_file).string()}};
  if (e > 0) summary["readout"] = (folder / readout_file).string();
  summary.update({{"qubits", q},
                  {"state", simulation.state},
                  {"settings", settings.size()},
                  {"shots", simulation.shots},
                  {"depolarizing", simulation.depolarizing},
                  {"readout_error", e},
                  {"seed", simulation.seed}});
  return summary;
}

}  // namespace projfgd
