#pragma once

#include "projfgd/jobs/run.hpp"

namespace projfgd {

/// Bytes that a solve takes beside its operator: iterates and quasi-Newton pairs, the basis of the
/// start's eigenproblem with its image, and the predictions.
double solver_bytes(double rows, double measurements, double rank, bool complex, bool single,
                    const Options& options);

}  // namespace projfgd
