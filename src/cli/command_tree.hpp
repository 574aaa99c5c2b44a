// The commands and options as plain data, for what is made from the help: completion and man page.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "common_options.hpp"

namespace projfgd {

/// An option or a positional argument.
struct ArgumentHelp {
  std::string name;                      ///< "--rank", or "DATA" for a positional argument
  std::string type;                      ///< what its value is called, "R"; empty for a flag
  std::string description;               ///< without the default
  std::string standard;                  ///< the default; may be empty
  std::vector<std::string> values = {};  ///< the words among its values
  bool list = false;                     ///< takes several, with commas between

  bool positional() const { return !name.starts_with('-'); }
  bool takes_file() const;
};

struct CommandHelp {
  std::string path;  ///< "projfgd simulate cdp"
  std::string name, description, footer;
  std::vector<ArgumentHelp> arguments = {};
  std::vector<CommandHelp> commands = {};
};

CommandHelp describe(const CLI::App& app, const OptionWords& words, const std::string& before = "");

/// A command and all below it, each after the one it belongs to.
std::vector<const CommandHelp*> flattened(const CommandHelp& command);

/// The script that completes a command line; `shell` is bash, zsh or fish.
std::string completion_script(const CommandHelp& program, const std::string& shell);

/// The manual page, for man(1).
std::string man_page(const CommandHelp& program);

}  // namespace projfgd
