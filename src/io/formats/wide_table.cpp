#include "wide_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace projfgd::formats {
namespace {

bool consists_of(std::string_view text, std::string_view characters) {
  return !text.empty() && text.find_first_not_of(characters) == std::string_view::npos;
}

bool is_label(std::string_view text) { return consists_of(text, "XYZxyz"); }

/// The bits of "01", "|01>" or "|01⟩"; of anything else nothing.
std::string bits_of(std::string_view name) {
  if (name.starts_with("|")) {
    name.remove_prefix(1);
    for (const std::string_view end : {">", "⟩"}) {
      if (name.ends_with(end)) name.remove_suffix(end.size());
    }
  }
  return consists_of(name, "01") ? std::string(name) : "";
}

/// The columns whose names `read` understands.
template <class Read>
std::vector<WideTable::Cell> cells_of(const std::vector<std::string>& header, Read read) {
  std::vector<WideTable::Cell> cells;
  for (std::size_t i = 1; i < header.size(); ++i) {
    if (std::string name = read(header[i]); !name.empty()) {
      cells.push_back({static_cast<Index>(i), std::move(name)});
    }
  }
  return cells;
}

void restore_leading_zeros(std::vector<WideTable::Cell>& outcomes) {
  std::size_t width = 0;
  for (const auto& cell : outcomes) width = std::max(width, cell.name.size());
  if (width >= 64 || outcomes.size() != std::size_t{1} << width) return;
  for (auto& cell : outcomes) cell.name.insert(0, width - cell.name.size(), '0');
}

}  // namespace

std::optional<WideTable> wide_table(const std::vector<std::string>& header) {
  // A label or an outcome at the corner is data: the table has no header.
  if (header.empty() || is_label(header[0]) || !bits_of(header[0]).empty()) return std::nullopt;
  WideTable table{0, cells_of(header, bits_of), true, {}};
  if (table.cells.size() >= 2) {
    restore_leading_zeros(table.cells);
  } else {
    const auto label = [](const std::string& name) { return is_label(name) ? name : ""; };
    table.cells = cells_of(header, label);
    table.outcomes = false;
    if (table.cells.empty() || find_names({header[0]}, outcome_names) < 0) return std::nullopt;
  }
  const Index named = table.outcomes ? find_names(header, basis_names) : 0;
  table.row_name = std::max<Index>(named, 0);
  for (Index i = 0; i < static_cast<Index>(header.size()); ++i) {
    const bool cell =
        std::ranges::any_of(table.cells, [i](const auto& c) { return c.column == i; });
    const std::string& name = header[static_cast<std::size_t>(i)];
    if (!cell && i != table.row_name && !name.empty()) table.unused.push_back(name);
  }
  return table;
}

void read_wide_table(const WideTable& table, CsvReader& csv, const std::filesystem::path& path,
                     CountsBuilder& builder) {
  while (csv.next()) {
    const std::string where = csv.lines().place(), name(csv.field(table.row_name));
    if (table.outcomes) builder.begin({name}, where);
    for (const auto& cell : table.cells) {
      if (!table.outcomes) builder.begin({cell.name}, where);
      const double count = csv.field(cell.column).empty() ? 0 : csv.number(cell.column);
      builder.add(table.outcomes ? cell.name : name, count, where);
    }
  }
  if (!table.unused.empty()) {
    const bool one = table.unused.size() == 1;
    builder.note(fmt::format("{}: the column{} {} {} ignored; expected outcomes such as 01",
                             path.string(), one ? "" : "s", quoted(table.unused),
                             one ? "was" : "were"));
  }
}

}  // namespace projfgd::formats
