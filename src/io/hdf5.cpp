#include "projfgd/io/hdf5.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hdf5.h>

#include <fstream>

#include "projfgd/core/error.hpp"
#include "projfgd/core/memory.hpp"

namespace projfgd {
namespace {

/// An HDF5 identifier that closes itself.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// Two doubles under the names that h5py and others give the parts of a complex number.
hid_t complex_type(hid_t stored) {
  if (H5Tget_nmembers(stored) != 2) return -1;
  const hid_t type = H5Tcreate(H5T_COMPOUND, 2 * sizeof(double));
  for (unsigned k = 0; k < 2; ++k) {
    char* name = H5Tget_member_name(stored, k);
    H5Tinsert(type, name, k * sizeof(double), H5T_NATIVE_DOUBLE);
    H5free_memory(name);
  }
  return type;
}

}  // namespace

bool is_hdf5(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw FileError(fmt::format("{}: cannot be read", path.string()));
  char start[8] = {};
  file.read(start, sizeof start);
  return file.gcount() == 8 && std::string_view(start, 8) == "\x89HDF\r\n\x1a\n";
}

const std::vector<std::string>& cxi_data_places() {
  static const std::vector<std::string> places{
      "/entry_1/data_1/data", "/entry_1/instrument_1/detector_1/data", "/entry_1/image_1/data",
      "/entry/data/data", "/intensities"};
  return places;
}

Array read_hdf5(const std::filesystem::path& path, const std::vector<std::string>& places) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are ours to tell
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (file < 0) throw InputError(fmt::format("{}: not a whole HDF5 file", path.string()));
  for (const std::string& place : places) {
    const Handle set(H5Dopen2(file, place.c_str(), H5P_DEFAULT), H5Dclose);
    if (set < 0) continue;
    const Handle stored(H5Dget_type(set), H5Tclose), space(H5Dget_space(set), H5Sclose);
    const H5T_class_t kind = H5Tget_class(stored);
    const int rank = H5Sget_simple_extent_ndims(space);
    const bool complex = kind == H5T_COMPOUND;
    const Handle type(complex ? complex_type(stored) : H5Tcopy(H5T_NATIVE_DOUBLE), H5Tclose);
    if ((kind != H5T_INTEGER && kind != H5T_FLOAT && !complex) || type < 0 || rank < 0) {
      throw InputError(
          fmt::format("{}: dataset {}: expected an array of numbers", path.string(), place));
    }
    std::vector<hsize_t> dims(static_cast<std::size_t>(rank));
    H5Sget_simple_extent_dims(space, dims.data(), nullptr);
    Array array;
    array.complex = complex;
    double bytes = complex ? 16 : 8;
    for (const hsize_t dim : dims) {
      array.shape.push_back(static_cast<Index>(dim));
      bytes *= static_cast<double>(dim);
    }
    require_memory(bytes, fmt::format("dataset {} of {}", place, path.string()));
    array.values.resize(static_cast<std::size_t>(bytes / 8));
    if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, array.values.data()) < 0) {
      throw InputError(fmt::format("{}: dataset {} could not be read whole", path.string(), place));
    }
    return array;
  }
  throw InputError(fmt::format("{}: found none of the datasets {}; name another one", path.string(),
                               fmt::join(places, ", ")));
}

}  // namespace projfgd
