#include "parse_errors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "help_formatter.hpp"
#include "projfgd/core/did_you_mean.hpp"
#include "projfgd/io/text.hpp"

namespace projfgd {
namespace {

const CLI::App& deepest(const CLI::App& app) {
  const auto below = app.get_subcommands();
  return below.empty() ? app : deepest(*below.back());
}

std::string full_name(const CLI::App& app) {
  const CLI::App* above = app.get_parent();
  return above == nullptr ? app.get_name() : full_name(*above) + " " + app.get_name();
}

/// The command in which something is wrong, followed by `mark`; nothing for the program itself.
std::string place(const CLI::App& command, const char* mark) {
  const CLI::App* above = command.get_parent();
  return above == nullptr ? "" : place(*above, " ") + command.get_name() + mark;
}

std::string wrong_command(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* below : command.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(below->get_name());
  }
  const auto words = command.remaining();
  const auto word = std::find_if(words.begin(), words.end(),
                                 [](const std::string& text) { return !text.starts_with('-'); });
  const std::string found = word == words.end()
                                ? "no command given"
                                : "unknown command " + quote(*word) + did_you_mean(*word, names);
  return fmt::format("{}{}, expected one of {}", place(command, ": "), found,
                     fmt::join(names, ", "));
}

/// Whether what comes first is an option that nobody knows, not a command.
bool has_unknown_option(const CLI::App& command) {
  const auto words = command.remaining();
  return !words.empty() && words.front().starts_with('-');
}

std::string unknown_argument(const CLI::App& command) {
  const auto words = command.remaining();
  const std::string word = words.empty() ? "" : words.front();
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_lnames().empty()) names.push_back("--" + option->get_lnames().front());
  }
  if (!word.starts_with('-')) {
    return fmt::format("{}found {}, expected no further argument", place(command, ": "),
                       quote(word));
  }
  const std::string option = word.substr(0, word.find('='));
  return fmt::format("{}unknown option {}{}", place(command, ": "), printable(option),
                     did_you_mean(option, names));
}

/// The sentence for an option, or for a positional argument, that has no value or a wrong one.
std::string about(const CLI::App& command, const CLI::Option& option, const std::string& found,
                  const std::string& expected) {
  const std::string name = option.get_positional() ? value_word(option) : option.get_name();
  return fmt::format("{}{}: found {}, expected {}", place(command, " "), name, found, expected);
}

std::string in_a_sentence(std::string text) {
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0) {
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  }
  return text;
}

std::string in_our_words(const CLI::App& command, const CLI::ParseError& error) {
  const auto kind = static_cast<CLI::ExitCodes>(error.get_exit_code());
  std::string message = error.what();
  if (kind == CLI::ExitCodes::ExtrasError) return unknown_argument(command);
  const auto options = command.get_options();
  const auto find = [&](auto fits) {
    const auto found = std::find_if(options.begin(), options.end(),
                                    [&](const CLI::Option* option) { return fits(*option); });
    return found == options.end() ? nullptr : *found;
  };
  if (kind == CLI::ExitCodes::RequiredError) {
    const CLI::Option* missing =
        find([](const CLI::Option& o) { return o.get_required() && o.count() == 0; });
    if (missing == nullptr)
      return has_unknown_option(command) ? unknown_argument(command) : wrong_command(command);
    return about(command, *missing, "none", in_a_sentence(missing->get_description()));
  }
  const CLI::Option* wrong = find([&](const CLI::Option& o) {
    return message.find(o.get_name() + " = ") != std::string::npos ||
           message.starts_with(o.get_name() + ":");
  });
  if (wrong == nullptr) return message;
  if (kind == CLI::ExitCodes::ConversionError) {
    const std::string value = fmt::format("{}", fmt::join(wrong->results(), " "));
    const bool number = !std::isnan(parse_number(value));
    return about(command, *wrong, quote(value), number ? "an integer" : "a number");
  }
  if (kind == CLI::ExitCodes::ArgumentMismatch) {
    const bool several = wrong->count() > 1;  // of an option that takes one
    return several ? about(command, *wrong, fmt::format("{} values", wrong->count()), "one")
                   : about(command, *wrong, "no value", value_word(*wrong) + " after it");
  }
  return place(command, " ") + message;
}

}  // namespace

std::string parse_sentence(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = deepest(app);
  return fmt::format("{}; see {} --help", in_our_words(command, error), full_name(command));
}

}  // namespace projfgd
