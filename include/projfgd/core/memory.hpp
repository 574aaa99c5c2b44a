#pragma once

#include <string_view>

namespace projfgd {

/// Bytes of physical memory this process may still take, as far as the system tells.
double available_memory();

/// Throws ResourceError when `bytes` for `what` exceed that. Call it with an estimate, in floating
/// point so that it cannot overflow, before anything is allocated.
void require_memory(double bytes, std::string_view what);

}  // namespace projfgd
