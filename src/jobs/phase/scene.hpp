// What simulated patterns are of, and the noise on them.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "jobs/common/poisson_number.hpp"
#include "projfgd/core/factor.hpp"
#include "projfgd/jobs/input_files.hpp"

namespace projfgd {

inline constexpr const char *stars_name = "stars", *phantom_name = "phantom";

struct SceneSource {
  std::string image;            ///< stars, phantom, or a PNG or NPY file
  Index height = 0, width = 0;  ///< of what is drawn; with a file, 0 or its size
  double lit = 0;               ///< part of a star field
  std::uint64_t seed = 1;
  double bytes_of_pixel = 40;  ///< that its simulation will take, checked before it is made or read

  bool is_drawn() const { return image == stars_name || image == phantom_name; }
};

struct Scene {
  Array truth;  ///< height x width (x channels), or the n numbers of a signal
  Index height, width, channels;
};

/// Throws InputError when something is to be drawn without a size.
void require_size_of(const SceneSource& source);

/// Throws InputError, FileError, ResourceError.
Scene read_scene(const SceneSource& source, InputFiles& inputs);

/// Counts photons, so many a pattern on average, in the place of intensities; returns how many
/// stand for an intensity of 1. Throws InputError where none was seen: no reader takes dark
/// patterns.
double count_photons(double photons, Index patterns, const RandomStream& random, Vector<double>& y);

Array complex_array(std::vector<Index> shape, const std::vector<std::complex<double>>& values);

}  // namespace projfgd
