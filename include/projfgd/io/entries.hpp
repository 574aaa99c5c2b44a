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

/// Throws InputError when X_jk and X_kj both stand here and are no conjugates of each other, or
/// when a diagonal entry is not real, by more than 1e-6 of the largest entry. `first` is what
/// places count from in the file.
void require_hermitian(const KnownEntries& known, Index first, const std::filesystem::path& path);

/// A MatrixMarket coordinate file: real or integer, symmetric or general; or complex, Hermitian or
/// general. Throws InputError with file and line, or, where they must `agree`, with both places of
/// numbers that contradict each other.
KnownEntries parse_matrix_market(std::string_view text, const std::filesystem::path& path,
                                 bool agree = true);

/// A CSV file with the header row,column,value and perhaps a column `imaginary`. Rows and columns
/// count from 0; the dimension is the largest of them plus 1. Throws InputError as above.
KnownEntries parse_entries_csv(std::string_view text, const std::filesystem::path& path,
                               bool agree = true);

}  // namespace projfgd
