// Phase retrieval in two steps, for those who solve one problem with several methods.
#pragma once

#include <functional>

#include "projfgd/jobs/phase.hpp"

namespace projfgd {

/// Solves a problem that is in memory with the method, the limits, the seed and the named start of
/// these settings.
using PreparedPhase = std::function<RunRecord(const RunSettings&)>;

/// Reads all files, once: the data, the truth, the sets and a start from a file are those of the
/// settings here, as are the precision and the number of threads.
PreparedPhase prepare_phase(const PhaseInput& input, const RunSettings& settings);

}  // namespace projfgd
