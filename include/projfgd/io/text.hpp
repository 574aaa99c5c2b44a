// Numbers and tables in text. Numbers are read the same in every locale: "1.5", never "1,5".
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// Numbers beyond this are refused: their squares would not be finite.
inline constexpr double largest_magnitude = 1e100;

/// A finite number, the whole of `text`; otherwise not a number.
double parse_number(std::string_view text);

/// What a message may quote of a text: short and in quotation marks, with \x93 for a byte that is
/// no printable UTF-8.
std::string quote(std::string_view text);

/// The first character of UTF-8, or the first byte where it begins none; of nothing, nothing.
std::string_view leading_character(std::string_view text);

/// Reads a text line by line; "\r\n" and a byte-order mark are accepted. The last line must end in
/// a line end too: without it nobody can tell 0.12 from a 0.123 that was cut.
class LineReader {
 public:
  LineReader(std::string_view text, std::filesystem::path path);

  bool next();  ///< moves to the next line; false at the end
  std::string_view line() const { return line_; }

  std::string place() const;  ///< "file" or, once there is one, "file: line 3"
  /// Throws InputError with the place.
  [[noreturn]] void fail(std::string_view what) const;
  double number(std::string_view text, std::string_view what) const;  ///< up to 1e100
  Index integer(std::string_view text, std::string_view what) const;

 private:
  std::string_view rest_, line_;
  std::filesystem::path path_;
  Index line_number_ = 0;
};

/// A table with a header of column names, in capitals or not, separated by commas, or by semicolons
/// or tabs where the header has no comma. Lines that are empty but for separators, and those that
/// begin with '#', are skipped; a line "# rows: N" promises N rows and is held to it.
class CsvReader {
 public:
  /// `example` is a header that would do, for errors.
  CsvReader(std::string_view text, std::filesystem::path path, std::string example);

  const std::vector<std::string>& header() const { return header_; }
  /// The position of a column, or -1.
  Index column(std::string_view name) const;
  /// The position of a column that must be there.
  Index required_column(std::string_view name) const;

  bool next();  ///< moves to the next row; false at the end
  std::string_view field(Index column) const { return fields_[static_cast<std::size_t>(column)]; }
  double number(Index column) const;
  Index integer(Index column) const;
  Index rows() const { return rows_; }  ///< read so far
  const LineReader& lines() const { return lines_; }

  [[noreturn]] void fail(std::string_view what) const { lines_.fail(what); }

 private:
  bool next_content();

  LineReader lines_;
  std::string example_;
  char separator_ = ',';
  std::vector<std::string> header_;
  std::vector<std::string_view> fields_;
  Index rows_ = 0, promised_rows_ = -1;
};

/// The words of a line, separated by blanks.
std::vector<std::string_view> split_words(std::string_view line);

/// Characters of UTF-8, which is how wide a text stands in a table.
std::size_t character_count(std::string_view text);

}  // namespace projfgd
