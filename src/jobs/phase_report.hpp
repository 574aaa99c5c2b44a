// What phase retrieval shows: the images of a run as files and in the report.
#pragma once

#include <functional>

#include "projfgd/io/png.hpp"
#include "projfgd/io/report.hpp"

namespace projfgd {

/// The moduli of the images of a run, a column for each channel; what is not known is empty.
struct PhaseImages {
  Index patterns = 1, height = 1, width = 1;
  Matrix<double> found = {}, start = {}, truth = {};
  Matrix<double> error = {};  ///< |found - truth| after the best turn
};

/// Gray, or colour for three channels; `white` is the value of the brightest.
Image to_image(const Matrix<double>& moduli, Index height, Index width, double white);

/// Adds title and images, or for signals a chart, to the report.
std::function<void(Report&)> phase_report(PhaseImages images);

}  // namespace projfgd
