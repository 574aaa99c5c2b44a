#pragma once

#include <string>
#include <string_view>

namespace projfgd {

/// The same text with \x1b for what is no UTF-8 or no character to look at, whatever a file or its
/// name may hold: terminals obey control characters, and Python takes nothing but UTF-8. Without
/// the middle of a text of more than 4000 bytes.
std::string printable(std::string_view text);

}  // namespace projfgd
