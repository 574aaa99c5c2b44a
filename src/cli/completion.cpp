// Completion scripts. Each finds the subcommand in the words so far, then offers what the table of
// that command has: subcommands, options, the values of an option, or files.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "command_tree.hpp"
#include "common_options.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/require.hpp"

namespace projfgd {
namespace {

std::string replaced(std::string text, std::string_view characters, std::string_view before) {
  for (std::size_t at = 0; (at = text.find_first_of(characters, at)) != std::string::npos;) {
    text.insert(at, before);
    at += before.size() + 1;
  }
  return text;
}

/// As one word in single quotes. An apostrophe becomes a typographic one: all shells agree on it.
std::string quoted(std::string text) {
  for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos;) {
    text.replace(at, 1, "’");
  }
  return "'" + text + "'";
}

bool files_anywhere(const CommandHelp& command) {
  return std::any_of(command.arguments.begin(), command.arguments.end(),
                     [](const ArgumentHelp& a) { return a.positional() && a.takes_file(); });
}

/// The paths of all subcommands as alternatives of a shell's case.
std::string paths(const std::vector<const CommandHelp*>& all, const char* separator) {
  std::vector<std::string> quoted_paths;
  for (std::size_t k = 1; k < all.size(); ++k) quoted_paths.push_back(quoted(all[k]->path));
  return fmt::format("{}", fmt::join(quoted_paths, separator));
}

std::string bash(const CommandHelp& program) {
  const auto all = flattened(program);
  std::string values, commands;
  for (const CommandHelp* command : all) {
    std::vector<std::string> options, words;
    for (const CommandHelp& below : command->commands) words.push_back(below.name);
    for (const ArgumentHelp& argument : command->arguments) {
      if (argument.positional()) {
        words.insert(words.end(), argument.values.begin(), argument.values.end());
        continue;
      }
      options.push_back(argument.name);
      if (argument.type.empty()) continue;
      values +=
          fmt::format("    {}) words='{}'{}{} ;;\n", quoted(command->path + " " + argument.name),
                      fmt::join(argument.values, " "), argument.takes_file() ? " files=1" : "",
                      argument.list ? " list=1" : "");
    }
    commands += fmt::format("      {}) words='{}' options='{}'{} ;;\n", quoted(command->path),
                            fmt::join(words, " "), fmt::join(options, " "),
                            files_anywhere(*command) ? " files=1" : "");
  }
  return fmt::format(R"(# bash completion, made by `projfgd completion bash`
_projfgd() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}
  local command=projfgd words= options= files= list= i
  if [[ $word == = ]]; then word=; elif [[ $before == = ]]; then before=${{COMP_WORDS[COMP_CWORD - 2]}}; fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$command ${{COMP_WORDS[i]}}" in
      {}) command+=" ${{COMP_WORDS[i]}}" ;;
    esac
  done
  case "$command $before" in
{}    *) case "$command" in
{}      esac
      if [[ $word == -* || -z $words$files ]]; then words=$options; fi ;;
  esac
  if [[ $list && $word == *,* ]]; then words="${{word%,*}},${{words// / ${{word%,*}},}}"; fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  if [[ $files ]]; then compopt -o default; fi
}}
complete -F _projfgd projfgd
)",
                     paths(all, " | "), values, commands);
}

/// Text inside an _arguments specification.
std::string zsh_text(const std::string& text) { return replaced(text, "\\[]:", "\\"); }

std::string zsh_action(const ArgumentHelp& argument) {
  if (argument.values.empty()) return argument.takes_file() ? "_files" : " ";
  const std::string words = fmt::format("{}", fmt::join(argument.values, " "));
  if (argument.list) return " _values -s , words " + words;
  return argument.takes_file() ? " _projfgd_word_or_file " + words : "(" + words + ")";
}

std::string zsh(const CommandHelp& program) {
  const auto all = flattened(program);
  std::string cases;
  for (const CommandHelp* command : all) {
    cases += fmt::format("    {})\n      _arguments", quoted(command->path));
    for (const ArgumentHelp& argument : command->arguments) {
      const std::string what = zsh_text(argument.description), action = zsh_action(argument);
      std::string spec = "*:" + zsh_text(argument.type) + ":" + action;
      if (!argument.positional()) {
        spec = argument.type.empty() ? fmt::format("{}[{}]", argument.name, what)
                                     : fmt::format("{}=[{}]:{}:{}", argument.name, what,
                                                   zsh_text(argument.type), action);
      }
      cases += " \\\n        " + quoted(spec);
    }
    std::string below;
    for (const CommandHelp& c : command->commands) {
      below += fmt::format("{}\\:\"{}\" ", c.name, zsh_text(c.description));
    }
    if (!below.empty()) cases += " \\\n        " + quoted("1:command:((" + below + "))");
    cases += " ;;\n";
  }
  return fmt::format(R"(#compdef projfgd
# zsh completion, made by `projfgd completion zsh`
_projfgd_word_or_file() {{
  compadd -- "$@"
  _files
}}
_projfgd() {{
  local found=projfgd i=2
  while ((i < CURRENT)); do
    case "$found $words[i]" in
      {})
        found+=" $words[i]"
        words=("${{(@)words[i,-1]}}")
        ((CURRENT -= i - 1, i = 1)) ;;
    esac
    ((++i))
  done
  case $found in
{}  esac
}}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _projfgd "$@"; else compdef _projfgd projfgd; fi
)",
                     paths(all, " | "), cases);
}

std::string fish(const CommandHelp& program) {
  const auto all = flattened(program);
  std::string lines;
  for (const CommandHelp* command : all) {
    const std::string at = fmt::format("complete -c projfgd -n '__projfgd_at {}'", command->path);
    for (const CommandHelp& below : command->commands) {
      lines += fmt::format("{} -a {} -d {}\n", at, below.name, quoted(below.description));
    }
    for (const ArgumentHelp& argument : command->arguments) {
      std::string line = at;
      if (!argument.positional()) line += " -l " + argument.name.substr(2);
      if (argument.takes_file())
        line += argument.positional() ? " -F" : " -r -F";
      else if (!argument.type.empty() && !argument.positional())
        line += " -x";
      if (!argument.values.empty() && !argument.type.empty()) {
        const std::string words = fmt::format("{}", fmt::join(argument.values, " "));
        line += argument.list ? " -a '(__projfgd_list " + words + ")'" : " -a '" + words + "'";
      }
      lines += line + " -d " + quoted(argument.description) + "\n";
    }
  }
  return fmt::format(R"(# fish completion, made by `projfgd completion fish`
function __projfgd_at
    set -l found projfgd
    for word in (commandline -opc)[2..]
        switch "$found $word"
            case {}
                set found "$found $word"
        end
    end
    test "$found" = "$argv"
end
function __projfgd_list
    set -l head (string replace -r '^--[a-z-]+=' '' -- (commandline -ct) | string match -r '.*,')
    or set head ''
    printf '%s\n' $head$argv
end
complete -c projfgd -f
{})",
                     paths(all, " "), lines);
}

struct Shell {
  const char* name;
  std::string (*script)(const CommandHelp& program);
};

constexpr Shell shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

std::vector<std::string> shell_names() { return names_of(shells); }

}  // namespace

std::string completion_script(const CommandHelp& program, const std::string& shell) {
  return require_named("argument SHELL", shells, shell).script(program);
}

void add_completion(CLI::App& app, Cli& cli) {
  CLI::App* verb = add_verb(app, "completion", "Print the completion script of a shell",
                            "  source <(projfgd completion bash)");
  const auto shell = std::make_shared<std::string>();
  offer(cli, shell_names(), verb->add_option("SHELL", *shell, either(shell_names())))->required();
  verb->callback([&app, &cli, shell] {
    cli.action = [&app, &cli, shell] {
      print(completion_script(describe(app, cli.words), *shell));
      return static_cast<int>(exit_converged);
    };
  });
}

}  // namespace projfgd
