// How --help names what an option takes: in our words, never in those of the parser's types.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace projfgd {

/// "DATA" for a positional argument, "FILE", "N" or "NUMBER" for the value of an option; empty for
/// a flag. What validators add is left out.
std::string value_word(const CLI::Option& option);

/// What the program's exit codes mean; at the end of every --help, and in the manual page.
inline constexpr const char* exit_code_help =
    "0 converged, 1 ended before that (the summary says why), 2 bad input, 3 a file could\n"
    "not be read or written, 4 too little memory, 130 and 143 interrupted (the point reached is "
    "written).\n"
    "An answer that does not fit its data, though the method converged, is 0 too: the status line "
    "and "
    "a warning\n"
    "say so, and \"fits_data\" in the summary is false.";

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool positional) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_footer(const CLI::App* app) const override;
};

}  // namespace projfgd
