#pragma once

#include <string_view>

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// Throws InputError "WHAT: found FOUND, expected EXPECTED" unless they are equal.
void require_size(const char* what, Index found, Index expected);

/// Throws InputError "WHAT: found others, expected EXPECTED" unless it holds for all of them.
void require_all(const char* what, bool holds, const char* expected);

/// Throws InputError "option NAME: found FOUND, expected EXPECTED" unless it holds.
void require_option(bool holds, std::string_view name, double found, std::string_view expected);

}  // namespace projfgd
