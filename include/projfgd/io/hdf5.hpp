// Arrays from HDF5 files, and from CXI files, which are HDF5 with agreed places.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "projfgd/io/npy.hpp"

namespace projfgd {

/// Whether the file begins as HDF5 files do. Throws FileError.
bool is_hdf5(const std::filesystem::path& path);

/// What a phase retrieval job looks for in an HDF5 file.
enum class Dataset { intensities, masks, mask_values, vectors, support, truth, start };

/// The places where it is looked for, most usual first. The last of the masks is that of an
/// illumination in CXI files.
const std::vector<std::string>& usual_places(Dataset what);

/// Whether the file has a dataset at one of these places. Throws InputError for a broken file.
bool has_dataset(const std::filesystem::path& path, const std::vector<std::string>& places);

/// Reads the first of these datasets that the file has: integers, floats, booleans as h5py has
/// them, or complex numbers as pairs (r, i). The size is checked against the memory there is before
/// anything is allocated. Throws InputError naming the file, what it has and the places, FileError,
/// ResourceError.
Array read_hdf5(const std::filesystem::path& path, const std::vector<std::string>& places);

/// The same at the usual places, or, where the file has none of them, its only array of numbers.
Array read_hdf5(const std::filesystem::path& path, Dataset what);

}  // namespace projfgd
