// One channel of a phase retrieval problem, solved for itself.
#pragma once

#include "jobs/phase/attempt.hpp"
#include "jobs/phase/problem.hpp"
#include "projfgd/core/stopwatch.hpp"

namespace projfgd {

/// Runs settings.method on channel c; the time limit counts from the clock's start. A channel
/// without light has an empty trace, and its image is 0.
template <class S>
PhaseAnswer<Matrix<S>> solve_channel(const PhaseProblem<S>& problem, Index c,
                                     const RunSettings& settings, Stopwatch& clock);

/// Intensities of a channel that are not the same by themselves: those of masks that differ, and of
/// a real image behind real masks half of them, because each pattern is its own mirror image.
template <class S>
Index different_data(const PhaseProblem<S>& problem, bool real_image);

/// Turns each column so that its sum is real and positive, the phase that images have.
template <class S>
void fix_phase(Matrix<S>& z);

}  // namespace projfgd
