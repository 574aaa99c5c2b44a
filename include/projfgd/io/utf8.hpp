#pragma once

#include <string>
#include <string_view>

namespace projfgd {

/// The same text with \x93 for a byte that is no UTF-8, for those who take nothing else.
std::string valid_utf8(std::string_view text);

}  // namespace projfgd
