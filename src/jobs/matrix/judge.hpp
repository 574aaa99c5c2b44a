// Whether the answer of a matrix problem explains its data.
#pragma once

#include "jobs/matrix/description.hpp"
#include "projfgd/jobs/record.hpp"

namespace projfgd {

/// How many times larger the misfit of counts is than their noise makes it: the deviance, twice the
/// objective, is about one for each of them.
double counts_misfit(Index counts, double objective);

/// Enters relative_misfit or fits_data in the summary, and a warning for each thing that may be
/// wrong; `nothing` is the objective of predicting 0.
void judge_matrix(const MatrixDescription& d, double nothing, Json& summary);

}  // namespace projfgd
