#include "jobs/phase/data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobs/phase/patterns.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/io/hdf5.hpp"
#include "projfgd/io/npy.hpp"

namespace projfgd {
namespace {

void require_real(const Array& array, const std::filesystem::path& path) {
  if (array.complex) {
    throw InputError(
        fmt::format("{}: found complex numbers, expected intensities >= 0", path.string()));
  }
}

void require_intensities(const Array& array, const std::filesystem::path& path, bool some_bad) {
  for (std::size_t k = 0; k < array.values.size(); ++k) {
    if (array.values[k] < 0) {
      throw InputError(
          fmt::format("{}: entry {} is {}, expected an intensity >= 0 (mark unmeasured pixels with "
                      "--bad-pixels; after background subtraction, set negative values to 0)",
                      path.string(), position(array, k), array.values[k]));
    }
  }
  if (array.values.empty()) {
    throw InputError(fmt::format("{}: found shape {}, expected at least one intensity",
                                 path.string(), shape_text(array.shape)));
  }
  if (std::ranges::max(array.values) == 0) {
    throw InputError(fmt::format(
        "{}: found no intensity above 0{}, expected patterns with some light", path.string(),
        some_bad ? " outside the bad pixels (nonzero entries mark bad pixels)" : ""));
  }
}

std::vector<Index> without_ones(std::vector<Index> shape) {
  std::erase(shape, 1);
  return shape;
}

/// Whole numbers from 0 to a few, more than the 0 and 1 of a stencil.
bool look_like_codes(const Array& masks) {
  constexpr double most = 16;
  const auto whole = [](double x) { return x >= 0 && x < most && x == std::floor(x); };
  return !masks.complex && std::ranges::all_of(masks.values, whole) &&
         std::ranges::count(masks.values, 0.0) > 0 && std::ranges::max(masks.values) > 1;
}

/// Real numbers that reach beyond -1 and 1 and not beyond -pi and pi.
bool look_like_angles(const Array& masks) {
  if (masks.complex || masks.values.empty()) return false;
  const auto [least, most] = std::ranges::minmax(masks.values);
  constexpr double half_turn = std::numbers::pi * (1 + 1e-6);
  return least >= -half_turn && most <= half_turn && least < 0 && std::max(most, -least) > 1;
}

/// What is amiss where the masks show that a length of the intensities is out of place.
std::string misplaced_length(const std::vector<Index>& intensities,
                             const std::vector<Index>& masks) {
  std::vector<Index> others = intensities;
  others.pop_back();
  std::vector<Index> turned = others;
  turned.insert(turned.begin(), intensities.back());
  if (others == masks) {
    return fmt::format(" (the channels come first: intensities of shape {})", shape_text(turned));
  }
  if (turned == masks) return " (the pattern index comes first: move the last axis to the front)";
  return "";
}

/// Masks as codes when there is a table for them, else as complex numbers.
void read_masks(const PhaseInput& input, const std::filesystem::path& path,
                const std::filesystem::path& table_path, const Array& intensities,
                const std::vector<Index>& shape, InputFiles& files, PhaseData& data) {
  const Array masks = read_array(path, Dataset::masks, input.mask_place, files);
  if (masks.shape != shape) {
    throw InputError(fmt::format("{}: found masks of shape {}, expected {} like the intensities{}",
                                 path.string(), shape_text(masks.shape), shape_text(shape),
                                 misplaced_length(intensities.shape, masks.shape)));
  }
  const auto require_light = [](const auto& values, const std::filesystem::path& file) {
    if (!std::ranges::all_of(values, [](const auto& x) { return x == 0.0; })) return;
    throw InputError(
        fmt::format("{}: found masks that are 0 everywhere, expected nonzero ones", file.string()));
  };
  const auto size = static_cast<std::size_t>(masks.size());
  // A table in the folder may be left from other masks.
  if (table_path.empty() || (masks.complex && input.mask_values.empty())) {
    data.values.resize(size);
    for (std::size_t k = 0; k < size; ++k) data.values[k] = masks.entry(k);
    require_light(data.values, path);
    data.codes_as_numbers = look_like_codes(masks);
    data.angles_as_masks = look_like_angles(masks);
    return;
  }
  const Array table = read_array(table_path, Dataset::mask_values, {}, files);
  if (masks.complex) {
    throw InputError(
        fmt::format("{}: found complex numbers, expected integer codes, which are indices into {}",
                    path.string(), table_path.string()));
  }
  const Index meanings = table.size();
  if (meanings < 1 || meanings > 256) {
    throw InputError(fmt::format("{}: found {} numbers, expected a table of 1 to 256",
                                 table_path.string(), meanings));
  }
  for (Index k = 0; k < meanings; ++k) {
    data.table.push_back(table.entry(static_cast<std::size_t>(k)));
  }
  require_light(data.table, table_path);
  data.codes.resize(size);
  for (std::size_t k = 0; k < size; ++k) {
    const double code = masks.values[k];
    if (!(code >= 0 && code < meanings && code == std::floor(code))) {
      throw InputError(
          fmt::format("{}: entry {} is {}, expected a code from 0 to {}, an index into {}",
                      path.string(), position(masks, k), code, meanings - 1, table_path.string()));
    }
    data.codes[k] = static_cast<std::uint8_t>(code);
  }
}

/// Before anything is made of the shape: a single number has none.
void require_lengths(const Array& array, const std::filesystem::path& path) {
  if (!array.shape.empty() && array.shape.size() <= 4) return;
  throw InputError(fmt::format(
      "{}: found shape {}, expected patterns x height x width, patterns x n, or channels first",
      path.string(), shape_text(array.shape)));
}

/// Channels, patterns, height and width from a shape of one to four lengths, and that of the masks.
void read_shape(const std::vector<Index>& shape, const std::vector<Index>& mask_shape,
                PhaseData& data) {
  const std::size_t rank = shape.size();
  data.signal = mask_shape.size() == 2 || rank == 1;
  if (mask_shape.empty() && rank <= 2) {  // one open mask: the whole array is one pattern
    data.height = rank == 2 ? shape[0] : 1;
    data.width = shape[rank - 1];
    return;
  }
  data.width = shape[rank - 1];
  data.height = data.signal ? 1 : shape[rank - 2];
  const std::size_t front = rank - (data.signal ? 1 : 2);
  if (front >= 1) data.patterns = shape[front - 1];
  if (front >= 2) data.channels = shape[front - 2];
}

/// Reads the marks of one pattern, which count for all, or of each; what they mark may be any
/// number.
void leave_out(const std::filesystem::path& path, InputFiles& files, Array& intensities,
               PhaseData& data) {
  const Array marks = read_image(path, Dataset::bad_pixels, files, intensities.size());
  std::vector<Index> one = {data.height, data.width};
  if (data.vectors.size() > 0) one = {data.vectors.rows()};
  std::vector<Index> all = one;
  all.insert(all.begin(), data.patterns);
  const std::vector<Index> shape = without_ones(marks.shape);
  if (shape != without_ones(one) && shape != without_ones(all)) {
    throw InputError(fmt::format("{}: found bad pixels of shape {}, expected {} or {}",
                                 path.string(), shape_text(marks.shape), shape_text(one),
                                 shape_text(all)));
  }
  const auto size = static_cast<std::size_t>(marks.size());
  data.left_out.resize(size * (shape == without_ones(all) ? 1 : data.patterns));
  const bool flags = is_stored_hdf5(path, files);
  for (std::size_t k = 0; k < data.left_out.size(); ++k) {
    data.left_out[k] = is_bad_pixel(std::abs(marks.entry(k % size)), flags) ? 1 : 0;
  }
  if (std::ranges::count(data.left_out, 0) == 0) {
    throw InputError(fmt::format(
        "{}: found every pixel marked as bad, expected some that were measured", path.string()));
  }
  for (std::size_t k = 0; k < intensities.values.size(); ++k) {
    if (data.left_out[k % data.left_out.size()] != 0) intensities.values[k] = 0;
  }
}

/// Where the arrays of a problem are; empty where there is none.
struct PhasePaths {
  std::filesystem::path patterns, masks, table, bad, truth;
};

/// Those that were named, or else those of usual names in the folder of the data.
PhasePaths named_or_beside(const PhaseInput& input, const std::filesystem::path& truth,
                           const InputFiles& files) {
  PhasePaths paths{input.data, input.masks, input.mask_values, input.bad_pixels, truth};
  if (files.in_memory(input.data) || !std::filesystem::is_directory(input.data)) return paths;
  paths.patterns = input.data / intensities_file;
  if (!std::filesystem::exists(paths.patterns)) {
    throw FileError(
        fmt::format("{}: found a folder without {}, expected one that holds it, or the file of "
                    "intensities itself",
                    input.data.string(), intensities_file));
  }
  if (paths.masks.empty() && input.vectors.empty()) {
    paths.masks = beside(input.data, masks_file);
    if (paths.table.empty()) paths.table = beside(input.data, mask_values_file);
  }
  if (truth.empty()) paths.truth = beside(input.data, truth_file);
  if (paths.bad.empty()) paths.bad = beside(input.data, bad_pixels_file);
  return paths;
}

/// Adds what HDF5 files have in usual places, and refuses options that have nothing to name.
PhasePaths find_arrays(const PhaseInput& input, const std::filesystem::path& truth,
                       const InputFiles& files) {
  PhasePaths paths = named_or_beside(input, truth, files);
  const bool hdf5 = is_stored_hdf5(paths.patterns, files);
  if (!hdf5 && !input.data_place.empty()) {
    throw InputError(
        fmt::format("--dataset: found {}, which has no datasets, expected an HDF5 file",
                    paths.patterns.string()));
  }
  if (!paths.masks.empty() && !input.vectors.empty()) {
    throw InputError("--vectors: found masks beside vectors, expected one of the two");
  }
  if (paths.masks.empty() && hdf5 && input.vectors.empty() &&
      (!input.mask_place.empty() || has_dataset(paths.patterns, places_of(Dataset::masks)))) {
    paths.masks = paths.patterns;
  }
  if (paths.masks.empty() && !input.mask_values.empty()) {
    throw InputError("--mask-values: found no masks, expected --masks with codes for this table");
  }
  const bool masks_in_hdf5 = !paths.masks.empty() && is_stored_hdf5(paths.masks, files);
  if (!masks_in_hdf5 && !input.mask_place.empty()) {
    throw InputError(fmt::format(
        "--mask-dataset: found {}, expected an HDF5 file",
        paths.masks.empty() ? "no masks" : paths.masks.string() + ", which has no datasets"));
  }
  if (paths.table.empty() && masks_in_hdf5 &&
      has_dataset(paths.masks, places_of(Dataset::mask_values))) {
    paths.table = paths.masks;
  }
  if (paths.bad.empty() && hdf5 && has_dataset(paths.patterns, places_of(Dataset::bad_pixels))) {
    paths.bad = paths.patterns;
  }
  return paths;
}

void read_vectors(const PhaseInput& input, Index intensities, InputFiles& files, PhaseData& data) {
  const Array vectors = read_array(input.vectors, Dataset::vectors, {}, files);
  data.vectors = to_matrix<std::complex<double>>(vectors, input.vectors);
  if (data.vectors.rows() != intensities) {
    throw InputError(fmt::format("{}: found {} vectors, expected {}, one for each intensity",
                                 input.vectors.string(), data.vectors.rows(), intensities));
  }
  data.width = data.vectors.cols();
  data.signal = true;
}

/// The linear map that was measured by: vectors, masks, or an open mask for each pattern.
void read_map(const PhaseInput& input, const PhasePaths& paths, const Array& intensities,
              InputFiles& files, PhaseData& data) {
  if (!input.vectors.empty()) {
    read_vectors(input, intensities.size(), files, data);
  } else if (!paths.masks.empty()) {
    // Masks are patterns x height x width or patterns x n; colour intensities have one more length.
    std::vector<Index> shape = intensities.shape;
    if (shape.size() == 4) shape.erase(shape.begin());
    read_masks(input, paths.masks, paths.table, intensities, shape, files, data);
    read_shape(intensities.shape, shape, data);
  } else {
    data.open = true;
    read_shape(intensities.shape, {}, data);
    data.values.assign(static_cast<std::size_t>(data.patterns * data.height * data.width), 1.0);
  }
}

/// Frames of a laboratory's file without masks are those of a scan.
void refuse_scan(const PhaseInput& input, const std::filesystem::path& path, InputFiles& files,
                 const PhaseData& data) {
  if (!data.open || data.patterns <= 1 || !input.support.empty()) return;
  if (!is_stored_hdf5(path, files)) return;
  throw InputError(fmt::format(
      "{}: found {} frames without masks or positions, expected --positions (ptychography; "
      "translation in a CXI file) or --masks (coded diffraction)",
      path.string(), data.patterns));
}

void conjugate_masks(PhaseData& data) {
  if (data.open || data.vectors.size() > 0) {
    throw InputError("--conjugate-masks: found no masks, expected --masks");
  }
  for (std::complex<double>& d : data.values) d = std::conj(d);
  for (std::complex<double>& d : data.table) d = std::conj(d);
  data.conjugated = true;
}

/// Turns patterns whose zero frequency is in the middle.
void uncentre_patterns(const PhaseInput& input, PhaseData& data) {
  if (data.vectors.size() > 0) {
    throw InputError(
        fmt::format("{}: found vectors, expected masks with --centred, which applies only to "
                    "Fourier transforms",
                    input.vectors.string()));
  }
  uncentre(data.height, data.width, data.intensities);
  uncentre(data.height, data.width, data.left_out);
  data.centred = true;
}

}  // namespace

PhaseData read_phase_data(const PhaseInput& input, const std::filesystem::path& truth,
                          InputFiles& files) {
  const PhasePaths paths = find_arrays(input, truth, files);
  Array array = read_unchecked(paths.patterns, Dataset::intensities, input.data_place, files);
  require_real(array, paths.patterns);
  require_lengths(array, paths.patterns);
  PhaseData data;
  data.truth = paths.truth;
  read_map(input, paths, array, files, data);
  if (input.conjugate_masks) conjugate_masks(data);
  const bool some_bad = !paths.bad.empty();
  if (some_bad) leave_out(paths.bad, files, array, data);
  require_finite(array, paths.patterns,
                 some_bad ? " outside the bad pixels (nonzero entries mark bad pixels)"
                          : " (mark unmeasured pixels with --bad-pixels)");
  require_intensities(array, paths.patterns, some_bad);
  refuse_scan(input, paths.patterns, files, data);
  data.intensities = std::move(array.values);
  data.squared = input.amplitudes;
  if (data.squared) {
    for (double& amplitude : data.intensities) amplitude *= amplitude;
  }
  if (input.centred) uncentre_patterns(input, data);
  return data;
}

std::vector<Index> signal_shape(const PhaseData& data, Index channels) {
  std::vector<Index> shape = {data.height, data.width, channels};
  if (channels == 1) shape.pop_back();
  if (data.signal) shape.erase(shape.begin());
  return shape;
}

template <class S>
Matrix<S> read_signal(const std::filesystem::path& path, Dataset what, Index n,
                      const PhaseData& data, InputFiles& files,
                      std::initializer_list<Index> channels_allowed) {
  const Array array = read_image(path, what, files, n);
  const auto has_shape = [&, shape = without_ones(array.shape)](Index c) {
    return shape == without_ones({data.height, data.width, c}) || shape == without_ones({n, c});
  };
  const auto* const found = std::ranges::find_if(channels_allowed, has_shape);
  if (found == channels_allowed.end()) {
    throw InputError(fmt::format("{}: found shape {}, expected {} like the image", path.string(),
                                 shape_text(array.shape),
                                 shape_text(signal_shape(data, *channels_allowed.begin()))));
  }
  const Index channels = *found;
  Matrix<S> z(n, channels);
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < channels; ++c) {
      z(i, c) = static_cast<S>(array.entry(static_cast<std::size_t>(i * channels + c)));
    }
  }
  if (z.isZero(0)) {
    throw InputError(fmt::format("{}: found only zeros, expected {}", path.string(),
                                 what == Dataset::support
                                     ? "a support with at least one nonzero entry"
                                     : "an image or signal"));
  }
  return z;
}

template Matrix<std::complex<float>> read_signal(const std::filesystem::path&, Dataset, Index,
                                                 const PhaseData&, InputFiles&,
                                                 std::initializer_list<Index>);
template Matrix<std::complex<double>> read_signal(const std::filesystem::path&, Dataset, Index,
                                                  const PhaseData&, InputFiles&,
                                                  std::initializer_list<Index>);

}  // namespace projfgd
