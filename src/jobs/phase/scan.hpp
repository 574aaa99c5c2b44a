// The data of a ptychographic scan: frames, positions and perhaps a probe.
#pragma once

#include <complex>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "projfgd/jobs/input_files.hpp"
#include "projfgd/jobs/phase.hpp"
#include "projfgd/operators/ptychography.hpp"

namespace projfgd {

struct ScanData {
  ScanGeometry geometry;
  Vector<double> intensities;          ///< frames x height x width, the zero frequency first
  std::vector<std::uint8_t> left_out;  ///< not 0 for what was not measured; empty: all was
  Vector<std::complex<double>> probe;  ///< empty: unknown
  std::filesystem::path truth;         ///< empty: unknown
  double pixel = 0;                    ///< of the object, metres; 0: unknown
};

/// Whether the data have positions, or say otherwise that they are of a scan.
bool is_scan(const PhaseInput& input, const InputFiles& files);

/// Throws InputError naming the file for what does not fit together.
ScanData read_scan(const PhaseInput& input, const std::filesystem::path& truth, InputFiles& files);

}  // namespace projfgd
