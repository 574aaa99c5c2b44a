// Tomography data with a known truth, exactly reproducible for a seed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "projfgd/core/interrupt.hpp"
#include "projfgd/io/json.hpp"
#include "projfgd/io/measurements.hpp"
#include "projfgd/jobs/place.hpp"
#include "projfgd/measures/state.hpp"

namespace projfgd {

/// What the simulations below call the file of their measurements.
inline constexpr const char *pauli_file = "pauli.csv", *counts_file = "counts.json";

/// m = csam r n distinct random Pauli strings, or csam r n ln n, of a random state with tr X* = 1
/// and n = 2^q rows: y_i = tr(P_i X*) + e_i with Gaussian e scaled to ||e||_2 = noise_norm.
struct PauliSimulation {
  int qubits = 0;         ///< 1 to 24
  std::int64_t rank = 1;  ///< of X*, 1 to 2^q
  double csam = 3;        ///< > 0; m may not exceed 4^q
  double noise_norm = 0;  ///< >= 0
  std::uint64_t seed = 1;
  Interrupt interrupt = {};        ///< ends it with an InterruptedError
  std::string command = {};        ///< that asked for it, for simulation.json
  std::string samples = "linear";  ///< m = csam r n; or "log": csam r n ln n
  /// cpu, gpu or gpu:K, which give the same expectations but for rounding; see jobs/place.hpp.
  std::string device = device_name::cpu;
  std::shared_ptr<const Place> place = {};  ///< takes the place of the one that is named
};

/// linear, log
std::vector<std::string> pauli_sample_names();

/// m / (r n): C, or C ln n.
double samples_of(double csam, bool log, int qubits);

/// The data and the n x r factor of X*.
struct PauliExperiment {
  PauliData data;
  StateFactor truth;
};

/// The same experiment for the same seed. Throws InputError, ResourceError.
PauliExperiment draw_pauli(const PauliSimulation& simulation);

/// Writes pauli.csv and truth.npy, the n x r factor; returns what was made.
Json simulate_pauli(const PauliSimulation& simulation, const std::filesystem::path& folder);

/// Counts of product Pauli settings on (1 - p) sigma + p I / n, sigma a pure state or a mixture,
/// each bit then read wrongly with probability readout_error. Or counts of single projectors:
/// Poisson numbers whose mean is `shots` times the probability, and `accidentals` beside.
struct CountsSimulation {
  int qubits = 0;             ///< 1 to 24
  std::string state = "ghz";  ///< one of simulated_state_names()
  std::string mix = {};       ///< "w:0.8,ghz:0.2": states and weights in the place of `state`
  std::int64_t shots = 1000;  ///< of each setting, >= 1
  std::int64_t settings = 0;  ///< that many distinct random ones; 0: all 3^q
  double depolarizing = 0;    ///< p, 0 to 1
  double readout_error = 0;   ///< 0 to 1/2; of settings
  /// Radians by which qubit 0 turns about its y axis from the first setting to the last.
  double drift = 0;
  /// One of projector_set_names(); empty: settings.
  std::string projectors = {};
  double accidentals = 0;  ///< counts of a projector that have nothing to do with the state
  std::uint64_t seed = 1;
  Interrupt interrupt = {};  ///< ends it with an InterruptedError
  std::string command = {};  ///< that asked for it, for simulation.json
};

/// minimal, the 4^q products of H, V, D and R, and all, the 6^q products with A and L.
std::vector<std::string> projector_set_names();

/// Those of measures/state.hpp, and random, which is pure.
std::vector<std::string> simulated_state_names();

/// Writes counts.json (label to counts), truth.npy (a factor of the state that was measured, on
/// average where it drifts; none of more than 12 qubits with white noise), target.npy (a factor of
/// sigma) and, with a readout error, readout.json; returns what was made. Some settings of more
/// than 12 qubits have Z...Z among them.
Json simulate_counts(const CountsSimulation& simulation, const std::filesystem::path& folder);

}  // namespace projfgd
