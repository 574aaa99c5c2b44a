// Low-rank PSD problems from files: what `projfgd solve` does. The formats are in
// docs/solve-reference.md.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "projfgd/jobs/place.hpp"
#include "projfgd/jobs/record.hpp"

namespace projfgd {

struct MatrixInput {
  MatrixInput(std::filesystem::path file) : problem(std::move(file)) {}

  /// A JSON description, or the known entries of a matrix as MatrixMarket (.mtx) or CSV (.csv).
  std::filesystem::path problem;
  std::string device = device_name::automatic;  ///< auto, cpu, gpu or gpu:K
  std::shared_ptr<const Place> place = {};      ///< instead of a device that is looked for
};

/// Solves the problem of a file. Settings override the file.
RunRecord run_matrix_problem(const MatrixInput& input, const RunSettings& settings);

}  // namespace projfgd
