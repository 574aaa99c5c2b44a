// From measurements to a problem for the solver, and from a state back to measured numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobs/tomography/goodness.hpp"
#include "jobs/tomography/state_solver.hpp"
#include "projfgd/jobs/constraints.hpp"
#include "projfgd/jobs/tomography.hpp"

namespace projfgd {

/// What a fit of a state to data looks like.
template <class S>
struct StateProblem {
  Problem<S> problem;
  Noise<S> noise = {};
  std::string loss = {};  ///< the one that was taken
  Index settings = 0;     ///< 0 for Pauli expectations
  double shots = 0;       ///< of all settings together; 0 when unknown
  int qubits = 0;
  StateFactor truth = {};                  ///< empty when unknown
  std::optional<ConstraintSpec> set = {};  ///< the one that was taken
};

/// What data are fitted with, besides a state.
struct StateModel {
  std::string loss;                        ///< as TomographyInput names it
  Readout readout = {};                    ///< empty: ideal
  std::optional<ConstraintSpec> set = {};  ///< where one is asked for
};

/// Whether a simulation has left measurements in this folder.
bool has_measurements(const std::filesystem::path& folder);
/// Of a folder those that a simulation wrote there, and nothing else that it knows.
Measurements read_measurements(const TomographyInput& input, InputFiles& inputs);
/// What is odd about the list of data files, one line each.
std::vector<std::string> notes_of_files(const TomographyInput& input, const InputFiles& inputs);
StateModel read_model(const TomographyInput& input, const RunSettings& settings, int qubits,
                      InputFiles& inputs);

/// With 2^q for full_rank.
RunSettings with_rank(RunSettings settings, const Measurements& measured);

/// The loss that "auto" stands for with these data.
std::string usual_loss(const PauliData& data);
std::string usual_loss(const CountsData& data);

template <class S>
StateProblem<S> make_problem(const PauliData& data, const StateModel& model,
                             const RunSettings& settings);
template <class S>
StateProblem<S> make_problem(const CountsData& data, const StateModel& model,
                             const RunSettings& settings);

/// A(U U^H), the numbers that a factor predicts; the state X / tr X predicts these over ||U||^2.
template <class S>
Vector<double> predictions(const StateProblem<S>& state, const Matrix<S>& u);

}  // namespace projfgd
