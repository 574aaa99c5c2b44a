// How well an image explains the data that it was found from.
#pragma once

#include <vector>

#include "jobs/phase/problem.hpp"
#include "projfgd/jobs/report.hpp"

namespace projfgd {

/// Of several channels, the worst.
struct PhaseFit {
  double misfit = 0;                   ///< share of the amplitudes left unexplained
  std::vector<double> misfits = {};    ///< the same of each channel
  double growth = 0;                   ///< see growth_of_errors()
  Index blind = 0;                     ///< see blind_pixels()
  double objective = 0;                ///< 1/2 || |A z| - sqrt y ||^2 of all channels
  bool amplitudes = false;             ///< data that seem to be amplitudes
  double counted = 0;                  ///< photons, where the data are counts
  double photons = 0;                  ///< the same, where their noise explains the errors; else 0
  std::vector<double> patterns = {};   ///< see pattern_misfits()
  std::vector<double> exposures = {};  ///< see differing_exposures()
  Fit shown = {};                      ///< an even selection of the amplitudes of all channels
};

/// A misfit above this is doubted, unless noise explains it.
inline constexpr double doubtful_phase_misfit = 0.05;

/// All of it for an image that is finite.
template <class S>
PhaseFit fit_of(const PhaseProblem<S>& problem, const Matrix<S>& found);

}  // namespace projfgd
