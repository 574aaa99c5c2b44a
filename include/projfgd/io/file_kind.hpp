// What a file is, by its bytes: for readers that take several kinds, and for errors that say what
// was found instead of what was expected.
#pragma once

#include <string>
#include <string_view>

namespace projfgd {

enum class FileKind {
  empty,
  text,  ///< what a person could read, blanks too
  utf16,
  npy,
  png,
  hdf5,
  packed,  ///< an archive or a compressed file
  other,
};

FileKind file_kind(std::string_view bytes);

/// The same in words: "an empty file", "a JPEG image", "text that begins with "hello"".
std::string describe_file(std::string_view bytes);

inline bool is_text(std::string_view bytes) { return file_kind(bytes) == FileKind::text; }

/// The first character that is not blank; '\0' when there is none. A byte-order mark is skipped.
char first_character(std::string_view bytes);

}  // namespace projfgd
