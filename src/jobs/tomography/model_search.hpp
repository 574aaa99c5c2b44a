// The choice of the model: which ranks, with or without white noise, and in what mixture.
#pragma once

#include "jobs/tomography/model_average.hpp"

namespace projfgd {

/// Whether the models can be compared: by a likelihood, on a set that bounds only the trace, with
/// steps that go on from any point, in a dimension whose n x n factor is worth having.
template <class S>
bool can_choose_model(const StateModel<S>& model, const RunSettings& settings);

/// Fits rho = U U^H + white noise for one rank after the other, until another column gains less
/// than it must, and the plausible ones of these without white noise; up to 6 qubits also the full
/// rank, unless the optimality gap shows that it cannot compete. What a rank must gain is what it
/// loses by evidence, measures/state_evidence.hpp. Returns the average of the models with the
/// weights of measures/model_choice.hpp.
template <class S>
ChosenState<S> choose_state(const StateModel<S>& model, const RunSettings& settings);

}  // namespace projfgd
