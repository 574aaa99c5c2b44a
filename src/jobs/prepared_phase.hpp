// Phase retrieval in two steps, for those who solve one problem with several methods.
#pragma once

#include <functional>

#include "projfgd/jobs/phase.hpp"

namespace projfgd {

/// Solves a problem that is in memory, with the method and the limits of these settings.
using PreparedPhase = std::function<RunRecord(const RunSettings&)>;

/// Reads all files, once. The sets, the start, the precision and the number of threads are those
/// of the settings here.
PreparedPhase prepare_phase(const PhaseInput& input, const RunSettings& settings);

}  // namespace projfgd
