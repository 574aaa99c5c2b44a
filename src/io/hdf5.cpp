#include "projfgd/io/hdf5.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hdf5.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>
#include <system_error>

#include "io/isolated.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/memory.hpp"
#include "projfgd/io/file_kind.hpp"
#include "projfgd/io/files.hpp"

// Where a static HDF5 finds the streams of C; see cmake/ProjfgdStaticHdf5.cmake.
extern "C" {
__attribute__((visibility("hidden"))) FILE* projfgd_hdf5_stdout = stdout;
__attribute__((visibility("hidden"))) FILE* projfgd_hdf5_stderr = stderr;
}

namespace projfgd {
namespace {

/// No deflate stream grows by more.
constexpr double deflate_growth = 1032;

/// What the library takes for itself, whatever the file: caches, tables, a heap of a thread. In
/// bytes.
constexpr double own_memory = 0x1p28;
/// A thousandth of this is more than what opens an ordinary file. In seconds of processor time.
constexpr double own_seconds = 4;
/// Slower than any machine reads or unpacks. In bytes a second.
constexpr double slowest = 1e6;

/// The library believes the lengths that a file gives and reserves as much before it reads. Here it
/// gets memory and time in proportion to the bytes that there can be.
void limit_to(double bytes) {
  constexpr double copies = 8;  // packed, unpacked (grown by doubling), converted, sent
  limit_isolated(own_memory + copies * bytes, own_seconds + bytes / slowest);
}

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

/// Two doubles under the names that the file gives the parts of a complex number: "r" and "i" by
/// h5py, "real" and "imag" by others. Negative for any other compound.
hid_t complex_type(hid_t stored) {
  if (H5Tget_nmembers(stored) != 2) return -1;
  const hid_t type = H5Tcreate(H5T_COMPOUND, 2 * sizeof(double));
  bool parts = true;
  for (unsigned k = 0; k < 2; ++k) {
    char* name = H5Tget_member_name(stored, k);
    parts = parts && (name[0] | 0x20) == (k == 0 ? 'r' : 'i') &&
            H5Tget_member_class(stored, k) == H5T_FLOAT;
    H5Tinsert(type, name, k * sizeof(double), H5T_NATIVE_DOUBLE);
    H5free_memory(name);
  }
  if (parts) return type;
  H5Tclose(type);
  return -1;
}

/// Whether an enumeration is that of h5py for booleans: two names, for 0 and 1.
bool is_boolean(hid_t stored) {
  if (H5Tget_nmembers(stored) != 2 || H5Tget_size(stored) != 1) return false;
  signed char first = -1, second = -1;
  H5Tget_member_value(stored, 0, &first);
  H5Tget_member_value(stored, 1, &second);
  return first == 0 && second == 1;
}

/// What numbers of a stored type are read as, doubles or pairs of them; negative for other types.
hid_t memory_type(hid_t stored) {
  const H5T_class_t kind = H5Tget_class(stored);
  if (kind == H5T_COMPOUND) return complex_type(stored);
  const bool number =
      kind == H5T_INTEGER || kind == H5T_FLOAT || (kind == H5T_ENUM && is_boolean(stored));
  return number ? H5Tcopy(H5T_NATIVE_DOUBLE) : -1;
}

Handle open_file(const std::filesystem::path& path) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are ours to tell
  std::error_code unknown;
  const std::uintmax_t bytes = std::filesystem::file_size(path, unknown);
  limit_to(unknown ? 0 : static_cast<double>(bytes));
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) {
    throw InputError(fmt::format(
        "{}: found an incomplete HDF5 file, expected a complete one (was it truncated?)",
        path.string()));
  }
  return Handle(file, H5Fclose);
}

std::vector<Index> shape_of(hid_t set) {
  const Handle space(H5Dget_space(set), H5Sclose);
  std::vector<hsize_t> dims(
      static_cast<std::size_t>(std::max(H5Sget_simple_extent_ndims(space), 0)));
  H5Sget_simple_extent_dims(space, dims.data(), nullptr);
  return {dims.begin(), dims.end()};
}

using Visit = std::function<bool(const std::string& place, hid_t set)>;

/// Calls visit(place, set) for one dataset after the other while it returns true.
///
/// The library believes a group that says it has one link, and walks it again for each that leads
/// there: a few damaged groups are a walk of years. No file has more links than bytes.
void each_dataset(hid_t file, Visit visit) {
  struct Walk {
    Visit visit;
    hsize_t links = 0;
  } walk{std::move(visit)};
  H5Fget_filesize(file, &walk.links);
  const auto open = [](hid_t root, const char* name, const H5L_info_t*, void* data) -> herr_t {
    auto& [see, links] = *static_cast<Walk*>(data);
    if (links == 0) return 1;
    --links;
    const Handle set(H5Dopen2(root, name, H5P_DEFAULT), H5Dclose);
    return set < 0 || see(fmt::format("/{}", name), set) ? 0 : 1;
  };
  H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, open, &walk);
}

/// "/a (3 x 4), /b (2)", not more than a few.
std::string list_datasets(hid_t file) {
  constexpr std::size_t longest = 8;
  std::vector<std::string> found;
  each_dataset(file, [&](const std::string& place, hid_t set) {
    found.push_back(fmt::format("{} ({})", place, shape_text(shape_of(set))));
    return found.size() < longest;
  });
  if (found.size() == longest) found.emplace_back("...");
  return found.empty() ? "no dataset" : fmt::format("{}", fmt::join(found, ", "));
}

/// The place of the only dataset with more than one number.
std::optional<std::string> only_array(hid_t file) {
  std::vector<std::string> found;
  each_dataset(file, [&](const std::string& place, hid_t set) {
    const Handle stored(H5Dget_type(set), H5Tclose), type(memory_type(stored), H5Tclose);
    const Handle space(H5Dget_space(set), H5Sclose);
    if (type >= 0 && H5Sget_simple_extent_npoints(space) > 1) found.push_back(place);
    return found.size() < 2;
  });
  return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

/// Whether something that is no group has that name, even if it cannot be opened.
bool has_link(hid_t file, const std::string& place) {
  for (std::size_t end = place.find('/', 1);; end = place.find('/', end + 1)) {
    if (H5Lexists(file, place.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
    if (end == std::string::npos) break;
  }
  return Handle(H5Gopen2(file, place.c_str(), H5P_DEFAULT), H5Gclose) < 0;
}

std::optional<std::string> first_of(hid_t file, const std::vector<std::string>& places) {
  const auto found = std::ranges::find_if(
      places, [file](const std::string& place) { return has_link(file, place); });
  return found != places.end() ? std::optional(*found) : std::nullopt;
}

/// The name of a filter that the data went through and that this library has not; empty: none.
std::string missing_filter(hid_t set) {
  const Handle properties(H5Dget_create_plist(set), H5Pclose);
  const int count = H5Pget_nfilters(properties);
  for (unsigned k = 0; static_cast<int>(k) < count; ++k) {
    char name[64] = "";
    unsigned flags = 0;
    std::size_t values = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(properties, k, &flags, &values, nullptr, sizeof name, name, nullptr);
    if (filter >= 0 && H5Zfilter_avail(filter) <= 0)
      return fmt::format("\"{}\" ({})", name, filter);
  }
  return "";
}

/// How many numbers a stored byte can be. A filter that is not known may have packed 8 in a byte,
/// and another one these.
double most_per_byte(hid_t set) {
  const Handle properties(H5Dget_create_plist(set), H5Pclose), stored(H5Dget_type(set), H5Tclose);
  if (H5Pget_layout(properties) == H5D_VIRTUAL) return 8 * deflate_growth;  // in other files
  double growth = 1 / static_cast<double>(H5Tget_size(stored));
  for (int k = 0; k < H5Pget_nfilters(properties); ++k) {
    unsigned flags = 0;
    std::size_t values = 0;
    switch (H5Pget_filter2(properties, static_cast<unsigned>(k), &flags, &values, nullptr, 0,
                           nullptr, nullptr)) {
      case H5Z_FILTER_SHUFFLE:
      case H5Z_FILTER_FLETCHER32:
        break;
      case H5Z_FILTER_DEFLATE:
        growth *= deflate_growth;
        break;
      default:
        return 8 * deflate_growth;
    }
  }
  return growth;
}

/// The shape of what is read as a whole: a chunk, or one number.
std::vector<hsize_t> chunk_of(hid_t set, std::size_t dimensions) {
  const Handle properties(H5Dget_create_plist(set), H5Pclose);
  std::vector<hsize_t> chunk(dimensions, 1);
  if (H5Pget_layout(properties) == H5D_CHUNKED) {
    H5Pget_chunk(properties, static_cast<int>(chunk.size()), chunk.data());
  }
  return chunk;
}

/// That the bytes of the file can be so many numbers, however well they are packed. Parts that were
/// never written take no place in a file, and their zeros were not measured.
void require_stored(hid_t set, double count, const std::string& place,
                    const std::filesystem::path& path) {
  const double bytes = static_cast<double>(H5Dget_storage_size(set));
  if (count <= bytes * most_per_byte(set)) return;
  throw InputError(fmt::format(
      "{}: dataset {}: found {:.0f} numbers in {:.0f} bytes, expected a dataset that was "
      "written completely",
      path.string(), place, count, bytes));
}

/// Sends all numbers, some rows at a time. Rows that are stored in one chunk go together: a chunk
/// is unpacked as a whole.
bool send_rows(hid_t set, hid_t type, const std::vector<Index>& shape, std::size_t count,
               const Send& send) {
  constexpr std::size_t most_numbers = std::size_t{1} << 20;  // tens of milliseconds, packed
  std::vector<double> numbers;
  const auto read = [&](hid_t part, hid_t space) {
    if (H5Dread(set, type, part, space, H5P_DEFAULT, numbers.data()) < 0) return false;
    send({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)});
    return true;
  };
  if (count <= most_numbers) {
    numbers.resize(count);
    return read(H5S_ALL, H5S_ALL);
  }
  std::vector<hsize_t> start(shape.size(), 0), size(shape.begin(), shape.end());
  const hsize_t rows = size[0], row = count / rows;
  const Handle space(H5Dget_space(set), H5Sclose);
  const hsize_t deep = chunk_of(set, shape.size())[0];
  const hsize_t together = deep * std::max<hsize_t>(1, most_numbers / row / deep);
  for (; start[0] < rows; start[0] += size[0]) {
    size[0] = std::min(together, rows - start[0]);
    numbers.resize(size[0] * row);
    const Handle part(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr),
                      H5Sclose);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr);
    if (!read(part, space)) return false;
  }
  return true;
}

/// The first that is sent: 1 for complex numbers, else 0, and the shape.
void send_dataset(hid_t file, const std::string& place, const std::filesystem::path& path,
                  const Send& send) {
  const Handle set(H5Dopen2(file, place.c_str(), H5P_DEFAULT), H5Dclose);
  if (set < 0) {
    throw InputError(
        fmt::format("{}: dataset {}: found one that this HDF5 library cannot open, expected one "
                    "written for version 1.10 or before (h5py: libver=\"v110\")",
                    path.string(), place));
  }
  const Handle stored(H5Dget_type(set), H5Tclose), type(memory_type(stored), H5Tclose);
  if (type < 0) {
    throw InputError(
        fmt::format("{}: dataset {}: found text or structures, expected an array of numbers",
                    path.string(), place));
  }
  const bool complex = H5Tget_class(type) == H5T_COMPOUND;
  const std::vector<Index> shape = shape_of(set);
  double elements = 1, chunk = 1;
  for (const Index length : shape) {  // one beyond the range of an Index has become negative
    elements *= length < 0 ? std::ldexp(1.0, 63) : static_cast<double>(length);
  }
  for (const hsize_t length : chunk_of(set, shape.size())) chunk *= static_cast<double>(length);
  const double count = complex ? 2 * elements : elements;
  require_memory(count * sizeof(double), fmt::format("dataset {} of {}", place, path.string()));
  if (elements > 0) require_stored(set, std::max(elements, chunk), place, path);
  limit_to(count * sizeof(double) + chunk * static_cast<double>(H5Tget_size(stored)));
  std::vector<Index> header(shape);
  header.insert(header.begin(), complex ? 1 : 0);
  send({reinterpret_cast<const char*>(header.data()), header.size() * sizeof(Index)});
  if (send_rows(set, type, shape, static_cast<std::size_t>(count), send)) return;
  const std::string filter = missing_filter(set);
  throw InputError(fmt::format(
      "{}: dataset {}: found {}, expected {:.0f} numbers", path.string(), place,
      filter.empty() ? "data that end early"
                     : fmt::format("the filter {}, which this HDF5 library lacks", filter),
      count));
}

/// HDF5 trusts what a file says of itself: damaged metadata may end the process that reads it.
std::string damaged(const std::filesystem::path& path) {
  return fmt::format(
      "{}: found a damaged HDF5 file, expected one that the HDF5 library can read (was it "
      "truncated?)",
      path.string());
}

}  // namespace

bool is_hdf5(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_fifo(path, ignored)) return false;  // what is read from it is gone
  constexpr std::size_t shown = 64;
  return file_kind(read_start(path, shown)) == FileKind::hdf5;
}

bool has_dataset(const std::filesystem::path& path, const std::vector<std::string>& places) {
  bool found = false;
  run_isolated(
      [&](const Send& send) {
        if (first_of(open_file(path), places)) send({});
      },
      [&](std::string_view) { found = true; }, damaged(path));
  return found;
}

Array read_hdf5(const std::filesystem::path& path, const std::vector<std::string>& places,
                IfNone otherwise, const std::string& advice) {
  std::optional<Array> array;
  const auto work = [&](const Send& send) {
    const Handle file = open_file(path);
    std::optional<std::string> place = first_of(file, places);
    if (!place && otherwise == IfNone::only_array) place = only_array(file);
    if (!place) {
      throw InputError(fmt::format("{}: found {}, expected {}{}{}", path.string(),
                                   list_datasets(file), places.size() > 1 ? "one of " : "",
                                   fmt::join(places, ", "), advice));
    }
    send_dataset(file, *place, path, send);
  };
  const auto take = [&](std::string_view bytes) {
    const std::size_t count = bytes.size() / sizeof(double), had = array ? array->values.size() : 0;
    if (array) {
      array->values.resize(had + count);
      if (count > 0) std::memcpy(array->values.data() + had, bytes.data(), bytes.size());
    } else {
      std::vector<Index> header(count);
      std::memcpy(header.data(), bytes.data(), bytes.size());
      array = Array{{header.begin() + 1, header.end()}, header[0] == 1, {}};
      std::size_t all = array->complex ? 2 : 1;
      for (const Index length : array->shape) all *= static_cast<std::size_t>(length);
      array->values.reserve(all);
    }
  };
  run_isolated(work, take, damaged(path));
  return std::move(*array);
}

}  // namespace projfgd
