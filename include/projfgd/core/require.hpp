#pragma once

#include <string_view>

namespace projfgd {

/// Throws InputError "option NAME: found FOUND, expected EXPECTED" unless it holds.
void require_option(bool holds, std::string_view name, double found, std::string_view expected);

}  // namespace projfgd
