// One phase retrieval problem, ready for any of the methods, and what they find in its channels.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "jobs/phase/data.hpp"
#include "projfgd/core/result.hpp"
#include "projfgd/core/stopwatch.hpp"
#include "projfgd/jobs/constraints.hpp"
#include "projfgd/losses/pointwise.hpp"
#include "projfgd/operators/block_operator.hpp"

namespace projfgd {

template <class S>
struct PhaseProblem {
  PhaseData data;  ///< without its masks, which are in the operator
  std::shared_ptr<const BlockOperator<S>> op;
  ConstraintSpec set;      ///< an l1 ball without a radius has one that is to be found
  ConstraintSpec support;  ///< besides it
  Matrix<S> truth;         ///< a column for each channel; empty: unknown
  /// From a file, a column for each channel or one for all; empty: RunSettings::init names one.
  Matrix<S> start;
  double target_error = 0;
  std::string loss;
};

/// Reads the files that the data do not name and builds the operator.
template <class S>
PhaseProblem<S> make_phase_problem(PhaseData data, const PhaseInput& input,
                                   const RunSettings& settings, InputFiles& files);

/// What a method found in one channel.
template <class S>
struct PhaseChannel {
  Result<Matrix<S>> result = {};
  Matrix<S> start = {};
  PointwiseLoss loss = PointwiseLoss::amplitude;  ///< of the objective
  std::vector<PointwiseLoss> losses = {};         ///< of the objective in each row of the trace
  int attempts = 1;
  bool confirmed = false;   ///< two of them came to the answer
  bool disputed = false;    ///< see PhaseWay
  double radius = 0;        ///< of the l1 ball, where it was to be found
  Index radius_passes = 0;  ///< made to find it
};

/// Runs settings.method on channel c; the time limit counts from the clock's start.
template <class S>
PhaseChannel<S> solve_channel(const PhaseProblem<S>& problem, Index c, const RunSettings& settings,
                              const Stopwatch& clock);

/// Turns each column so that its sum is real and positive, the phase that images have.
template <class S>
void fix_phase(Matrix<S>& z);

}  // namespace projfgd
