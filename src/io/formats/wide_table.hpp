// Counts as people keep them in a spreadsheet: a row for each setting and a column for each
// outcome, or the other way round.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "columns.hpp"

namespace projfgd::formats {

/// What the names of the columns say of such a table.
struct WideTable {
  struct Cell {
    Index column;
    std::string name;  ///< of its outcome, or of its setting
  };
  Index row_name;  ///< the column that names the rows
  std::vector<Cell> cells;
  bool outcomes;  ///< the columns are outcomes and the rows settings
  std::vector<std::string> unused;
};

/// Nothing for a table of another kind. Outcomes are bit strings, "01" or "|01>"; a spreadsheet may
/// have made numbers of them: a complete set of outcomes gets its leading zeros back.
std::optional<WideTable> wide_table(const std::vector<std::string>& header);

/// Reads all rows. An empty cell is an outcome that was not seen.
void read_wide_table(const WideTable& table, CsvReader& csv, const std::filesystem::path& path,
                     CountsBuilder& builder);

}  // namespace projfgd::formats
