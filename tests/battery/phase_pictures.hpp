// Pictures from a folder of the user's in the place of those that the battery draws.
#pragma once

#include <filesystem>
#include <random>
#include <vector>

#include "projfgd/io/png.hpp"

namespace projfgd::battery {

class Pictures {
 public:
  Pictures() = default;
  /// All PNG files of the folder, in the order of their names. Throws FileError where there is
  /// none.
  explicit Pictures(const std::filesystem::path& folder);

  bool empty() const { return pictures_.empty(); }
  /// One of them in grey, from 0 to 1: its middle, reduced to that size.
  std::vector<double> draw(Index height, Index width, std::mt19937_64& random) const;

 private:
  std::vector<Image> pictures_;
};

}  // namespace projfgd::battery
