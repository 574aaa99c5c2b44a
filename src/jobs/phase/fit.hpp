// How well an image explains the data that it was found from.
#pragma once

#include <vector>

#include "jobs/phase/noise.hpp"
#include "jobs/phase/problem.hpp"
#include "projfgd/jobs/report.hpp"

namespace projfgd {

/// Of several channels, the worst.
struct PhaseFit {
  double misfit = 0;                   ///< share of the amplitudes left unexplained
  std::vector<double> misfits = {};    ///< the same of each channel
  std::vector<NoiseTest> noise = {};   ///< of the errors of each channel
  Index blind = 0;                     ///< see blind_pixels()
  double objective = 0;                ///< 1/2 || |A z| - sqrt y ||^2 of all channels
  bool amplitudes = false;             ///< data that seem to be amplitudes
  bool background = false;             ///< see has_background()
  double counted = 0;                  ///< photons, where the data are counts
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
