// What a wider model gains on noise alone, so that its fit to the data is worth no more than that.
#pragma once

#include <functional>

#include "jobs/tomography/model.hpp"
#include "projfgd/measures/model_choice.hpp"

namespace projfgd {

/// A model that was fitted beside a wider one that may take its place.
template <class S>
struct WiderModel {
  const Matrix<S>& smaller;  ///< factor of the smaller one, with a row of white noise
  double gain;               ///< nats by which the wider one fits the data better
  LengthOfNoise alike;       ///< of noise that is alike in all directions
  /// The factor of the wider one, fitted from that of the smaller one to the data of the run.
  std::function<Matrix<S>(StagedRun<S>& run, const Matrix<S>& smaller)> widen;
};

/// What the wider model must gain: what noise alone gains in all but few cases. Random matrices
/// give a bound for noise that is alike in all directions; counts of rare outcomes leave it less
/// room, which is simulated on data of the smaller model where the gain is below the bound. The
/// time of it is spent from the run, and its limits are kept.
template <class S>
double gain_of_noise(const TomographyData& data, const StateModel<S>& model,
                     const WiderModel<S>& wider, StagedRun<S>& run);

}  // namespace projfgd
