#include "projfgd/io/file_kind.hpp"

#include <algorithm>

#include "projfgd/io/text.hpp"

namespace projfgd {
namespace {

struct Kind {
  std::string_view start;
  const char* name;
};

using namespace std::string_view_literals;
constexpr Kind kinds[] = {
    {"\x89PNG\r\n"sv, "a PNG image"},
    {"\xFF\xD8\xFF"sv, "a JPEG image"},
    {"GIF8"sv, "a GIF image"},
    {"II*\0"sv, "a TIFF image"},
    {"MM\0*"sv, "a TIFF image"},
    {"%PDF-"sv, "a PDF document"},
    {"\x93NUMPY"sv, "an NPY file"},
    {"\x89HDF\r\n\x1A\n"sv, "an HDF5 file"},
    {"MATLAB 5.0 MAT-file"sv, "a MATLAB file"},
    {"PK\x03\x04"sv, "a zip archive (such as .npz or .xlsx)"},
    {"\x1F\x8B"sv, "a gzip file"},
    {"BZh"sv, "a bzip2 file"},
    {"\xFD\x37zXZ"sv, "an xz file"},
    {"\x80\x04\x95"sv, "a Python pickle"},
    {"\xFF\xFE"sv, "UTF-16 text"},
    {"\xFE\xFF"sv, "UTF-16 text"},
};

const Kind* known_kind(std::string_view bytes) {
  const auto* found = std::find_if(std::begin(kinds), std::end(kinds),
                                   [&](const Kind& kind) { return bytes.starts_with(kind.start); });
  return found == std::end(kinds) ? nullptr : found;
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < ' ' &&
         std::string_view("\t\n\r\f").find(c) == std::string_view::npos;
}

std::string_view without_mark(std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  return bytes;
}

}  // namespace

std::string file_kind(std::string_view bytes) {
  if (bytes.empty()) return "an empty file";
  if (const Kind* kind = known_kind(bytes)) return kind->name;
  if (!is_text(bytes)) return "binary data";
  const std::string_view text = without_mark(bytes);
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return "a file of blanks";
  const std::string_view rest = text.substr(start);
  return "text that begins with " + quote(rest.substr(0, rest.find_first_of("\r\n")));
}

bool is_text(std::string_view bytes) {
  constexpr std::size_t enough = 1024;
  const std::string_view start = bytes.substr(0, enough);
  return !bytes.empty() && known_kind(bytes) == nullptr &&
         std::none_of(start.begin(), start.end(), is_control);
}

char first_character(std::string_view bytes) {
  const std::string_view text = without_mark(bytes);
  const std::size_t at = text.find_first_not_of(" \t\r\n");
  return at == std::string_view::npos ? '\0' : text[at];
}

}  // namespace projfgd
