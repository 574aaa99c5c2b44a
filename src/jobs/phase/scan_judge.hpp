// Whether the object of a scan is to be trusted.
#pragma once

#include <complex>
#include <vector>

#include "jobs/phase/scan_fit.hpp"
#include "projfgd/io/json.hpp"

namespace projfgd {

/// Puts what a user should know before trusting the answer in the summary; solves nothing.
template <class S>
void judge_scan(const ScanProblem<S>& problem, const ScanAnswer<S>& found,
                const Matrix<std::complex<double>>& object, Status status, double tolerance,
                const std::vector<double>& frame_misfits, Json& summary);

}  // namespace projfgd
