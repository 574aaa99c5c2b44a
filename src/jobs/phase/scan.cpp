#include "jobs/phase/scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "jobs/phase/files.hpp"
#include "jobs/phase/patterns.hpp"
#include "jobs/phase/scan_lengths.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/io/hdf5.hpp"

namespace projfgd {
namespace {

using Complex = std::complex<double>;

/// The files of a scan; empty where there is none.
struct ScanFiles {
  std::filesystem::path frames, positions, probe, bad_pixels, truth;
  bool hdf5 = false;
  bool metres = false;  ///< positions are translations of the sample
  bool ptyd = false;    ///< a file of PtyPy, which holds frames and positions
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
  if (found.positions.empty() && input.data_place.empty() && is_ptyd(input.data)) {
    found.ptyd = true;
    found.positions = input.data;
    return found;
  }
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

/// A probe that its patterns sample fills half of a frame at most, so positions that lie further
/// apart do not overlap: then the lengths of the file are wrong, or not those of a far field.
void require_overlap(const std::filesystem::path& path, const ScanGeometry& g) {
  const auto span = [&](auto member) {
    const auto [least, most] = std::ranges::minmax(g.positions, {}, member);
    return most.*member - least.*member;
  };
  const double apart = std::sqrt(span(&ScanPosition::row) * span(&ScanPosition::column) /
                                 static_cast<double>(g.frames()));
  const double most = static_cast<double>(std::min(g.height, g.width)) / 2;
  if (apart <= most) return;
  throw InputError(fmt::format(
      "{}: found positions about {:.3g} pixels of the object apart, expected at most half a frame, "
      "{}, so that they overlap: either the lengths are wrong (energy in joules, the rest in "
      "metres), or these are near-field data, which are not supported",
      path.string(), apart, most));
}

void read_bad_pixels(const std::filesystem::path& path, InputFiles& files, ScanData& scan) {
  const Array marks = read_image(path, Dataset::bad_pixels, files, scan.intensities.size());
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

/// A weight of 0 says that nothing was measured.
void take_weights(const Array& weights, ScanData& scan) {
  scan.left_out.resize(weights.values.size());
  for (std::size_t k = 0; k < weights.values.size(); ++k) {
    scan.left_out[k] = weights.values[k] > 0 ? 0 : 1;
    if (scan.left_out[k] != 0) scan.intensities[static_cast<Index>(k)] = 0;
  }
}

/// Detectors record noise around their dark frame, on both sides of it.
void subtract_dark(const Array& dark, ScanData& scan) {
  const ScanGeometry& g = scan.geometry;
  const bool fits = dark.shape == std::vector<Index>{g.height, g.width};
  for (Index k = 0; k < scan.intensities.size(); ++k) {
    double& y = scan.intensities[k];
    if (fits && (scan.left_out.empty() || scan.left_out[static_cast<std::size_t>(k)] == 0)) {
      y -= dark.values[static_cast<std::size_t>(k % g.frame_size())];
    }
    if (y < 0) y = 0;
  }
}

/// Takes the frames; those of a detector may have less than nothing where they have noise.
void take_frames(const ScanFiles& found, const Array& frames, bool amplitudes, InputFiles& files,
                 ScanData& scan) {
  const std::vector<Index>& shape = frames.shape;
  if (frames.complex || shape.size() != 3 || frames.size() == 0) {
    throw InputError(
        fmt::format("{}: found {}numbers of shape {}, expected frames x height x width",
                    found.frames.string(), frames.complex ? "complex " : "", shape_text(shape)));
  }
  scan.geometry.height = shape[1];
  scan.geometry.width = shape[2];
  scan.intensities = Eigen::Map<const Vector<double>>(frames.values.data(), frames.size());
  if (amplitudes) scan.intensities = scan.intensities.cwiseAbs2();
  scan.geometry.positions.resize(static_cast<std::size_t>(shape[0]));
  if (!found.bad_pixels.empty()) read_bad_pixels(found.bad_pixels, files, scan);
  if (found.hdf5) subtract_dark(found.ptyd ? Array{} : read_dark(found.frames), scan);
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
    throw InputError(
        "--masks: found masks beside scan positions, expected one of the two: masks for coded "
        "diffraction, positions for ptychography");
  }
  if (found.positions.empty()) {
    throw InputError(fmt::format(
        "{}: found frames of a scan without positions, expected --positions, or translation in a "
        "CXI file",
        input.data.string()));
  }
  ScanData scan;
  scan.truth = found.truth;
  MeasuredPositions at;
  if (found.ptyd) {
    files.enter(found.frames);
    PtydScan chunks = read_ptyd(found.frames);
    take_frames(found, chunks.frames, input.amplitudes, files, scan);
    if (!chunks.weights.values.empty()) take_weights(chunks.weights, scan);
    at = std::move(chunks.at);
  } else {
    take_frames(found, read_unchecked(found.frames, Dataset::intensities, input.data_place, files),
                input.amplitudes, files, scan);
    if (found.metres) {
      at = read_translations(found.positions, scan.geometry.height, scan.geometry.width);
    } else {
      at.positions = read_positions(found.positions, files);
    }
  }
  const Index frames = scan.geometry.frames();
  scan.geometry.positions = std::move(at.positions);
  scan.pixel = at.pixel;
  if (scan.geometry.frames() != frames) {
    throw InputError(fmt::format("{}: found {} positions, expected {}, one for each frame",
                                 found.positions.string(), scan.geometry.frames(), frames));
  }
  if (found.metres || found.ptyd) require_overlap(found.frames, scan.geometry);
  if (input.centred || found.metres || found.ptyd) {
    require_far_field(found.frames, scan);
    uncentre(scan.geometry.height, scan.geometry.width, scan.intensities);
    uncentre(scan.geometry.height, scan.geometry.width, scan.left_out);
  }
  if (!found.probe.empty()) read_probe(found.probe, files, scan);
  if (found.truth.empty()) {
    place_object(found.positions, nullptr, scan);
  } else {
    InputFiles apart = files;  // the answer does not depend on it
    // An object is hardly larger than all frames side by side.
    const Array object =
        read_image(found.truth, Dataset::truth, apart, 4 * scan.intensities.size());
    place_object(found.positions, &object, scan);
  }
  return scan;
}

}  // namespace projfgd
