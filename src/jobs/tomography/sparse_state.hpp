// States of many qubits that have few amplitudes.
#pragma once

#include "jobs/tomography/model_average.hpp"

namespace projfgd {

/// Fits a state in the l1 ball ||U||_1 <= R whose radius the data tell, and after that the
/// amplitudes that the ball has left, by themselves: a ball makes all of them a little smaller.
///
/// At the true U the gradient of the likelihood in an amplitude that is 0 is noise, of variance at
/// most N, the number of shots, so that the largest of n is about sqrt(N log n). The multiplier
/// lambda of the ball is what the data pull at amplitudes outside: R is such that it is as large as
/// that noise. A smaller ball would leave out what is no noise, a larger one would fit noise.
///
/// Beside U there is white noise, unless the user does not want it. Throws InputError where no
/// setting measures all qubits in the computational basis, to start from, or the noise is not
/// known.
template <class S>
ChosenState<S> find_sparse_state(const TomographyInput& input, const Measurements& measured,
                                 const StateModel<S>& model, const RunSettings& settings);

}  // namespace projfgd
