// The state behind simulated counts: a mixture that may drift, in white noise.
#pragma once

#include "projfgd/jobs/simulate_tomography.hpp"

namespace projfgd {

/// A factor of sigma, the named state or the mixture. Throws InputError.
StateFactor simulated_state(const CountsSimulation& simulation);

/// The angles of qubit 0 in so many measurements, evenly from -drift / 2 to drift / 2.
Vector<double> drift_angles(double drift, Index measurements);

/// The state with qubit 0 turned by the angle about its y axis.
StateFactor turned(const StateFactor& state, double angle);

/// A factor of the state on average over the angles: the x and z components of qubit 0 shrink by
/// the mean c of their cosines, as (1 + c)/2 rho + (1 - c)/2 Y rho Y has them.
StateFactor drifted(const StateFactor& state, const Vector<double>& angles);

/// rho^{1/2} for rho = (1 - p) U U^H + p I / n; U itself for p = 0.
StateFactor depolarised(const StateFactor& u, double p);

}  // namespace projfgd
