#include "projfgd/io/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "projfgd/core/error.hpp"
#include "projfgd/io/listening.hpp"
#include "projfgd/io/utf8.hpp"

namespace projfgd {
namespace {

constexpr std::string_view blanks = " \t";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// The whole of `text` as a T, or false. A leading '+' is what some programs write.
template <class T>
bool parse(std::string_view text, T& value) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string_view leading_character(std::string_view text) {
  if (text.empty()) return {};
  const auto byte = [text](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const std::size_t length = byte(0) < 0xC2   ? 1
                             : byte(0) < 0xE0 ? 2
                             : byte(0) < 0xF0 ? 3
                             : byte(0) < 0xF5 ? 4
                                              : 1;
  if (length > text.size()) return text.substr(0, 1);
  for (std::size_t k = 1; k < length; ++k) {
    // What follows 0xE0, 0xED, 0xF0 and 0xF4 is bounded: no longer form, surrogate or code too
    // large.
    const bool narrow = k == 1 && (byte(0) == 0xE0 || byte(0) == 0xF0);
    const unsigned least = !narrow ? 0x80 : byte(0) == 0xE0 ? 0xA0 : 0x90;
    const unsigned most = k > 1 ? 0xBF : byte(0) == 0xED ? 0x9F : byte(0) == 0xF4 ? 0x8F : 0xBF;
    if (byte(k) < least || byte(k) > most) return text.substr(0, 1);
  }
  return text.substr(0, length);
}

namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// Without the middle of what nobody reads to its end: the file is named at the beginning, what was
/// expected at the end.
std::string_view without_middle(std::string_view text, std::string& place) {
  constexpr std::size_t most = 4000;
  if (text.size() <= most) return text;
  std::size_t first = most / 2, last = text.size() - most / 2;
  for (int k = 0; k < 3 && continues_character(text[first]); ++k) --first;
  for (int k = 0; k < 3 && continues_character(text[last]); ++k) ++last;
  return place = fmt::format("{} ... {}", text.substr(0, first), text.substr(last));
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out, shortened;
  text = without_middle(text, shortened);
  while (!text.empty()) {
    const std::string_view character = leading_character(text);
    const auto first = static_cast<unsigned char>(character[0]);
    const bool control = first == 0xC2 && static_cast<unsigned char>(character.back()) < 0xA0;
    const bool shown = character.size() > 1 ? !control : first >= ' ' && first < 0x7F;
    for (const char c : character) {
      out += shown ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    text.remove_prefix(character.size());
  }
  return out;
}

std::string quote(std::string_view text) {
  constexpr std::size_t most = 40;
  std::size_t shown = 0;
  while (shown < text.size()) {
    const std::size_t next = shown + leading_character(text.substr(shown)).size();
    if (next > most) break;
    shown = next;
  }
  return '"' + printable(text.substr(0, shown)) + (shown < text.size() ? "...\"" : "\"");
}

double parse_number(std::string_view text) {
  double value = 0;
  if (!parse(trimmed(text), value) || !std::isfinite(value)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return value;
}

LineReader::LineReader(std::string_view text, std::filesystem::path path)
    : rest_(text), path_(std::move(path)) {
  if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
}

bool LineReader::next() {
  Listening::look();
  if (rest_.empty()) return false;
  ++line_number_;
  const std::size_t end = rest_.find('\n');
  if (end == std::string_view::npos) {
    fail(fmt::format("found {} and the end of the file, expected a line end (was it truncated?)",
                     quote(rest_)));
  }
  line_ = rest_.substr(0, end);
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  rest_.remove_prefix(end + 1);
  return true;
}

std::string LineReader::place() const {
  return line_number_ > 0 ? fmt::format("{}: line {}", path_.string(), line_number_)
                          : path_.string();
}

void LineReader::fail(std::string_view what) const {
  throw InputError(fmt::format("{}: {}", place(), what));
}

double LineReader::number(std::string_view text, std::string_view what) const {
  const double value = parse_number(text);
  if (!(std::abs(value) <= largest_magnitude)) {
    const bool comma = text.find(',') != std::string_view::npos;
    fail(fmt::format("{}: found {}, expected a finite number up to 1e100{}", what, quote(text),
                     comma ? " with a decimal point" : ""));
  }
  return value;
}

Index LineReader::integer(std::string_view text, std::string_view what) const {
  Index value = 0;
  if (!parse(trimmed(text), value)) {
    fail(fmt::format("{}: found {}, expected an integer", what, quote(text)));
  }
  return value;
}

std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    if (line.empty()) return words;
    const std::size_t end = std::min(line.find_first_of(blanks), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

namespace {

void split_fields(std::string_view line, char separator, std::vector<std::string_view>& fields) {
  fields.clear();
  for (std::size_t start = 0; start <= line.size();) {
    const std::size_t end = std::min(line.find(separator, start), line.size());
    std::string_view field = trimmed(line.substr(start, end - start));
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"') {
      field = field.substr(1, field.size() - 2);
    }
    fields.push_back(field);
    start = end + 1;
  }
}

char find_separator(std::string_view header) {
  for (const char separator : {',', ';', '\t'}) {
    if (header.find(separator) != std::string_view::npos) return separator;
  }
  return ',';
}

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

}  // namespace

CsvReader::CsvReader(std::string_view text, std::filesystem::path path, std::string example)
    : lines_(text, std::move(path)), example_(std::move(example)) {
  if (!next_content()) {
    lines_.fail(fmt::format("found {}, expected a header such as {}",
                            text.empty() ? "an empty file" : "no header", example_));
  }
  separator_ = find_separator(lines_.line());
  split_fields(lines_.line(), separator_, fields_);
  for (const std::string_view name : fields_) {
    // Bits may name a column, but not the first.
    const bool bits = name.find_first_not_of("01") == std::string_view::npos;
    if (!std::isnan(parse_number(name)) && (!bits || header_.empty())) {  // a row of numbers
      lines_.fail(
          fmt::format("found {}, expected a header such as {}", quote(lines_.line()), example_));
    }
    if (std::find(header_.begin(), header_.end(), name) != header_.end()) {
      lines_.fail(fmt::format("found the column {} twice, expected it once", quote(name)));
    }
    header_.emplace_back(name);
  }
}

bool CsvReader::next_content() {
  constexpr std::string_view promise = "# rows:";
  while (lines_.next()) {
    const std::string_view line = lines_.line();
    if (line.starts_with(promise)) {
      const std::string_view count = line.substr(promise.size());
      promised_rows_ = lines_.integer(count, "rows");
      if (promised_rows_ < 0) {
        lines_.fail(fmt::format("rows: found {}, expected an integer >= 0", quote(count)));
      }
    } else if (!trimmed(line).empty() && line[0] != '#') {
      return true;
    }
  }
  return false;
}

Index CsvReader::column(std::string_view name) const {
  const auto found = std::find_if(header_.begin(), header_.end(),
                                  [name](const auto& own) { return same_word(own, name); });
  return found == header_.end() ? -1 : found - header_.begin();
}

Index CsvReader::required_column(std::string_view name) const {
  const Index position = column(name);
  if (position < 0) {
    const std::string_view separator(&separator_, 1);
    lines_.fail(fmt::format("found the header {} without a column \"{}\", expected one such as {}",
                            quote(fmt::format("{}", fmt::join(header_, separator))), name,
                            example_));
  }
  return position;
}

bool CsvReader::next() {
  bool blank = true;  // a row of a spreadsheet that has separators alone
  while (blank && next_content()) {
    split_fields(lines_.line(), separator_, fields_);
    blank = std::ranges::all_of(fields_, [](std::string_view field) { return field.empty(); });
  }
  if (blank) {
    if (promised_rows_ >= 0 && promised_rows_ != rows_) {
      lines_.fail(
          fmt::format("found {} rows, expected the {} of its line \"# rows:\" (was it truncated?)",
                      rows_, promised_rows_));
    }
    return false;
  }
  if (fields_.size() != header_.size()) {
    lines_.fail(fmt::format("found {} fields, expected {} as in the header", fields_.size(),
                            header_.size()));
  }
  ++rows_;
  return true;
}

double CsvReader::number(Index column) const {
  return lines_.number(field(column), header_[static_cast<std::size_t>(column)]);
}

Index CsvReader::integer(Index column) const {
  return lines_.integer(field(column), header_[static_cast<std::size_t>(column)]);
}

std::size_t character_count(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace projfgd
