// Rows of results as a table for people and as comma-separated values for programs. A row is a flat
// JSON object, so that compare.json, the table and the report show the same numbers.
#pragma once

#include <string>
#include <vector>

#include "projfgd/io/json.hpp"
#include "projfgd/io/report.hpp"

namespace projfgd {

struct TableColumn {
  std::string key;    ///< in the row; a missing key or null is shown as a dash
  std::string title;  ///< for people
};

/// The rows with three digits of every number; columns that no row has are left out.
Table table_of(const Json& rows, const std::vector<TableColumn>& columns);

/// Aligned for a terminal: words to the left, numbers to the right.
std::string table_text(const Table& table);

/// A header of all keys, in the order they first come, and one line a row with all digits.
std::string rows_csv(const Json& rows);

}  // namespace projfgd
