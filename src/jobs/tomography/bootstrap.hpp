// Resampling: how far the answer would scatter if the experiment were repeated on it.
#pragma once

#include <cstdint>
#include <vector>

#include "jobs/tomography/describe.hpp"
#include "jobs/tomography/trust.hpp"

namespace projfgd {

/// The data of another run of the same experiment on a state of these predictions. Each `number` is
/// another run.
Measurements redrawn(const Measurements& measured, const Vector<double>& predictions,
                     std::uint64_t seed, std::uint64_t number);

/// Settings of a fit that nobody sees: one thread of many runs it.
RunSettings quiet(const RunSettings& settings);

/// Fits the model that was chosen to other data, from the factor that was found. The factor that
/// comes out has a row of white noise if that one has.
template <class S>
Result<Matrix<S>> refit(const Measurements& measured, const ModelChoice& choice,
                        const StateModel<S>& model, const FittedModelView<S>& fitted,
                        const RunSettings& settings);

/// States of trace one, fitted to so many redrawn data sets by the model that was chosen, each fit
/// started from the answer. The refits share the threads, report progress and end with the limits
/// of the run, of which `spent` is gone; those that did not begin are missing. Throws InputError
/// where the noise of the data is not known.
template <class S>
std::vector<StateFactor> refitted_states(const TomographyData& data, const StateModel<S>& model,
                                         const FittedModelView<S>& fitted,
                                         const Vector<double>& predictions,
                                         const RunSettings& settings, TraceRow spent, int refits);

/// Puts intervals by these states in the place of all others.
void use_refits(const std::vector<StateFactor>& refits, const StateFactor& state,
                const StateQuestions& questions, StateTrust& trust);

}  // namespace projfgd
