// Whether an answer of phase retrieval is to be trusted.
#pragma once

#include <vector>

#include "jobs/phase/attempt.hpp"
#include "jobs/phase/fit.hpp"
#include "jobs/phase/problem.hpp"
#include "projfgd/io/json.hpp"

namespace projfgd {

/// Puts what a user should know before trusting the answer in the summary; solves nothing.
template <class S>
void judge(const PhaseProblem<S>& problem, const RunSettings& settings, const Matrix<S>& found,
           const std::vector<SearchRecord>& searches, Status status, const PhaseFit& fit,
           Json& summary);

}  // namespace projfgd
