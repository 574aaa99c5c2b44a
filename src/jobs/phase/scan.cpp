#include "jobs/phase/scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "jobs/phase/files.hpp"
#include "jobs/phase/patterns.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/io/hdf5.hpp"

namespace projfgd {
namespace {

using Complex = std::complex<double>;

/// The files of a scan; empty where there is none.
struct ScanFiles {
  std::filesystem::path frames, positions, probe, bad_pixels, truth;
  bool hdf5 = false, metres = false;  ///< positions are translations of the sample
};

ScanFiles find_files(const PhaseInput& input, const std::filesystem::path& truth,
                     const InputFiles& files) {
  ScanFiles found{.frames = input.data,
                  .positions = input.positions,
                  .probe = input.probe,
                  .bad_pixels = input.bad_pixels,
                  .truth = truth};
  const auto fill = [](std::filesystem::path& path, const std::filesystem::path& otherwise) {
    if (path.empty()) path = otherwise;
  };
  if (!files.in_memory(input.data) && std::filesystem::is_directory(input.data)) {
    found.frames = input.data / intensities_file;
    fill(found.positions, beside(input.data, positions_file));
    fill(found.probe, beside(input.data, probe_file));
    fill(found.bad_pixels, beside(input.data, bad_pixels_file));
    fill(found.truth, beside(input.data, truth_file));
    return found;
  }
  found.hdf5 = is_stored_hdf5(input.data, files);
  if (!found.hdf5) return found;
  const auto has = [&](Dataset what) { return has_dataset(input.data, places_of(what)); };
  if (found.positions.empty() && has(Dataset::positions)) found.positions = input.data;
  if (found.positions.empty() && has(Dataset::translation)) {
    found.positions = input.data;
    found.metres = true;
  }
  if (has(Dataset::probe)) fill(found.probe, input.data);
  if (has(Dataset::bad_pixels)) fill(found.bad_pixels, input.data);
  return found;
}

/// One positive number of a CXI file.
double read_number(const std::filesystem::path& path, const std::vector<std::string>& places,
                   const char* what) {
  const Array array = read_hdf5(path, places);
  const double number = array.values.empty() ? std::nan("") : array.values.front();
  if (!(number > 0) || !std::isfinite(number)) {
    throw InputError(fmt::format("{}: found {} for the {}, expected a number above 0",
                                 path.string(), number, what));
  }
  return number;
}

double read_wavelength(const std::filesystem::path& path) {
  constexpr double planck_times_light = 6.62607015e-34 * 299792458.0;  // J m
  const std::vector<std::string> lengths{"/entry_1/instrument_1/source_1/wavelength",
                                         "/entry_1/instrument_1/beam_1/wavelength"};
  if (has_dataset(path, lengths)) return read_number(path, lengths, "wavelength, in metres,");
  return planck_times_light / read_number(path,
                                          {"/entry_1/instrument_1/source_1/energy",
                                           "/entry_1/instrument_1/beam_1/energy",
                                           "/entry_1/instrument_1/beam_1/incident_energy"},
                                          "photon energy, in joules,");
}

/// Axes of the detector along its columns and its rows, as the sample moves against them: upright,
/// seen with the beam, unless the file says otherwise.
std::array<std::array<double, 3>, 2> detector_axes(const std::filesystem::path& path) {
  std::array<std::array<double, 3>, 2> axes{{{0, -1, 0}, {-1, 0, 0}}};
  const std::vector<std::string> place{"/entry_1/instrument_1/detector_1/basis_vectors"};
  if (!has_dataset(path, place)) return axes;
  const Array given = read_hdf5(path, place);
  if (given.shape != std::vector<Index>{2, 3}) {
    throw InputError(fmt::format("{}: found basis vectors of shape {}, expected 2 x 3",
                                 path.string(), shape_text(given.shape)));
  }
  for (std::size_t a = 0; a < 2; ++a) {
    const double* v = given.values.data() + 3 * a;
    const double length = std::hypot(v[0], v[1], v[2]);
    for (std::size_t i = 0; i < 3; ++i) axes[a][i] = v[i] / length;
  }
  return axes;
}

/// Positions in pixels of the object, whose size is lambda z / (N p).
std::vector<ScanPosition> read_translations(const std::filesystem::path& path, ScanData& scan) {
  const std::string detector = "/entry_1/instrument_1/detector_1/";
  const double beam =
      read_wavelength(path) * read_number(path, {detector + "distance"}, "detector distance");
  const auto pixel = [&](const char* name, Index count) {
    return beam / (static_cast<double>(count) * read_number(path, {detector + name}, "pixel size"));
  };
  const double row_pixel = pixel("y_pixel_size", scan.geometry.height);
  const double column_pixel = pixel("x_pixel_size", scan.geometry.width);
  const Array array = read_hdf5(path, places_of(Dataset::translation));
  require_finite(array, path);
  if (array.shape.size() != 2 || array.shape[1] != 3) {
    throw InputError(fmt::format("{}: found translations of shape {}, expected frames x 3",
                                 path.string(), shape_text(array.shape)));
  }
  const auto axes = detector_axes(path);
  std::vector<ScanPosition> positions;
  for (std::size_t j = 0; j < static_cast<std::size_t>(array.shape[0]); ++j) {
    const double* t = array.values.data() + 3 * j;
    const auto along = [&](const std::array<double, 3>& axis) {  // the beam moves the other way
      return -(t[0] * axis[0] + t[1] * axis[1] + t[2] * axis[2]);
    };
    positions.push_back({along(axes[0]) / row_pixel, along(axes[1]) / column_pixel});
  }
  scan.pixel = row_pixel;
  return positions;
}

std::vector<ScanPosition> read_positions(const std::filesystem::path& path, InputFiles& files) {
  const Array array = read_array(path, Dataset::positions, {}, files);
  if (array.complex || array.shape.size() != 2 || array.shape[1] != 2) {
    throw InputError(fmt::format(
        "{}: found positions of shape {}, expected frames x 2: row and column, in pixels",
        path.string(), shape_text(array.shape)));
  }
  std::vector<ScanPosition> positions;
  for (std::size_t j = 0; j < static_cast<std::size_t>(array.shape[0]); ++j) {
    positions.push_back({array.values[2 * j], array.values[2 * j + 1]});
  }
  return positions;
}

/// The object that positions span, or that of the truth where they lie within it.
void place_object(const std::filesystem::path& path, const Array* truth, ScanData& scan) {
  ScanGeometry& g = scan.geometry;
  double low[2], high[2];
  const auto span = [&](int axis, auto member) {
    const auto [least, most] = std::ranges::minmax(g.positions, {}, member);
    low[axis] = least.*member, high[axis] = most.*member;
  };
  span(0, &ScanPosition::row);
  span(1, &ScanPosition::column);
  const double tall = high[0] - low[0], wide = high[1] - low[1];
  if (g.frames() > 1 && std::max(tall, wide) < 1) {
    throw InputError(fmt::format(
        "{}: found positions within {:.3g} x {:.3g} pixels of each other, expected a scan over the "
        "object (are they in metres?)",
        path.string(), tall, wide));
  }
  const double pixels =
      (tall + static_cast<double>(g.height)) * (wide + static_cast<double>(g.width));
  if (!(pixels <= static_cast<double>(scan.intensities.size()))) {
    throw InputError(
        fmt::format("{}: found positions that span {:.4g} x {:.4g} pixels, expected an object of "
                    "no more pixels "
                    "than the {} intensities (are the units right?)",
                    path.string(), tall, wide, scan.intensities.size()));
  }
  if (truth != nullptr && truth->shape.size() == 2) {
    g.object_height = truth->shape[0];
    g.object_width = truth->shape[1];
    return;
  }
  for (ScanPosition& at : g.positions) {
    at.row -= std::floor(low[0]);
    at.column -= std::floor(low[1]);
  }
  g.object_height = g.height + static_cast<Index>(std::ceil(high[0] - std::floor(low[0])));
  g.object_width = g.width + static_cast<Index>(std::ceil(high[1] - std::floor(low[1])));
}

void read_probe(const std::filesystem::path& path, InputFiles& files, ScanData& scan) {
  const Array array = read_array(path, Dataset::probe, {}, files);
  const ScanGeometry& g = scan.geometry;
  std::vector<Index> shape = array.shape;
  if (shape.size() == 3) shape.erase(shape.begin());  // the first of several modes
  if (shape != std::vector<Index>{g.height, g.width}) {
    throw InputError(fmt::format("{}: found a probe of shape {}, expected {} x {} as a frame has",
                                 path.string(), shape_text(array.shape), g.height, g.width));
  }
  scan.probe.resize(g.frame_size());
  for (Index k = 0; k < scan.probe.size(); ++k) {
    scan.probe[k] = array.entry(static_cast<std::size_t>(k));
  }
}

/// Patterns of a far field fade towards the edge of the detector; a beam that fills it to the edge
/// is that of a near field.
void require_far_field(const std::filesystem::path& path, const ScanData& scan) {
  constexpr double as_bright = 0.5;
  const Index h = scan.geometry.height, w = scan.geometry.width;
  double edge = 0, all = 0;
  Index pixels = 0;
  for (Index k = 0; k < scan.intensities.size(); ++k) {
    const Index i = k / w % h, j = k % w;
    all += scan.intensities[k];
    if (i > 0 && i < h - 1 && j > 0 && j < w - 1) continue;
    edge += scan.intensities[k];
    ++pixels;
  }
  const double mean = all / static_cast<double>(scan.intensities.size());
  if (edge / static_cast<double>(pixels) < as_bright * mean) return;
  throw InputError(fmt::format(
      "{}: found frames that are as bright at their edge as in the middle, expected those of a far "
      "field; near-field ptychography is not supported",
      path.string()));
}

void read_bad_pixels(const std::filesystem::path& path, InputFiles& files, ScanData& scan) {
  const Array marks = read_image(path, Dataset::bad_pixels, files);
  const Index frame = scan.geometry.frame_size(), all = scan.intensities.size();
  if (marks.size() != frame && marks.size() != all) {
    throw InputError(fmt::format(
        "{}: found bad pixels of shape {}, expected {} x {}, for one frame "
        "or for each",
        path.string(), shape_text(marks.shape), scan.geometry.height, scan.geometry.width));
  }
  const bool flags = is_stored_hdf5(path, files);
  scan.left_out.resize(static_cast<std::size_t>(all));
  for (Index k = 0; k < all; ++k) {
    const auto mark = std::abs(marks.entry(static_cast<std::size_t>(k % marks.size())));
    const bool bad = is_bad_pixel(mark, flags);
    scan.left_out[static_cast<std::size_t>(k)] = bad ? 1 : 0;
    if (bad) scan.intensities[k] = 0;
  }
}

void read_frames(const ScanFiles& found, const PhaseInput& input, InputFiles& files,
                 ScanData& scan) {
  const Array frames = read_unchecked(found.frames, Dataset::intensities, input.data_place, files);
  const std::vector<Index>& shape = frames.shape;
  if (frames.complex || shape.size() != 3 || frames.size() == 0) {
    throw InputError(
        fmt::format("{}: found {}numbers of shape {}, expected frames x height x width",
                    found.frames.string(), frames.complex ? "complex " : "", shape_text(shape)));
  }
  scan.geometry.height = shape[1];
  scan.geometry.width = shape[2];
  scan.intensities = Eigen::Map<const Vector<double>>(frames.values.data(), frames.size());
  scan.geometry.positions.resize(static_cast<std::size_t>(shape[0]));
  if (!found.bad_pixels.empty()) read_bad_pixels(found.bad_pixels, files, scan);
  const auto is_intensity = [](double y) { return y >= 0 && y <= 1e100; };
  const auto bad = std::ranges::find_if_not(scan.intensities, is_intensity);
  if (bad != scan.intensities.end()) {
    throw InputError(fmt::format(
        "{}: entry {} is {}, expected an intensity >= 0", found.frames.string(),
        position(frames, static_cast<std::size_t>(bad - scan.intensities.begin())), *bad));
  }
  if (scan.intensities.maxCoeff() == 0) {
    throw InputError(fmt::format("{}: found none above 0, expected frames with light in them",
                                 found.frames.string()));
  }
}

}  // namespace

bool is_scan(const PhaseInput& input, const InputFiles& files) {
  if (!input.positions.empty() || !input.probe.empty() || input.refine_probe) return true;
  if (!input.masks.empty() || !input.vectors.empty() || !input.mask_place.empty()) return false;
  const ScanFiles found = find_files(input, {}, files);
  if (!found.positions.empty()) return true;
  if (!found.hdf5 || found.probe.empty() || !input.data_place.empty()) return false;
  // One illumination for many frames is a probe; one for each frame are masks.
  const auto rank = [&](Dataset what) {
    return read_hdf5(input.data, places_of(what)).shape.size();
  };
  return rank(Dataset::probe) == 2 && rank(Dataset::intensities) == 3;
}

ScanData read_scan(const PhaseInput& input, const std::filesystem::path& truth, InputFiles& files) {
  const ScanFiles found = find_files(input, truth, files);
  if (!input.masks.empty() || !input.vectors.empty()) {
    throw InputError("option masks: found it with a scan, expected a probe and positions alone");
  }
  if (found.positions.empty()) {
    throw InputError(fmt::format(
        "{}: found frames of a scan without positions, expected --positions, or translation in a "
        "CXI file",
        input.data.string()));
  }
  ScanData scan;
  scan.truth = found.truth;
  read_frames(found, input, files, scan);
  const Index frames = scan.geometry.frames();
  scan.geometry.positions = found.metres ? read_translations(found.positions, scan)
                                         : read_positions(found.positions, files);
  if (scan.geometry.frames() != frames) {
    throw InputError(fmt::format("{}: found {} positions, expected {}, one for each frame",
                                 found.positions.string(), scan.geometry.frames(), frames));
  }
  if (input.centred || found.metres) {
    require_far_field(found.frames, scan);
    uncentre(scan.geometry.height, scan.geometry.width, scan.intensities);
    uncentre(scan.geometry.height, scan.geometry.width, scan.left_out);
  }
  if (!found.probe.empty()) read_probe(found.probe, files, scan);
  if (found.truth.empty()) {
    place_object(found.positions, nullptr, scan);
  } else {
    InputFiles apart;  // the answer does not depend on it
    const Array object = files.in_memory(found.truth)
                             ? read_image(found.truth, Dataset::truth, files)
                             : read_image(found.truth, Dataset::truth, apart);
    place_object(found.positions, &object, scan);
  }
  return scan;
}

}  // namespace projfgd
