// The numbers of an NPY file: how their type is written in the header, and how they become doubles.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace projfgd {

struct NpyElements {
  std::string_view name;  ///< "f8"
  std::size_t part_size;  ///< bytes of one number; a complex entry has two
  bool complex;
  void (*convert)(const char* bytes, std::size_t count, double* out);
};

/// Of a header's descr, such as "<f8" or ">i4". Throws InputError naming `path`.
NpyElements npy_elements(const std::string& descr, const std::filesystem::path& path);

}  // namespace projfgd
