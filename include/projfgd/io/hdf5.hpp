// Arrays from HDF5 files, and from CXI files, which are HDF5 with agreed places.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "projfgd/io/npy.hpp"

namespace projfgd {

/// Whether the file begins as HDF5 files do. Throws FileError.
bool is_hdf5(const std::filesystem::path& path);

/// The places where CXI files keep their patterns, most usual first.
const std::vector<std::string>& cxi_data_places();

/// The places where the masks are looked for; the last is that of an illumination in CXI files.
const std::vector<std::string>& cxi_mask_places();

/// Whether the file has a dataset at one of these places. Throws InputError for a broken file.
bool has_dataset(const std::filesystem::path& path, const std::vector<std::string>& places);

/// Reads the first of these datasets that the file has: integers, floats, or complex numbers as
/// pairs (r, i). The size is checked against the memory there is before anything is allocated.
/// Throws InputError naming the file, what it has and the places, FileError, ResourceError.
Array read_hdf5(const std::filesystem::path& path, const std::vector<std::string>& places);

}  // namespace projfgd
