#include "command_tree.hpp"

#include <algorithm>
#include <iterator>

#include "help_formatter.hpp"

namespace projfgd {
namespace {

ArgumentHelp describe(const CLI::Option& option, const OptionWords& words) {
  ArgumentHelp help;
  help.name = option.get_positional() ? option.get_name(true) : "--" + option.get_lnames().front();
  help.description = option.get_description();
  if (const auto found = words.find(&option); found != words.end()) help.values = found->second;
  if (option.get_type_size_max() == 0) return help;
  help.type = value_word(option);
  help.list = option.get_delimiter() == ',';
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

CommandHelp describe(const CLI::App& app, const OptionWords& words, const std::string& before) {
  CommandHelp help{before + app.get_name(), app.get_name(), app.get_description(),
                   app.get_footer()};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    help.arguments.push_back(describe(*option, words));
  }
  for (const CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; })) {
    help.commands.push_back(describe(*below, words, help.path + " "));
  }
  return help;
}

std::vector<const CommandHelp*> flattened(const CommandHelp& command) {
  std::vector<const CommandHelp*> all;
  append(command, all);
  return all;
}

}  // namespace projfgd
