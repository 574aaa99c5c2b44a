// How --help names what an option takes: in our words, never in those of the parser's types.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace projfgd {

/// "DATA" for a positional argument, "FILE", "N" or "NUMBER" for the value of an option; empty for
/// a flag. What validators add is left out.
std::string value_word(const CLI::Option& option);

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool positional) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
};

}  // namespace projfgd
