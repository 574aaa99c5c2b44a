// Ptychography: a scan in, the object and perhaps its probe out.
#pragma once

#include <string>
#include <vector>

#include "jobs/phase/prepared.hpp"
#include "projfgd/jobs/input_files.hpp"

namespace projfgd {

/// The same as prepare_phase() for the data of a scan.
PreparedPhase prepare_ptychography(const PhaseInput& input, const RunSettings& settings,
                                   InputFiles files);

/// The files that a run writes besides output_names().
inline constexpr const char *object_file = "object.npy", *found_probe_file = "probe.npy";

/// Those and the pictures of the probe, where the data may be of a scan.
std::vector<std::string> ptychography_files(const PhaseInput& input);

}  // namespace projfgd
