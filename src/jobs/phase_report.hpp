// What phase retrieval shows: the images of a run as files and in the report.
#pragma once

#include <functional>

#include "projfgd/io/png.hpp"
#include "projfgd/io/report.hpp"
#include "projfgd/jobs/report.hpp"

namespace projfgd {

/// The moduli of the images of a run, a column for each channel; what is not known is empty.
struct PhaseImages {
  Index patterns = 1, height = 1, width = 1;
  bool vectors = false;  ///< measured by vectors, not in patterns
  Matrix<double> found = {}, start = {}, truth = {};
  Matrix<double> error = {};  ///< |found - truth| after the best turn
};

/// Gray, or colour for three channels; `white` is the value of the brightest.
Image to_image(const Matrix<double>& moduli, Index height, Index width, double white);

/// The largest of the moduli, above 0.
double brightest(const Matrix<double>& moduli);

/// Adds title and images, or for signals a chart, and the fit, if it is not empty, to the report.
std::function<void(Report&)> phase_report(PhaseImages images, Fit fit);

}  // namespace projfgd
