// The fourth step of tomography: whether the fit can be trusted, from what the fit has left.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobs/tomography/fit.hpp"

namespace projfgd {

/// All that led to a fit.
struct Evidence {
  const TomographyInput& input;
  const RunSettings& settings;
  const TomographyData& data;
  const ModelFacts& model;
  const FittedState& fit;

  Index rank() const { return fit.rank; }
  bool has_full_rank() const { return rank() == fit.state.rows(); }
};

/// What is to be said of a fit.
struct Judgement {
  GoodnessTest test = {};
  std::optional<bool> fits_data = {};      ///< where it can be told
  std::vector<std::string> warnings = {};  ///< one line for each thing that may be wrong
};

/// Goes through the list of checks in judge.cpp. A new statistic of a fit is computed in fit.cpp,
/// from a measure, and gets a check there.
Judgement judge(const Evidence& evidence);

}  // namespace projfgd
