// Coded diffraction patterns of a known image.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "projfgd/core/interrupt.hpp"
#include "projfgd/io/json.hpp"
#include "projfgd/io/png.hpp"

namespace projfgd {

struct CdpSimulation {
  /// One of drawn_image_names() or the path of a PNG or NPY file; the latter may be a signal, or
  /// complex.
  std::string image = "stars";
  Index height = 0, width = 0;  ///< of stars and phantom; with a file, 0 or its size
  Index patterns = 21;
  std::string masks = "octanary";  ///< one of simulated_mask_names()
  static constexpr double usual_stars = 0.05;
  std::optional<double> stars = {};  ///< part of the pixels of a star field that is not zero
  /// Decibel of Gaussian noise on the intensities; infinite: none.
  double snr = std::numeric_limits<double>::infinity();
  /// Mean count of a pattern with Poisson noise, > 0; infinite: none.
  double photons = std::numeric_limits<double>::infinity();
  std::uint64_t seed = 1;
  Interrupt interrupt = {};  ///< ends it with an InterruptedError
  std::string command = {};  ///< that asked for it, for simulation.json
};

/// The images that are drawn, of any size: stars, phantom.
std::vector<std::string> drawn_image_names();

/// The families of operators/masks.hpp.
std::vector<std::string> simulated_mask_names();

/// A star field: small round spots on exact zeros until the wanted part of the pixels is lit.
Image star_field(Index height, Index width, double lit, std::uint64_t seed);

/// The Shepp-Logan head phantom (1974), in the contrast of Toft (1996).
Image head_phantom(Index height, Index width);

/// Writes intensities.npy, masks.npy (with mask_values.npy when the masks are codes), truth.npy and
/// truth.png, its modulus, to the folder, and returns what it did. Throws InputError, FileError,
/// ResourceError.
Json simulate_cdp(const CdpSimulation& simulation, const std::filesystem::path& folder);

}  // namespace projfgd
