#include "projfgd/io/entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <string>

#include "projfgd/core/error.hpp"
#include "projfgd/core/memory.hpp"
#include "projfgd/io/text.hpp"

namespace projfgd {
namespace {

constexpr Index largest_dimension = std::numeric_limits<std::int32_t>::max();

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

/// True when the file holds complex numbers.
bool read_banner(LineReader& lines) {
  const bool any = lines.next();
  const auto words = split_words(lines.line());
  if (words.size() != 5 || lower(words[0]) != "%%matrixmarket" || lower(words[1]) != "matrix") {
    lines.fail(
        fmt::format("found {}, expected a line \"%%MatrixMarket matrix coordinate FIELD SYMMETRY\"",
                    any ? quote(lines.line()) : "an empty file"));
  }
  const std::string format = lower(words[2]), field = lower(words[3]), kind = lower(words[4]);
  if (format != "coordinate") {
    lines.fail(fmt::format("found the format \"{}\", expected coordinate", format));
  }
  const bool complex = field == "complex";
  if (!complex && field != "real" && field != "integer") {
    lines.fail(fmt::format("found the field \"{}\", expected real, integer or complex", field));
  }
  if (kind != "general" && kind != (complex ? "hermitian" : "symmetric")) {
    lines.fail(fmt::format("found a {} matrix that is {}, expected {} or general", field, kind,
                           complex ? "hermitian" : "symmetric"));
  }
  return complex;
}

bool next_content(LineReader& lines) {
  while (lines.next()) {
    if (!lines.line().starts_with('%') && !split_words(lines.line()).empty()) return true;
  }
  return false;
}

std::int32_t checked_place(const LineReader& lines, Index found, Index first, Index end) {
  if (found < first || found >= end) {
    lines.fail(fmt::format("found the index {}, expected {} to {}", found, first, end - 1));
  }
  return static_cast<std::int32_t>(found - first);
}

std::string number_text(const KnownEntry& entry) {
  return entry.imaginary == 0 ? fmt::format("{}", entry.real)
                              : fmt::format("{}{:+}i", entry.real, entry.imaginary);
}

}  // namespace

void require_hermitian(const KnownEntries& known, Index first, const std::filesystem::path& path) {
  constexpr double rounding = 1e-6;  // of single precision, with room
  double largest = 0;
  std::vector<const KnownEntry*> order;  // so that a place stands beside its mirror image
  order.reserve(known.entries.size());
  for (const KnownEntry& entry : known.entries) {
    largest = std::max({largest, std::abs(entry.real), std::abs(entry.imaginary)});
    order.push_back(&entry);
  }
  const auto place = [](const KnownEntry* e) { return std::minmax(e->row, e->column); };
  std::stable_sort(order.begin(), order.end(),
                   [&](const KnownEntry* a, const KnownEntry* b) { return place(a) < place(b); });
  const KnownEntry* other = nullptr;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const KnownEntry& entry = *order[k];
    if (k == 0 || place(order[k - 1]) != place(order[k])) other = &entry;
    const bool diagonal = entry.row == entry.column, mirrored = entry.row != other->row;
    const double imaginary = diagonal ? entry.imaginary : entry.imaginary + other->imaginary;
    if (!diagonal && !mirrored) continue;  // the same place again is another measurement of it
    const double real = diagonal ? 0 : entry.real - other->real;
    if (std::max(std::abs(real), std::abs(imaginary)) <= rounding * largest) continue;
    const std::string here =
        fmt::format("{} at ({}, {})", number_text(entry), entry.row + first, entry.column + first);
    throw InputError(diagonal ? fmt::format("{}: found {}, expected a real number on the diagonal",
                                            path.string(), here)
                              : fmt::format("{}: found {} at ({}, {}) and {}, expected a Hermitian "
                                            "matrix: its conjugate, or only one of the two",
                                            path.string(), number_text(*other), other->row + first,
                                            other->column + first, here));
  }
}

KnownEntries parse_matrix_market(std::string_view text, const std::filesystem::path& path,
                                 bool agree) {
  LineReader lines(text, path);
  KnownEntries known;
  known.complex = read_banner(lines);
  if (!next_content(lines)) {
    lines.fail("found the end of the file, expected a line with the sizes");
  }
  const auto sizes = split_words(lines.line());
  if (sizes.size() != 3)
    lines.fail(
        fmt::format("found {} numbers, expected three: rows, columns, entries", sizes.size()));
  known.dimension = lines.integer(sizes[0], "rows");
  const Index columns = lines.integer(sizes[1], "columns");
  const Index count = lines.integer(sizes[2], "entries");
  if (columns != known.dimension || columns < 1 || columns > largest_dimension) {
    lines.fail(fmt::format("found {} x {}, expected a square matrix", known.dimension, columns));
  }
  // An entry takes a line of at least six bytes: a count that cannot be right is not allocated.
  if (count < 0 || count > static_cast<Index>(text.size() / 6)) {
    lines.fail(fmt::format(
        "found {} entries, expected no more than the file has room for (was it truncated?)",
        count));
  }
  require_memory(static_cast<double>(count) * sizeof(KnownEntry), path.string());
  known.entries.reserve(static_cast<std::size_t>(count));
  const std::size_t width = known.complex ? 4 : 3;
  while (next_content(lines)) {
    const auto words = split_words(lines.line());
    if (words.size() != width) {
      lines.fail(fmt::format("found {} numbers, expected {}", words.size(), width));
    }
    const Index end = known.dimension + 1;
    known.entries.push_back({checked_place(lines, lines.integer(words[0], "row"), 1, end),
                             checked_place(lines, lines.integer(words[1], "column"), 1, end),
                             lines.number(words[2], "value"),
                             known.complex ? lines.number(words[3], "imaginary part") : 0});
  }
  const auto found = static_cast<Index>(known.entries.size());
  if (found != count) {
    lines.fail(fmt::format("found {} entries, expected {} as the sizes say", found, count));
  }
  if (agree) require_hermitian(known, 1, path);
  return known;
}

KnownEntries parse_entries_csv(std::string_view text, const std::filesystem::path& path,
                               bool agree) {
  CsvReader table(text, path, "row,column,value");
  const Index row = table.required_column("row"), column = table.required_column("column"),
              value = table.required_column("value"), imaginary = table.column("imaginary");
  KnownEntries known;
  known.complex = imaginary >= 0;
  const auto place = [&](Index from) {
    return checked_place(table.lines(), table.integer(from), 0, largest_dimension);
  };
  while (table.next()) {
    const KnownEntry entry{place(row), place(column), table.number(value),
                           known.complex ? table.number(imaginary) : 0};
    known.dimension = std::max<Index>({known.dimension, entry.row + 1, entry.column + 1});
    known.entries.push_back(entry);
  }
  if (known.entries.empty()) {
    throw InputError(path.string() + ": found no row, expected at least one entry");
  }
  if (agree) require_hermitian(known, 0, path);
  return known;
}

}  // namespace projfgd
