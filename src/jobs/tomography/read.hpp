// The first step of tomography: everything that is read, before anything is computed, so that bad
// input costs no waiting.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "projfgd/jobs/tomography.hpp"

namespace projfgd {

/// What a user wants to know of the state.
struct StateQuestions {
  std::vector<std::string> labels;        ///< observables, as they are written in the file
  std::vector<PauliString> paulis;        ///< the same, qubit 0 rightmost
  std::vector<std::vector<int>> reduced;  ///< lists of qubits whose joint state is wanted
  StateFactor target;                     ///< to compare with; empty: none
  std::string target_name;
};

/// What the user decides of the model.
struct ModelChoice {
  std::string loss = state_loss::automatic;
  Readout readout = {};                     ///< empty: ideal
  std::optional<ConstraintSpec> set = {};   ///< where one is asked for
  std::shared_ptr<const Place> place = {};  ///< of the products; null: the processor
};

struct TomographyData {
  Measurements measured;
  ModelChoice choice = {};
  StateQuestions questions = {};
  StateFactor truth = {};  ///< empty when unknown
  StateFactor start = {};  ///< from the file of RunSettings::init, where that is one
  InputFiles inputs = {};
  std::vector<std::string> notes = {};  ///< what is odd about the list of files
};

/// Whether a simulation has left measurements in this folder.
bool has_measurements(const std::filesystem::path& folder);

TomographyData read_tomography(const TomographyInput& input, const RunSettings& settings);

}  // namespace projfgd
