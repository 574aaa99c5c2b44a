// Low-rank PSD problems from files: what `projfgd solve` does. The formats are in
// docs/solve-reference.md.
#pragma once

#include <filesystem>

#include "projfgd/jobs/record.hpp"

namespace projfgd {

/// Solves the problem that a file describes: a JSON description, or the known entries of a matrix
/// as MatrixMarket (.mtx) or CSV (.csv). Settings override the file.
RunRecord run_matrix_problem(const std::filesystem::path& problem, const RunSettings& settings);

}  // namespace projfgd
