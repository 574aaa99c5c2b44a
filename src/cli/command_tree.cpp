#include "command_tree.hpp"

#include <regex>

#include "help_formatter.hpp"

namespace projfgd {
namespace {

/// "auto, theory or a number [auto]" lists auto and theory: a description that begins with a small
/// letter, or with "One of" or "...: ", begins with the values. An entry of several words is none.
std::vector<std::string> listed_values(const std::string& description) {
  static const std::regex list("(?:One of |[^:]*: )?([a-z][a-z0-9-]*(?:,? or |, ).*)");
  static const std::regex entry("([a-z][a-z0-9-]*)(, |,? or |$|[;.]| \\[)");
  std::vector<std::string> values;
  std::smatch match;
  if (!std::regex_match(description, match, list)) return values;
  std::string rest = match[1];
  while (std::regex_search(rest, match, entry, std::regex_constants::match_continuous)) {
    values.push_back(match[1]);
    const std::string separator = match[2];
    rest = match.suffix();
    if (separator != ", " && !separator.ends_with("or ")) break;
  }
  return values;
}

ArgumentHelp describe(const CLI::Option& option) {
  ArgumentHelp help;
  help.name = option.get_positional() ? option.get_name(true) : "--" + option.get_lnames().front();
  help.description = option.get_description();
  help.values = listed_values(help.description);
  if (option.get_type_size_max() == 0) return help;
  help.type = value_word(option);
  if (option.get_positional()) help.name = help.type;
  help.standard = option.get_default_str();
  if (help.standard == "\"\"") help.standard.clear();
  return help;
}

void append(const CommandHelp& command, std::vector<const CommandHelp*>& all) {
  all.push_back(&command);
  for (const CommandHelp& below : command.commands) append(below, all);
}

}  // namespace

bool ArgumentHelp::takes_file() const {
  static constexpr const char* kinds[] = {"FILE", "DIR", "DATA", "PROBLEM", "START", "STATE"};
  return std::any_of(std::begin(kinds), std::end(kinds),
                     [&](const char* kind) { return type.find(kind) != std::string::npos; });
}

CommandHelp describe(const CLI::App& app, const std::string& before) {
  CommandHelp help{before + app.get_name(), app.get_name(), app.get_description(),
                   app.get_footer()};
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) help.arguments.push_back(describe(*option));  // not hidden
  }
  for (const CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; })) {
    help.commands.push_back(describe(*below, help.path + " "));
  }
  return help;
}

std::vector<const CommandHelp*> flattened(const CommandHelp& command) {
  std::vector<const CommandHelp*> all;
  append(command, all);
  return all;
}

}  // namespace projfgd
