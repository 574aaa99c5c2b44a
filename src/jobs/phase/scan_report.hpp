// What ptychography shows: object, probe and scan, as files and in the report.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "projfgd/jobs/record.hpp"
#include "projfgd/jobs/report.hpp"
#include "projfgd/operators/ptychography.hpp"

namespace projfgd {

/// Part of the brightest illumination where an object is shown and its errors are counted: in
/// fainter light the noise of a pixel is more than three times that in the middle.
inline constexpr double well_lit = 0.1;

/// Object and probe that were found, with what the frames say of them.
struct ScanImages {
  ScanGeometry geometry = {};
  Matrix<std::complex<double>> object = {}, probe = {};
  Matrix<double> illumination = {};        ///< what the frames see of each pixel, the most being 1
  std::vector<double> frame_misfits = {};  ///< part of its amplitudes that each leaves unexplained
  Fit shown = {};                          ///< a selection of the amplitudes
};

/// The names of the files that show_scan writes beside those of other phase retrieval.
std::vector<std::string> scan_pictures();

/// Adds the pictures to the files of the record, and all of it to its report.
void show_scan(ScanImages images, RunRecord& record);

}  // namespace projfgd
