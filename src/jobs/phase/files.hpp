// The arrays of a phase retrieval job, in the kinds of files that laboratories have.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "jobs/common/simulated.hpp"
#include "projfgd/io/npy.hpp"
#include "projfgd/jobs/input_files.hpp"

namespace projfgd {

/// What is looked for in a folder of data, and what simulations leave there.
inline constexpr const char *intensities_file = "intensities.npy", *masks_file = "masks.npy",
                            *mask_values_file = "mask_values.npy", *truth_image = "truth.png",
                            *bad_pixels_file = "bad_pixels.npy", *positions_file = "positions.npy",
                            *probe_file = "probe.npy";

/// The pictures that a run leaves.
inline constexpr const char *image_file = "image.png", *phase_file = "phase.png";

/// What is looked for in an HDF5 file.
enum class Dataset {
  intensities,
  masks,
  mask_values,
  vectors,
  support,
  bad_pixels,
  truth,
  start,
  positions,    ///< of a scan, in pixels
  translation,  ///< the same in metres
  probe
};

/// The places where it is looked for: `place` if that is named, else those that are usual, the most
/// usual first. The last of the masks is that of an illumination in CXI files.
std::vector<std::string> places_of(Dataset what, const std::string& place = {});

/// Whether this is an HDF5 file on the disk.
bool is_stored_hdf5(const std::filesystem::path& path, const InputFiles& files);

/// An array of finite numbers from an NPY, HDF5 or CXI file. The only array of an HDF5 file will
/// do, but not for intensities and masks, nor where a place is named. Throws InputError, FileError.
Array read_array(const std::filesystem::path& path, Dataset what, const std::string& place,
                 InputFiles& files);

/// The same where some of the numbers may be anything.
Array read_unchecked(const std::filesystem::path& path, Dataset what, const std::string& place,
                     InputFiles& files);

/// Finite numbers from an NPY or HDF5 file, or the pixels of a PNG image; such an image of more
/// than that many is refused before it is read.
Array read_image(const std::filesystem::path& path, Dataset what, InputFiles& files,
                 Index most_pixels);

}  // namespace projfgd
