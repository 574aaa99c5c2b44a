// The manual page, in the man(7) macros of troff.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "command_tree.hpp"
#include "common_options.hpp"
#include "help_formatter.hpp"
#include "projfgd/core/version.hpp"

namespace projfgd {
namespace {

/// Plain text for troff: its control characters mean themselves.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool line_start = out.empty() || out.back() == '\n';
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string entry(const ArgumentHelp& argument) {
  std::string text = ".TP\n";
  if (argument.positional()) {
    text += fmt::format("\\fI{}\\fR\n", escaped(argument.name));
  } else {
    text += fmt::format("\\fB{}\\fR", escaped(argument.name));
    text += argument.type.empty() ? "\n" : fmt::format(" \\fI{}\\fR\n", escaped(argument.type));
  }
  text += escaped(argument.description);
  if (!argument.standard.empty()) text += fmt::format(" [{}]", escaped(argument.standard));
  return text + "\n";
}

/// Indented lines are commands and keep their ends; the others are prose.
std::string footer(const std::string& text) {
  std::string out;
  bool verbatim = false;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    const std::string line = text.substr(from, end - from);
    from = end + 1;
    if (line.starts_with("  ") != verbatim) {
      out += verbatim ? ".EE\n.PP\n" : ".PP\n.EX\n";
      verbatim = !verbatim;
    }
    out += (out.empty() ? ".PP\n" : "") + escaped(verbatim ? line.substr(2) : line) + "\n";
  }
  return out + (verbatim ? ".EE\n" : "");
}

std::string synopsis(const CommandHelp& command) {
  std::string line = fmt::format(".B {}\n", escaped(command.path));
  for (const ArgumentHelp& argument : command.arguments) {
    if (argument.positional()) line += fmt::format(".I {}\n", escaped(argument.name));
  }
  return line + (command.commands.empty() ? "[options]\n" : "command\n");
}

}  // namespace

std::string man_page(const CommandHelp& program) {
  const auto all = flattened(program);
  std::map<std::string, int> uses;  // of each option as it stands: what many have is told once
  for (const CommandHelp* command : all) {
    for (const ArgumentHelp& argument : command->arguments) ++uses[entry(argument)];
  }
  const auto is_common = [&](const ArgumentHelp& argument) { return uses[entry(argument)] > 2; };
  std::string commands, common;
  for (const CommandHelp* command : all) {
    if (!command->commands.empty() && command != all.front()) continue;
    std::vector<std::string> also;
    std::string own;
    for (const ArgumentHelp& argument : command->arguments) {
      if (!is_common(argument)) {
        own += entry(argument);
        continue;
      }
      also.push_back("\\fB" + escaped(argument.name) + "\\fR");
      const std::string text = entry(argument);
      if (common.find(text) == std::string::npos) common += text;
    }
    if (command == all.front()) {
      common += own;
      continue;
    }
    commands += fmt::format(".SS {}\n{}.\n.PP\n{}{}", escaped(command->path),
                            escaped(command->description), synopsis(*command), own);
    commands +=
        fmt::format(".PP\nCommon options: {}.\n{}", fmt::join(also, ", "), footer(command->footer));
  }
  return fmt::format(
      ".TH PROJFGD 1 \"\" \"projfgd {0}\" \"User Commands\"\n"
      ".SH NAME\nprojfgd \\- {1}\n.SH SYNOPSIS\n{2}.SH DESCRIPTION\n{1}.\n{3}"
      ".SH COMMANDS\n{4}.SH COMMON OPTIONS\n{5}.SH EXIT STATUS\n{6}\n",
      escaped(std::string(version())), escaped(program.description), synopsis(program),
      footer(program.footer), commands, common, escaped(exit_code_help));
}

void add_man(CLI::App& app, Cli& cli) {
  CLI::App* verb = add_verb(app, "man", "Print the manual page", "  projfgd man | man -l -");
  verb->callback([&app, &cli] {
    cli.action = [&app, &cli] {
      print(man_page(describe(app, cli.words)));
      return static_cast<int>(exit_converged);
    };
  });
}

}  // namespace projfgd
