#include "jobs/phase/files.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include "projfgd/core/error.hpp"
#include "projfgd/io/file_kind.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/io/hdf5.hpp"
#include "projfgd/io/png.hpp"

namespace projfgd {
namespace {

[[noreturn]] void refuse_kind(const std::filesystem::path& path, std::string_view bytes,
                              const char* expected) {
  throw InputError(fmt::format("{}: found {}, expected an {} file", path.string(),
                               describe_file(bytes), expected));
}

Array read_stored_hdf5(const std::filesystem::path& path, Dataset what, const std::string& place,
                       InputFiles& files) {
  files.enter(path);
  // Where the name is another one, an array may be anything.
  const bool by_name = !place.empty() || what == Dataset::intensities || what == Dataset::masks;
  const std::string advice = !place.empty()                 ? ""
                             : what == Dataset::intensities ? "; choose one with --dataset"
                             : what == Dataset::masks       ? "; choose one with --mask-dataset"
                                                            : "";
  return read_hdf5(path, places_of(what, place), by_name ? IfNone::refuse : IfNone::only_array,
                   advice);
}

}  // namespace

std::vector<std::string> places_of(Dataset what, const std::string& place) {
  static const std::map<Dataset, std::vector<std::string>> usual{
      {Dataset::intensities,
       {"/entry_1/data_1/data", "/entry_1/instrument_1/detector_1/data", "/entry_1/image_1/data",
        "/entry/data/data", "/intensities"}},
      {Dataset::masks,
       {"/masks", "/entry_1/masks", "/entry_1/data_1/masks",
        "/entry_1/instrument_1/source_1/illumination"}},
      {Dataset::mask_values, {"/mask_values", "/entry_1/mask_values"}},
      {Dataset::vectors, {"/vectors"}},
      {Dataset::support, {"/support"}},
      {Dataset::bad_pixels,
       {"/bad_pixels", "/entry_1/data_1/mask", "/entry_1/instrument_1/detector_1/mask"}},
      {Dataset::truth, {"/truth", "/image", "/signal"}},
      {Dataset::start, {"/start", "/object", "/signal", "/image"}},
      {Dataset::positions, {"/positions"}},
      {Dataset::translation,
       {"/entry_1/data_1/translation", "/entry_1/sample_1/geometry_1/translation",
        "/entry_1/instrument_1/detector_1/translation", "/entry_1/sample_1/geometry/translation"}},
      {Dataset::probe, {"/probe", "/entry_1/instrument_1/source_1/illumination"}}};
  return place.empty() ? usual.at(what) : std::vector{place};
}

bool is_stored_hdf5(const std::filesystem::path& path, const InputFiles& files) {
  return !files.in_memory(path) && is_hdf5(path);
}

Array read_unchecked(const std::filesystem::path& path, Dataset what, const std::string& place,
                     InputFiles& files) {
  if (is_stored_hdf5(path, files)) return read_stored_hdf5(path, what, place, files);
  std::error_code ignored;
  if (!files.in_memory(path) && !std::filesystem::is_fifo(path, ignored)) {
    constexpr std::size_t shown = 64;
    const std::string start = read_start(path, shown);
    if (file_kind(start) != FileKind::npy) refuse_kind(path, start, "NPY, HDF5 or CXI");
  }
  return files.npy_unchecked(path);
}

Array read_array(const std::filesystem::path& path, Dataset what, const std::string& place,
                 InputFiles& files) {
  Array array = read_unchecked(path, what, place, files);
  require_finite(array, path);
  return array;
}

Array read_image(const std::filesystem::path& path, Dataset what, InputFiles& files,
                 Index most_pixels) {
  if (is_stored_hdf5(path, files)) return read_array(path, what, {}, files);
  const std::string bytes = files.read(path);
  if (file_kind(bytes) == FileKind::png) {
    Image image = parse_png(bytes, path, most_pixels);
    return {{image.height, image.width, image.channels}, false, std::move(image.values)};
  }
  if (file_kind(bytes) != FileKind::npy) refuse_kind(path, bytes, "NPY, HDF5 or PNG");
  Array array = parse_npy(bytes, path);
  require_finite(array, path);
  return array;
}

}  // namespace projfgd
