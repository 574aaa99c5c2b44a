// The last step of tomography: the record of the run, ready to be written or shown.
#pragma once

#include "jobs/tomography/describe.hpp"
#include "jobs/tomography/judge.hpp"

namespace projfgd {

/// The joint state of the listed qubits is in this file.
std::string reduced_file(const std::vector<int>& qubits);
inline constexpr const char* density_file = "density_matrix.npy";

/// Completes the record of the fit with what the steps before have found.
RunRecord report(RunRecord record, const Evidence& evidence, const Judgement& judgement,
                 const StateDescription& description);

}  // namespace projfgd
