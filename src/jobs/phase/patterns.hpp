// What patterns have in common, of masks or of a scan.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// The file of that name in the folder, or an empty path.
inline std::filesystem::path beside(const std::filesystem::path& folder, const char* name) {
  const std::filesystem::path path = folder / name;
  return std::filesystem::exists(path) ? path : std::filesystem::path();
}

/// Moves the zero frequency of every height x width pattern from the middle to the first entry.
template <class T>
void uncentre(Index height, Index width, T& values) {
  std::vector<typename T::value_type> pattern(static_cast<std::size_t>(height * width));
  for (auto at = values.begin(); at != values.end(); at += height * width) {
    std::copy_n(at, height * width, pattern.begin());
    for (Index i = 0; i < height; ++i) {
      const auto row = pattern.begin() + (i + height / 2) % height * width;
      std::rotate_copy(row, row + width / 2, row + width, at + i * width);
    }
  }
}

/// Whether a mark says that a pixel was not measured; in CXI files marks are flags, and those of
/// pixels that were corrected for artifacts, hold a peak, or were corrected for background are
/// good.
inline bool is_bad_pixel(double mark, bool cxi) {
  const std::uint64_t of_good_pixels = cxi ? 0x800 | 0x2000 | 0x4000 : 0;
  const bool flags = mark >= 0 && mark < 0x1p32 && mark == std::floor(mark);
  return flags ? (static_cast<std::uint64_t>(mark) & ~of_good_pixels) != 0 : true;
}

}  // namespace projfgd
