// What the paper prints, as one table. Where a printed number cannot be what its caption says, the
// entry carries the reason and a reproduction marks it as not comparable.
#pragma once

#include <string>
#include <vector>

#include "projfgd/core/factor.hpp"

namespace projfgd {

struct PaperFigure {
  const char* where;  ///< the reproduction it belongs to
  int qubits;
  Index rank;
  double csam;
  const char* method;
  double error;    ///< ||X - X*||_F / ||X*||_F
  double seconds;  ///< Matlab, the authors' machine
  const char* misprint = "";
  bool only_seconds = false;  ///< are misprinted, and the error holds
};

const std::vector<PaperFigure>& paper_figures();

/// Null when the paper prints nothing for that cell.
const PaperFigure* find_paper_figure(const std::string& where, int qubits, Index rank, double csam,
                                     const std::string& method);

/// Slips of the paper that a reader of this reproduction should know; `spectral`: some of its runs
/// start there.
std::vector<std::string> paper_slips(const std::string& where, bool spectral);

}  // namespace projfgd
