// Diffraction patterns of a probe that is scanned over a known object.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>

#include "projfgd/core/factor.hpp"
#include "projfgd/core/interrupt.hpp"
#include "projfgd/io/json.hpp"

namespace projfgd {

struct PtychographySimulation {
  /// One of drawn_image_names() or the path of a PNG or NPY file. Complex numbers are the object;
  /// a real image x in [0, 1] stands for one that passes 1 - x / 2 of the wave and delays it by
  /// `delay` x radians.
  std::string image = "phantom";
  Index height = 256, width = 256;  ///< of stars and phantom; with a file, 0 or its size
  double delay = 1;
  Index probe_size = 64;  ///< pixels a side of a frame; the probe is half as wide
  double overlap = 0.6;   ///< of neighbouring probes, as a part of their width, in [0, 1)
  bool whole_pixels = false;
  /// Mean count of a frame with Poisson noise, > 0; infinite: none.
  double photons = std::numeric_limits<double>::infinity();
  std::uint64_t seed = 1;
  Interrupt interrupt = {};  ///< ends it with an InterruptedError
  std::string command = {};  ///< that asked for it, for simulation.json
};

/// Writes intensities.npy, positions.npy (pixels), probe.npy, truth.npy and truth.png to the
/// folder, and returns what it did. Throws InputError, FileError, ResourceError.
Json simulate_ptychography(const PtychographySimulation& simulation,
                           const std::filesystem::path& folder);

}  // namespace projfgd
