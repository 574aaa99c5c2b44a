// From what was measured to the operator and the loss of the problem.
#pragma once

#include <memory>
#include <string>

#include "jobs/tomography/read.hpp"
#include "projfgd/jobs/place.hpp"
#include "projfgd/operators/rank_one.hpp"

namespace projfgd {

/// Throws ResourceError when the amplitudes of all projectors do not fit in memory.
template <class S>
RankOneOperator<S> projector_operator(const ProjectorData& data);

/// The operator and the loss of data, and what there is of them in another place.
template <class S>
struct MeasuredModel {
  AnyOperator<S> op;
  AnyLoss<RealOf<S>> loss;
  std::shared_ptr<const PlacedMeasurements<S>> there = {};
};

/// Of several ranks each has a part of the data.
template <class S>
MeasuredModel<S> measured_model(const Measurements& measured, const ModelChoice& choice,
                                const RunSettings& settings, const std::string& loss_name);

}  // namespace projfgd
