#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace projfgd {

/// " (did you mean b?)" for a word that is but a slip away from one of the names, else nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& names);

}  // namespace projfgd
