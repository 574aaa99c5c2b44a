// Which rank, and whether white noise: a penalised average of models instead of a choice where the
// data leave it open.
#pragma once

#include <vector>

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// rho = U U^H of a rank, with or without white noise. The full rank has no need of it.
struct StateModelKind {
  Index rank = 1;
  bool white = false;
  friend bool operator==(const StateModelKind&, const StateModelKind&) = default;
};

/// In nats, what a model of a state of dimension n must gain over a pure state to be as plausible:
///   2 for each of the (r-1)(2n-r-1) further parameters of rank r below the full rank,
///   1.3 for each of the n^2 - 2n at full rank, whose parameters share the weight of few data,
///   1/2 ln N where noise is white, N the shots of a setting: the usual price of one parameter.
/// Positivity makes the gain of a needless column larger than a regular parameter's 1/2.
double model_penalty(const StateModelKind& kind, Index n, double shots_per_setting);

struct FittedModel {
  StateModelKind kind;
  double log_likelihood = 0;  ///< in nats, up to a constant that all have in common
};

/// Weights exp(l - penalty) over their sum. Those below negligible_weight of the largest are 0.
std::vector<double> model_weights(const std::vector<FittedModel>& models, Index n,
                                  double shots_per_setting);

/// Models of a smaller weight are left out of an average.
inline constexpr double negligible_weight = 1e-3;

}  // namespace projfgd
