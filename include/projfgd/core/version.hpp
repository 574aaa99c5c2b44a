#pragma once

#include <string_view>

namespace projfgd {

/// "major.minor.patch", from the one place that states it: CMakeLists.txt.
std::string_view version();

}  // namespace projfgd
