// One phase retrieval problem, ready for any of the methods.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "jobs/phase/data.hpp"
#include "projfgd/jobs/constraints.hpp"
#include "projfgd/jobs/place.hpp"
#include "projfgd/operators/block_operator.hpp"

namespace projfgd {

template <class S>
struct PhaseProblem {
  PhaseData data;  ///< without its masks, which are in the operator
  std::shared_ptr<const BlockOperator<S>> op;
  /// Where it is solved, and its patterns there; null: here.
  std::shared_ptr<const Place> place;
  std::shared_ptr<const PlacedPatterns<S>> placed;
  ConstraintSpec set;      ///< an l1 ball without a radius has one that is to be found
  ConstraintSpec support;  ///< besides it
  Matrix<S> truth;         ///< a column for each channel; empty: unknown
  /// From a file, a column for each channel or one for all; empty: RunSettings::init names one.
  Matrix<S> start;
  double target_error = 0;
  double photon = 0;   ///< the intensity of one, where the data are counts; else 0
  double numbers = 0;  ///< real ones of an image in the set, were there no l1 ball
  std::string loss;
  std::function<void(const std::string&)> stage;  ///< see PhaseInput

  bool has_support() const { return support.name == "support" || set.name == "support"; }
};

/// Reads the files that the data do not name and builds the operator.
template <class S>
PhaseProblem<S> make_phase_problem(PhaseData data, const PhaseInput& input,
                                   const RunSettings& settings, InputFiles& files);

}  // namespace projfgd
