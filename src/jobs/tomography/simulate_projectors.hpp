// Simulated counts of single projectors.
#pragma once

#include "projfgd/io/json.hpp"
#include "projfgd/jobs/simulate_tomography.hpp"

namespace projfgd {

/// Throws InputError and ResourceError unless the options of projectors make sense together.
void validate_projectors(const CountsSimulation& simulation);

/// How many projectors there are.
Index count_projectors(const CountsSimulation& simulation);

/// Label to count, or to {"count", "accidentals"}; projector i meets the state turned by angle i.
Json draw_projectors(const CountsSimulation& simulation, const StateFactor& state,
                     const Vector<double>& angles);

}  // namespace projfgd
