// The part of a comparison that works on a model, wherever its data came from.
#pragma once

#include <string>
#include <vector>

#include "jobs/tomography/model.hpp"
#include "projfgd/jobs/compare.hpp"

namespace projfgd {

/// Runs one method after another from settings.init and tells `done` of each; with `certify` each
/// answer gets its gap, which costs eigenvalues. Of an interrupted comparison the runs so far
/// remain.
template <class S>
std::vector<ComparedRun> compare_methods(const StateModel<S>& model,
                                         const std::vector<std::string>& methods,
                                         const RunSettings& settings, bool certify,
                                         const MethodDone& done = {});

}  // namespace projfgd
