// Writes HDF5 files as h5py and CXI writers lay them out.
#pragma once

#include <hdf5.h>

#include <filesystem>
#include <string>
#include <vector>

namespace projfgd::test {

/// How the numbers are stored: as they are, or in chunks packed by gzip.
enum class Layout { contiguous, packed };

/// An HDF5 file being written. Groups on the way to a dataset are made.
class Hdf5File {
 public:
  explicit Hdf5File(const std::filesystem::path& path)
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)),
        links_(H5Pcreate(H5P_LINK_CREATE)) {
    H5Pset_create_intermediate_group(links_, 1);
  }
  ~Hdf5File() {
    H5Pclose(links_);
    H5Fclose(file_);
  }
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  /// Numbers, stored as `type` (H5T_IEEE_F64LE, H5T_STD_U16LE, H5T_IEEE_F32BE, ...).
  void numbers(const std::string& place, const std::vector<hsize_t>& shape,
               const std::vector<double>& values, hid_t type, Layout layout = Layout::contiguous) {
    dataset(place, shape, values.data(), type, H5T_NATIVE_DOUBLE, layout);
  }

  /// Complex numbers as h5py stores them: a compound of two doubles "r" and "i".
  void complex_numbers(const std::string& place, const std::vector<hsize_t>& shape,
                       const std::vector<double>& pairs) {
    const hid_t type = H5Tcreate(H5T_COMPOUND, 2 * sizeof(double));
    H5Tinsert(type, "r", 0, H5T_IEEE_F64LE);
    H5Tinsert(type, "i", sizeof(double), H5T_IEEE_F64LE);
    dataset(place, shape, pairs.data(), type, type, Layout::contiguous);
    H5Tclose(type);
  }

  /// Booleans as h5py stores them: an enumeration of FALSE and TRUE in one byte.
  void booleans(const std::string& place, const std::vector<hsize_t>& shape,
                const std::vector<signed char>& values) {
    enumeration(place, shape, values, {"FALSE", "TRUE"});
  }

  /// Of these names, for 0, 1, ...
  void enumeration(const std::string& place, const std::vector<hsize_t>& shape,
                   const std::vector<signed char>& values, const std::vector<const char*>& names) {
    const hid_t type = H5Tenum_create(H5T_STD_I8LE);
    signed char value = 0;
    for (const char* name : names) {
      H5Tenum_insert(type, name, &value);
      ++value;
    }
    dataset(place, shape, values.data(), type, type, Layout::contiguous);
    H5Tclose(type);
  }

  /// A dataset of which nothing was ever written.
  void promise(const std::string& place, const std::vector<hsize_t>& shape) {
    dataset(place, shape, nullptr, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, Layout::packed);
  }

  void text(const std::string& place, const std::string& value) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, value.size());
    dataset(place, {1}, value.data(), type, type, Layout::contiguous);
    H5Tclose(type);
  }

  void soft_link(const std::string& from, const std::string& place) {
    H5Lcreate_soft(from.c_str(), file_, place.c_str(), links_, H5P_DEFAULT);
  }

 private:
  void dataset(const std::string& place, const std::vector<hsize_t>& shape, const void* values,
               hid_t stored, hid_t given, Layout layout) {
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    if (layout == Layout::packed) {
      std::vector<hsize_t> chunk(shape.size(), 1);
      chunk.back() = std::min<hsize_t>(shape.back(), 64);
      H5Pset_chunk(how, static_cast<int>(chunk.size()), chunk.data());
      H5Pset_deflate(how, 6);
    }
    const hid_t set = H5Dcreate2(file_, place.c_str(), stored, space, links_, how, H5P_DEFAULT);
    if (values != nullptr) H5Dwrite(set, given, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(set);
    H5Pclose(how);
    H5Sclose(space);
  }

  hid_t file_, links_;
};

}  // namespace projfgd::test
