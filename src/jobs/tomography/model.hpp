// The second step of tomography: from data to a problem for the solver.
#pragma once

#include <optional>
#include <string>

#include "jobs/common/noise.hpp"
#include "jobs/tomography/read.hpp"

namespace projfgd {

/// The model in words and numbers.
struct ModelFacts {
  std::string loss = {};    ///< the one that was taken
  ConstraintSpec set = {};  ///< the one that was taken
  Noise noise = {};
  int qubits = 0;
  Index settings = 0;            ///< 0 where the data are no counts of settings
  Index projectors = 0;          ///< 0 where the data are no counts of projectors
  double shots = 0;              ///< of all settings together; 0 when unknown
  double shots_per_setting = 0;  ///< of expectations: what their errors are worth; 0 when unknown
  Vector<double> white_predictions = {};  ///< A(I/n), what white noise predicts
  /// Of counts whose trace is free: the exposures of the loss, and the sums of the counts and of
  /// those that do not come from the state.
  struct Level {
    Vector<double> exposures;
    double counts, accidentals;
  };
  std::optional<Level> level_of_counts = {};
};

/// What explains the data, but for the state.
template <class S>
struct StateModel {
  Problem<S> problem;
  ModelFacts facts = {};
};

/// The settings with 2^q for full_rank.
RunSettings with_rank(RunSettings settings, const Measurements& measured);

/// The loss that "auto" stands for with these data.
std::string usual_loss(const Measurements& measured);

/// Whether the radius of the set is to be found from the data: of an l1 ball without one.
bool finds_radius(const ConstraintSpec& set);

/// The model that is chosen, without truth and start. A set whose radius is to be found bounds
/// nothing in it.
template <class S>
StateModel<S> make_model(const Measurements& measured, const ModelChoice& choice,
                         const RunSettings& settings);

/// The model of all that was read.
template <class S>
StateModel<S> make_model(const TomographyData& data, const RunSettings& settings);

/// A(U U^H), the numbers that a factor predicts; the state X / tr X predicts these over ||U||^2.
template <class S>
Vector<double> predictions(const Problem<S>& problem, const Matrix<S>& u);

}  // namespace projfgd
