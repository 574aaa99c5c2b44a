#include "jobs/phase/scan_lengths.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "jobs/phase/files.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/io/hdf5.hpp"

namespace projfgd {
namespace {

using Places = std::vector<std::string>;
using Axes = std::array<std::array<double, 3>, 2>;

constexpr double planck_times_light = 6.62607015e-34 * 299792458.0;  // J m
constexpr double kiloelectronvolt = 1.602176634e-16;                 // J

const std::string instrument = "/entry_1/instrument_1/", detector = instrument + "detector_1/";

/// One positive number.
double read_number(const std::filesystem::path& path, const Places& places, const char* what,
                   std::size_t which = 0) {
  const Array array = read_hdf5(path, places);
  const std::size_t at = which < array.values.size() ? which : 0;
  const double number = array.values.empty() ? std::nan("") : array.values[at];
  if (!(number > 0) || !std::isfinite(number)) {
    throw InputError(fmt::format("{}: found {} for the {}, expected a number above 0",
                                 path.string(), number, what));
  }
  return number;
}

/// Photons of matter waves and of X-rays have wavelengths from a picometre to a millimetre.
double require_wavelength(const std::filesystem::path& path, double metres) {
  constexpr double shortest = 1e-13, longest = 1e-2;
  if (metres > shortest && metres < longest) return metres;
  throw InputError(
      fmt::format("{}: found a wavelength of {:.3g} m, expected the energy of a photon in joules",
                  path.string(), metres));
}

double read_wavelength(const std::filesystem::path& path) {
  const Places lengths{instrument + "source_1/wavelength", instrument + "beam_1/wavelength"};
  if (has_dataset(path, lengths)) {
    return require_wavelength(path, read_number(path, lengths, "wavelength, in metres,"));
  }
  const Places energies{instrument + "source_1/energy", instrument + "beam_1/energy",
                        instrument + "beam_1/incident_energy"};
  return require_wavelength(
      path, planck_times_light / read_number(path, energies, "photon energy, in joules,"));
}

/// Axes of the detector along its columns and its rows: upright, seen with the beam, unless the
/// file says otherwise, as 2 x 3 numbers, as 3 x 2, or for each frame.
Axes detector_axes(const std::filesystem::path& path) {
  Axes axes{{{0, -1, 0}, {-1, 0, 0}}};
  const Places place{detector + "basis_vectors"};
  if (!has_dataset(path, place)) return axes;
  const Array given = read_hdf5(path, place);
  const std::vector<Index>& shape = given.shape;
  const std::size_t rank = shape.size();
  const auto ends_with = [&](Index a, Index b) {
    return (rank == 2 || rank == 3) && shape[rank - 2] == a && shape[rank - 1] == b &&
           !given.values.empty();
  };
  const bool turned = ends_with(3, 2);
  if (!turned && !ends_with(2, 3)) {
    throw InputError(fmt::format("{}: found basis vectors of shape {}, expected 2 x 3 or 3 x 2",
                                 path.string(), shape_text(shape)));
  }
  for (std::size_t a = 0; a < 2; ++a) {
    for (std::size_t i = 0; i < 3; ++i) axes[a][i] = given.values[turned ? 2 * i + a : 3 * a + i];
    const double length = std::hypot(axes[a][0], axes[a][1], axes[a][2]);
    if (!(length > 0) || !std::isfinite(length)) {
      throw InputError(fmt::format("{}: found a basis vector of length {}, expected one above 0",
                                   path.string(), length));
    }
    for (double& x : axes[a]) x /= length;
  }
  return axes;
}

/// lambda z / (N p)
double object_pixel(double wavelength, double distance, Index count, double detector_pixel) {
  return wavelength * distance / (static_cast<double>(count) * detector_pixel);
}

/// Puts the frames, or what belongs to them, of one more chunk behind the others.
void append(const std::filesystem::path& path, Array chunk, Array& all) {
  if (all.values.empty()) {
    all = std::move(chunk);
    return;
  }
  if (chunk.shape.size() != all.shape.size() ||
      !std::equal(chunk.shape.begin() + 1, chunk.shape.end(), all.shape.begin() + 1)) {
    throw InputError(fmt::format("{}: found chunks of shape {} and {}, expected frames of one size",
                                 path.string(), shape_text(all.shape), shape_text(chunk.shape)));
  }
  all.shape[0] += chunk.shape[0];
  all.values.insert(all.values.end(), chunk.values.begin(), chunk.values.end());
}

}  // namespace

MeasuredPositions read_translations(const std::filesystem::path& path, Index height, Index width) {
  const double beam =
      read_wavelength(path) * read_number(path, {detector + "distance"}, "detector distance");
  // Some files have one size for both.
  const auto pixel = [&](const char* name, const char* other, Index count) {
    return object_pixel(
        beam, 1, count,
        read_number(path, {detector + name, detector + other}, "pixel size of the detector"));
  };
  const double row_pixel = pixel("y_pixel_size", "x_pixel_size", height);
  const double column_pixel = pixel("x_pixel_size", "y_pixel_size", width);
  const Array array = read_hdf5(path, places_of(Dataset::translation));
  require_finite(array, path);
  if (array.shape.size() != 2 || array.shape[1] != 3) {
    throw InputError(fmt::format("{}: found translations of shape {}, expected frames x 3",
                                 path.string(), shape_text(array.shape)));
  }
  const Axes axes = detector_axes(path);
  MeasuredPositions found{.positions = {}, .pixel = row_pixel};
  for (std::size_t j = 0; j < static_cast<std::size_t>(array.shape[0]); ++j) {
    const double* t = array.values.data() + 3 * j;
    const auto along = [&](const std::array<double, 3>& axis) {  // the beam moves the other way
      return -(t[0] * axis[0] + t[1] * axis[1] + t[2] * axis[2]);
    };
    found.positions.push_back({along(axes[0]) / row_pixel, along(axes[1]) / column_pixel});
  }
  return found;
}

bool is_ptyd(const std::filesystem::path& path) {
  return has_dataset(path, {"/chunks/0/data"}) && has_dataset(path, {"/chunks/0/positions"});
}

PtydScan read_ptyd(const std::filesystem::path& path) {
  PtydScan scan;
  Array positions;
  for (int chunk = 0;; ++chunk) {
    const std::string place = fmt::format("/chunks/{}/", chunk);
    if (!has_dataset(path, {place + "data"})) break;
    append(path, read_hdf5(path, {place + "data"}), scan.frames);
    append(path, read_hdf5(path, {place + "positions"}), positions);
    if (has_dataset(path, {place + "weights"})) {
      append(path, read_hdf5(path, {place + "weights"}), scan.weights);
    }
  }
  require_finite(positions, path);
  if (scan.frames.shape.size() != 3 || positions.shape.size() != 2 || positions.shape[1] != 2) {
    throw InputError(fmt::format(
        "{}: found frames of shape {} and positions of shape {}, expected frames x height x width "
        "and frames x 2",
        path.string(), shape_text(scan.frames.shape), shape_text(positions.shape)));
  }
  if (scan.weights.values.size() != scan.frames.values.size()) scan.weights = {};
  const double wavelength = require_wavelength(
      path, planck_times_light /
                (kiloelectronvolt * read_number(path, {"/meta/energy"}, "photon energy, in keV,")));
  const double distance = read_number(path, {"/meta/distance"}, "detector distance");
  const auto pixel = [&](std::size_t axis) {
    return object_pixel(wavelength, distance, scan.frames.shape[axis + 1],
                        read_number(path, {"/meta/psize"}, "pixel size of the detector", axis));
  };
  const double row_pixel = pixel(0), column_pixel = pixel(1);
  scan.at.pixel = row_pixel;
  for (std::size_t j = 0; j < static_cast<std::size_t>(positions.shape[0]); ++j) {
    scan.at.positions.push_back(
        {positions.values[2 * j] / row_pixel, positions.values[2 * j + 1] / column_pixel});
  }
  return scan;
}

Array read_dark(const std::filesystem::path& path) {
  const Places place{detector + "data_dark"};
  if (!has_dataset(path, place)) return {};
  const Array all = read_hdf5(path, place);
  const std::size_t rank = all.shape.size();
  if (all.complex || rank < 2 || all.values.empty()) return {};
  Array mean{{all.shape[rank - 2], all.shape[rank - 1]}, false, {}};
  const auto size = static_cast<std::size_t>(mean.shape[0] * mean.shape[1]);
  mean.values.assign(size, 0);
  const double frames = static_cast<double>(all.values.size() / size);
  for (std::size_t k = 0; k < all.values.size(); ++k)
    mean.values[k % size] += all.values[k] / frames;
  require_finite(mean, path);
  return mean;
}

}  // namespace projfgd
