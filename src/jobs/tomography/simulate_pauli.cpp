#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "jobs/common/simulated.hpp"
#include "jobs/tomography/measured.hpp"
#include "jobs/tomography/random_experiment.hpp"
#include "projfgd/core/memory.hpp"
#include "projfgd/core/random.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/core/version.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/io/npy.hpp"
#include "projfgd/jobs/simulate_tomography.hpp"
#include "projfgd/operators/pauli.hpp"

namespace projfgd {
namespace {

/// How many strings are asked for. Throws InputError and ResourceError unless all makes sense.
double count_strings(const PauliSimulation& simulation) {
  const int q = simulation.qubits;
  require_option(q >= 1 && q <= max_qubits, "--qubits", q, fmt::format("1 to {}", max_qubits));
  const double n = std::ldexp(1.0, q), most = std::ldexp(1.0, 2 * q);
  const auto rank = static_cast<double>(simulation.rank);
  require_option(rank >= 1 && rank <= n, "--rank", rank, fmt::format("1 to {}", n));
  require_name("--samples", simulation.samples, pauli_sample_names());
  const double each = rank * n * samples_of(1, simulation.samples == "log", q);
  const double wanted = std::round(simulation.csam * each);
  require_option(wanted >= 1 && wanted <= most, "--csam", simulation.csam,
                 fmt::format("> 0 and at most {} for distinct strings", most / each));
  require_option(simulation.noise_norm >= 0 && std::isfinite(simulation.noise_norm), "--noise-norm",
                 simulation.noise_norm, ">= 0");
  require_memory(wanted * 100 + n * rank * 64, fmt::format("{:.3g} Pauli strings", wanted));
  return wanted;
}

std::vector<PauliString> draw_strings(double count, int qubits, std::uint64_t seed) {
  const auto all = static_cast<std::uint64_t>(std::ldexp(1.0, 2 * qubits));
  std::vector<PauliString> strings;
  strings.reserve(static_cast<std::size_t>(count));
  for (const std::uint64_t k : distinct_numbers(static_cast<std::uint64_t>(count), all, seed)) {
    strings.push_back({static_cast<std::uint32_t>(k >> qubits),
                       static_cast<std::uint32_t>(k & ((std::uint64_t{1} << qubits) - 1))});
  }
  return strings;
}

/// tr(P_i X), without noise, computed where it was asked for.
Vector<double> expectations_of(const PauliSimulation& simulation, const PauliData& data,
                               const StateFactor& truth) {
  Vector<double> y;
  const auto& place = simulation.place;
  if (const auto there = place ? place : find_place(simulation.device, 1, "")) {
    const Measurements all = data;
    placed<std::complex<double>>(*there, {all, all, Readout{}}, truth.cols())
        ->op()
        .forward(truth, y);
    y /= scale_of(data);
  } else {
    PauliOperator<std::complex<double>>(data.qubits, data.strings, 1).forward(truth, y);
  }
  return y;
}

/// Adds normal noise of that norm.
void add_noise(double norm, std::uint64_t seed, Vector<double>& y) {
  Vector<double> noise(y.size());
  const RandomStream random(seed, noise_stream);
  for (Index i = 0; i < noise.size(); ++i) noise[i] = random.normal(static_cast<std::uint64_t>(i));
  y += norm / noise.norm() * noise;
}

/// A file that says nothing of its noise cannot have much of it.
void require_readable(const std::string& csv, double noise_norm) {
  try {
    parse_measurements({{pauli_file, csv}}, {});
  } catch (const InputError& error) {
    throw InputError(
        fmt::format("--noise-norm: found {:g}, expected less noise: {}", noise_norm, error.what()));
  }
}

}  // namespace

std::vector<std::string> pauli_sample_names() { return {"linear", "log"}; }

double samples_of(double csam, bool log, int qubits) {
  return log ? csam * std::log(std::ldexp(1.0, qubits)) : csam;
}

PauliExperiment draw_pauli(const PauliSimulation& simulation) {
  const int q = simulation.qubits;
  const std::uint64_t seed = simulation.seed;
  std::vector<PauliString> strings = draw_strings(count_strings(simulation), q, seed);
  stop_if(simulation.interrupt);
  StateFactor truth = random_state(Index{1} << q, simulation.rank, seed);
  PauliData data{q, std::move(strings), {}, {}};
  data.values = expectations_of(simulation, data, truth);
  add_noise(simulation.noise_norm, seed, data.values);
  stop_if(simulation.interrupt);
  return {std::move(data), std::move(truth)};
}

Json simulate_pauli(const PauliSimulation& simulation, const std::filesystem::path& folder) {
  require_place_for_folder(folder, {pauli_file, truth_file, simulation_file});
  const auto [data, truth] = draw_pauli(simulation);
  // Readers hold the file to its number of rows, so that one that was cut is not taken for whole.
  std::string csv = fmt::format("# rows: {}\n# projfgd {}, seed {}; see {}\npauli,expectation\n",
                                data.strings.size(), version(), simulation.seed, simulation_file);
  for (std::size_t i = 0; i < data.strings.size(); ++i) {
    csv += fmt::format("{},{:.17g}\n", pauli_label(data.strings[i], data.qubits),
                       data.values[static_cast<Index>(i)]);
  }
  require_readable(csv, simulation.noise_norm);
  Json summary = {{"data", (folder / pauli_file).string()},
                  {"truth", (folder / truth_file).string()},
                  {"qubits", data.qubits},
                  {"rank", simulation.rank},
                  {"csam", simulation.csam},
                  {"samples", simulation.samples},
                  {"measurements", data.strings.size()},
                  {"noise_norm", simulation.noise_norm},
                  {"seed", simulation.seed}};
  publish_simulation(folder, {{truth_file, npy_bytes(to_array(truth))}, {pauli_file, csv}},
                     simulation.command, summary);
  return summary;
}

}  // namespace projfgd
