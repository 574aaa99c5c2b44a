// Arrays from HDF5 files, and from CXI files, which are HDF5 with agreed places.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "projfgd/io/npy.hpp"

namespace projfgd {

/// Whether the file begins as HDF5 files do. Throws FileError.
bool is_hdf5(const std::filesystem::path& path);

/// Whether the file has a dataset at one of these places. Throws InputError for a broken file.
bool has_dataset(const std::filesystem::path& path, const std::vector<std::string>& places);

/// Where the file has none of the places: an error, or its only array of numbers if it has one.
enum class IfNone { refuse, only_array };

/// Reads the first of these datasets that the file has: integers, floats, booleans as h5py has
/// them, or complex numbers as pairs (r, i). The size is checked against the memory there is before
/// anything is allocated. Throws InputError naming the file, what it has and the places, with the
/// `advice` at its end; FileError; ResourceError.
Array read_hdf5(const std::filesystem::path& path, const std::vector<std::string>& places,
                IfNone otherwise = IfNone::refuse, const std::string& advice = "");

}  // namespace projfgd
