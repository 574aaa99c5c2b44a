#include "projfgd/io/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "projfgd/io/text.hpp"

namespace projfgd {
namespace {

constexpr const char* nothing = "–";

bool is_nothing(const Json& value) {
  return value.is_null() || (value.is_number_float() && !std::isfinite(value.get<double>()));
}

const Json& at(const Json& row, const std::string& key) {
  static const Json missing;
  const auto found = row.find(key);
  return found == row.end() ? missing : *found;
}

std::string cell(const Json& value) {
  if (is_nothing(value)) return nothing;
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number_float()) return fmt::format("{:.3g}", value.get<double>());
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

}  // namespace

Table table_of(const Json& rows, const std::vector<TableColumn>& columns) {
  Table table;
  std::vector<std::string> keys;
  for (const TableColumn& column : columns) {
    const bool any = std::any_of(rows.begin(), rows.end(),
                                 [&](const Json& row) { return !is_nothing(at(row, column.key)); });
    if (!any) continue;
    keys.push_back(column.key);
    table.header.push_back(column.title);
  }
  for (const Json& row : rows) {
    std::vector<std::string> cells;
    cells.reserve(keys.size());
    for (const std::string& key : keys) cells.push_back(cell(at(row, key)));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string table_text(const Table& table) {
  const std::size_t columns = table.header.size();
  std::vector<std::size_t> widths(columns);
  std::vector<bool> words(columns, false);
  for (std::size_t c = 0; c < columns; ++c) widths[c] = character_count(table.header[c]);
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < columns; ++c) {
      widths[c] = std::max(widths[c], character_count(row[c]));
      words[c] = words[c] ||
                 (row[c] != nothing &&
                  std::isdigit(static_cast<unsigned char>(row[c][row[c].front() == '-'])) == 0);
    }
  }
  std::string text;
  const auto add = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t c = 0; c < columns; ++c) {
      const std::string room(widths[c] - character_count(cells[c]), ' ');
      if (c > 0) line += "  ";
      line += words[c] ? cells[c] + room : room + cells[c];
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  };
  add(table.header);
  for (const auto& row : table.rows) add(row);
  return text;
}

std::string rows_csv(const Json& rows) {
  std::vector<std::string> keys;
  for (const Json& row : rows) {
    for (const auto& item : row.items()) {
      if (std::find(keys.begin(), keys.end(), item.key()) == keys.end()) keys.push_back(item.key());
    }
  }
  std::string text;
  for (std::size_t c = 0; c < keys.size(); ++c) {
    if (c > 0) text += ',';
    text += csv_field(keys[c]);
  }
  text += '\n';
  for (const Json& row : rows) {
    for (std::size_t c = 0; c < keys.size(); ++c) {
      const Json& value = at(row, keys[c]);
      if (c > 0) text += ',';
      if (is_nothing(value)) continue;
      text += csv_field(value.is_string() ? value.get<std::string>() : value.dump());
    }
    text += '\n';
  }
  return text;
}

}  // namespace projfgd
