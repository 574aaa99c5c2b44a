#pragma once

#include <filesystem>
#include <string>

#include "projfgd/io/json.hpp"

namespace projfgd {

/// What a run or a simulation says at its end, as aligned columns: name, value, meaning. In colour
/// when standard output is a terminal and NO_COLOR is not set.
std::string summary_table(const Json& summary, const std::filesystem::path& folder);

}  // namespace projfgd
