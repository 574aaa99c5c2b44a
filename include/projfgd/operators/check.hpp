// The shape checks that operators share.
#pragma once

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// InputError unless an argument of an operator has as many rows as the operator expects.
void require_size(const char* what, Index found, Index expected);

}  // namespace projfgd
