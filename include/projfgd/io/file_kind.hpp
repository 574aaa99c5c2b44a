// What a file is, by its bytes: for errors that say what was found instead of what was expected.
#pragma once

#include <string>
#include <string_view>

namespace projfgd {

/// What the bytes of a file look like, in words: "an empty file", "a PNG image", "text that begins
/// with "hello"", "binary data".
std::string file_kind(std::string_view bytes);

/// Whether a person could read it: neither empty nor one of the kinds that are made of other bytes.
bool is_text(std::string_view bytes);

/// The first character that is not blank; '\0' when there is none. A byte-order mark is skipped.
char first_character(std::string_view bytes);

}  // namespace projfgd
