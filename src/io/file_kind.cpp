#include "projfgd/io/file_kind.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "projfgd/io/text.hpp"

namespace projfgd {
namespace {

struct Signature {
  std::string_view start;
  FileKind kind;
  const char* name;
};

using namespace std::string_view_literals;
constexpr Signature signatures[] = {
    {"\x89PNG\r\n"sv, FileKind::png, "a PNG image"},
    {"\xFF\xD8\xFF"sv, FileKind::other, "a JPEG image"},
    {"GIF8"sv, FileKind::other, "a GIF image"},
    {"II*\0"sv, FileKind::other, "a TIFF image"},
    {"MM\0*"sv, FileKind::other, "a TIFF image"},
    {"%PDF-"sv, FileKind::other, "a PDF document"},
    {"\x93NUMPY"sv, FileKind::npy, "an NPY file"},
    {"\x89HDF\r\n\x1A\n"sv, FileKind::hdf5, "an HDF5 file"},
    {"MATLAB 5.0 MAT-file"sv, FileKind::other, "a MATLAB file"},
    {"PK\x03\x04"sv, FileKind::packed, "a zip archive (such as .npz or .xlsx)"},
    {"\x1F\x8B"sv, FileKind::packed, "a gzip file"},
    {"BZh"sv, FileKind::packed, "a bzip2 file"},
    {"\xFD\x37zXZ"sv, FileKind::packed, "an xz file"},
    {"\x80\x04\x95"sv, FileKind::other, "a Python pickle"},
    {"\xFF\xFE"sv, FileKind::utf16, "UTF-16 text"},
    {"\xFE\xFF"sv, FileKind::utf16, "UTF-16 text"},
};

const Signature* find_signature(std::string_view bytes) {
  const auto* found = std::find_if(std::begin(signatures), std::end(signatures),
                                   [&](const Signature& s) { return bytes.starts_with(s.start); });
  return found == std::end(signatures) ? nullptr : found;
}

/// Of a file that was cut inside its signature. Two bytes tell, unless they may be text.
const Signature* find_cut_signature(std::string_view bytes) {
  if (bytes.size() < 2 || static_cast<unsigned char>(bytes[0]) < 0x80) return nullptr;
  const auto* found = std::find_if(std::begin(signatures), std::end(signatures),
                                   [&](const Signature& s) { return s.start.starts_with(bytes); });
  return found == std::end(signatures) ? nullptr : found;
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

FileKind file_kind(std::string_view bytes) {
  if (bytes.empty()) return FileKind::empty;
  if (const Signature* signature = find_signature(bytes)) return signature->kind;
  if (find_cut_signature(bytes) != nullptr) return FileKind::other;
  constexpr std::size_t enough = 1024;
  const std::string_view start = bytes.substr(0, enough);
  return std::any_of(start.begin(), start.end(), is_control) ? FileKind::other : FileKind::text;
}

std::string describe_file(std::string_view bytes) {
  if (bytes.empty()) return "an empty file";
  if (const Signature* signature = find_signature(bytes)) return signature->name;
  if (const Signature* cut = find_cut_signature(bytes)) {
    return fmt::format("the first {} bytes of {}", bytes.size(), cut->name);
  }
  if (!is_text(bytes)) return "binary data";
  const std::string_view text = without_mark(bytes);
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return "a file with only blanks";
  const std::string_view rest = text.substr(start);
  return "text that begins with " + quote(rest.substr(0, rest.find_first_of("\r\n")));
}

char first_character(std::string_view bytes) {
  const std::string_view text = without_mark(bytes);
  const std::size_t at = text.find_first_not_of(" \t\r\n");
  return at == std::string_view::npos ? '\0' : text[at];
}

}  // namespace projfgd
