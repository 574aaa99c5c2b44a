// What phase retrieval shows: the images of a run as files and in the report.
#pragma once

#include <complex>
#include <functional>

#include "jobs/phase/fit.hpp"
#include "projfgd/io/png.hpp"
#include "projfgd/io/report.hpp"
#include "projfgd/measures/ring_correlation.hpp"

namespace projfgd {

/// The moduli of the images of a run, a column for each channel; what is not known is empty.
struct PhaseImages {
  Index patterns = 1, height = 1, width = 1;
  bool vectors = false;  ///< measured by vectors, not in patterns
  Matrix<double> found = {}, start = {}, truth = {};
  Matrix<double> error = {};        ///< |found - truth| after the best turn
  Matrix<double> phases = {};       ///< see phases_of(), of what was found
  Matrix<double> true_phases = {};  ///< of the truth after the best turn, where those are shown
  RingCorrelation rings = {};       ///< of what was found and the truth
};

/// Gray, or colour for three channels; `white` is the value of the brightest.
Image to_image(const Matrix<double>& moduli, Index height, Index width, double white);

/// The largest of the moduli, above 0.
double brightest(const Matrix<double>& moduli);

/// The phases of an image from above -pi to pi, 0 where it is dark; empty where it is real and
/// nonnegative but for what a run leaves of errors.
Matrix<double> phases_of(const Matrix<std::complex<double>>& z);

/// Gray, or colour for three channels: -pi is black and pi white.
Image to_phase_image(const Matrix<double>& phases, Index height, Index width);

/// Adds title and images, or for signals a chart, and the fit, if it is not empty, to the report.
std::function<void(Report&)> phase_report(PhaseImages images, PhaseFit fit);

}  // namespace projfgd
