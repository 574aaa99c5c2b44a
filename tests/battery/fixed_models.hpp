// Fits of one model each, for the choice among them to be compared with.
#pragma once

#include <string>
#include <vector>

#include "jobs/tomography/model.hpp"
#include "projfgd/measures/model_choice.hpp"

namespace projfgd::battery {

template <class S>
struct FixedModel {
  StateModelKind kind;
  std::string name;
  Matrix<S> state = {};  ///< a factor
  double objective = 0;
};

/// Every rank up to most_fixed_rank, with and without white noise, and up to 5 qubits the full
/// rank.
std::vector<FixedModel<std::complex<double>>> fit_every_model(
    const StateModel<std::complex<double>>& model, const RunSettings& settings);

inline constexpr Index most_fixed_rank = 12;

}  // namespace projfgd::battery
