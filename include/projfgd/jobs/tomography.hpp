// Quantum state tomography: counts or Pauli expectations in, a state and how good it is out.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "projfgd/io/measurements.hpp"
#include "projfgd/jobs/constraints.hpp"
#include "projfgd/jobs/record.hpp"
#include "projfgd/measures/state.hpp"

namespace projfgd {

/// The names of the losses. Automatic: Poisson for counts with known shots, else least squares,
/// weighted where standard errors are known.
namespace state_loss {
inline constexpr const char* automatic = "auto";
inline constexpr const char* poisson = "poisson";
inline constexpr const char* least_squares = "least-squares";
inline constexpr const char* weighted = "weighted";
}  // namespace state_loss

std::vector<std::string> state_loss_names();

/// Whether white noise is part of the models that are compared where the rank is left open.
namespace white_noise_option {
inline constexpr const char* automatic = "auto";
inline constexpr const char* off = "off";
}  // namespace white_noise_option

std::vector<std::string> white_noise_names();

/// Which error bars there are. Automatic: those that hold the truth as often as they say.
/// Bootstrap, or "bootstrap:N": from N fits to data that are drawn from the fitted state.
namespace errors_option {
inline constexpr const char* automatic = "auto";
inline constexpr const char* bootstrap = "bootstrap";
inline constexpr const char* none = "none";
}  // namespace errors_option

std::vector<std::string> errors_names();

/// The N of a bootstrap, 200 unless it says another; 0 for the other names of errors_option. Throws
/// InputError for anything else.
int bootstrap_refits(const std::string& errors);

class Place;

/// What only tomography asks for. The run's rank 0 means: grow it while the data support that;
/// full_rank is 2^q.
struct TomographyInput {
  std::vector<std::filesystem::path> data;  ///< files, or folders that a simulation wrote
  MeasurementFormat format;                 ///< its bases are read from the file below
  std::filesystem::path bases = {};         ///< further single-qubit bases, JSON; empty: none
  std::string loss = state_loss::automatic;
  std::string white_noise = white_noise_option::automatic;
  std::string errors = errors_option::automatic;
  std::filesystem::path readout;          ///< calibration of the detectors; empty: ideal
  std::string target;                     ///< a state to compare with: a name or an NPY file
  std::string target_name = {};           ///< what the summary calls it; empty: the same
  std::filesystem::path observables;      ///< Pauli strings whose expectations are wanted
  std::vector<std::vector<int>> reduced;  ///< lists of qubits whose joint state is wanted
  std::string device = "auto";            ///< where products are computed; see jobs/place.hpp
  std::shared_ptr<const Place> place = nullptr;  ///< where the caller has chosen it already
};

/// Sets that bound the trace of a state, its spectrum, or where it lives.
std::vector<std::string> state_constraint_names();

/// The set where none is asked for.
inline constexpr const char* default_state_constraint = unit_trace_set;

/// tr X <= 1 unless settings.constraint says otherwise ("frobenius-sphere:1" is tr X = 1).
RunRecord run_tomography(const TomographyInput& input, const RunSettings& settings);

/// The files that a run writes: those of output_names(), the density matrix, unless it is too
/// large, and the joint state of each list of qubits.
std::vector<std::string> tomography_files(const TomographyInput& input);

/// The factor of a state of dimension n, of trace one, given as amplitudes, an n x r factor or a
/// density matrix: an n x n array, roughly Hermitian, whose trace is 1 up to a hundredth. Throws
/// InputError naming `path`, also for a square array that is neither that nor a factor.
StateFactor to_state(const Array& array, Index n, const std::filesystem::path& path);

/// The largest dimension whose density matrix is among the outputs.
inline constexpr Index largest_density_matrix = 4096;

}  // namespace projfgd
