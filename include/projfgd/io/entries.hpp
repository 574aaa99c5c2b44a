// Known entries of a Hermitian matrix, from the files people have.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "projfgd/core/factor.hpp"

namespace projfgd {

struct KnownEntry {
  std::int32_t row, column;  ///< from 0
  double real, imaginary;
};

struct KnownEntries {
  Index dimension = 0;
  bool complex = false;
  std::vector<KnownEntry> entries;
};

/// A MatrixMarket coordinate file: real or integer, symmetric or general; or complex, Hermitian or
/// general. Throws InputError with file and line.
KnownEntries parse_matrix_market(std::string_view text, const std::filesystem::path& path);

/// A CSV file with the header row,column,value and perhaps a column `imaginary`. Rows and columns
/// count from 0; the dimension is the largest of them plus 1. Throws InputError with file and line.
KnownEntries parse_entries_csv(std::string_view text, const std::filesystem::path& path);

}  // namespace projfgd
