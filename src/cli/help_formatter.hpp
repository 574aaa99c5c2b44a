// How --help names what an option takes: in our words, never in those of the parser's types.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

namespace projfgd {

/// "DATA" for a positional argument, "FILE", "N" or "NUMBER" for the value of an option; empty for
/// a flag. What validators add is left out.
std::string value_word(const CLI::Option& option);

/// What the program's exit codes mean; at the end of every --help, and in the manual page.
inline constexpr const char* exit_code_help =
    "0 converged (if the answer does not fit the data, a warning says so and\n"
    "\"fits_data\" in the summary is false), 1 stopped before it converged, 2 bad input, 3 a file\n"
    "could not be read or written, 4 not enough memory, 130 or 143 interrupted. The best result\n"
    "so far is written if a run stops or is interrupted.";

/// The help with lines no longer than a terminal: a description goes on below where it began.
/// Nothing is wrapped where the width is 0.
std::string wrapped_help(const std::string& help, std::size_t width);

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool positional) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_footer(const CLI::App* app) const override;
};

}  // namespace projfgd
