// The record of a run whose operator is not that of a Problem.
#pragma once

#include <string>
#include <vector>

#include "projfgd/jobs/record.hpp"

namespace projfgd {

/// The summary with the keys that every job has, the trace and the factor.
template <class S>
RunRecord make_record(Index dimension, Index measurements, const RunSettings& settings,
                      Answer<S> answer, double setup_seconds, const InputFiles& inputs);

/// Puts these lines after those that are there.
void add_warnings(const std::vector<std::string>& lines, Json& summary);

}  // namespace projfgd
