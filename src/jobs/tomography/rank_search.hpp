// The choice of the rank: it grows while the data support that.
#pragma once

#include "jobs/common/escape.hpp"

namespace projfgd {

/// Grows the rank from 1, or from that of problem.start, while each step improves the fit by more
/// than noise explains, and lowers one that it does not call for; the note says why it stopped.
template <class S>
NotedAnswer<S> solve_any_rank(Problem<S> problem, const RunSettings& settings, const Noise& noise);

}  // namespace projfgd
