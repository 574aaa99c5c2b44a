#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace projfgd {

/// " (did you mean b?)" for a word that is close to one of the names, else nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& names);

/// The message for a word that is none of the names: WHAT: found "WORD" (did you mean b?), expected
/// a, b or MORE.
std::string unknown_name(std::string_view what, std::string_view word,
                         const std::vector<std::string>& names, const std::string& more = "");

}  // namespace projfgd
