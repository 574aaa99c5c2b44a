// Scans whose positions are lengths: CXI files, and the .ptyd files of PtyPy.
#pragma once

#include <filesystem>
#include <vector>

#include "projfgd/io/npy.hpp"
#include "projfgd/operators/ptychography.hpp"

namespace projfgd {

/// Positions in pixels of the object, and how large one is, in metres.
struct MeasuredPositions {
  std::vector<ScanPosition> positions;
  double pixel = 0;
};

/// From the translations of the sample in a CXI file, for frames of height x width.
MeasuredPositions read_translations(const std::filesystem::path& path, Index height, Index width);

bool is_ptyd(const std::filesystem::path& path);

struct PtydScan {
  Array frames;   ///< the zero frequency in the middle
  Array weights;  ///< 0 where nothing was measured; empty: everything was
  MeasuredPositions at;
};

/// All chunks of the file. Throws InputError naming it.
PtydScan read_ptyd(const std::filesystem::path& path);

/// The mean of the dark frames that a CXI file has, height x width; empty: none.
Array read_dark(const std::filesystem::path& path);

}  // namespace projfgd
