#include "help_formatter.hpp"

#include <sstream>

#include "messages.hpp"

namespace projfgd {

std::string value_word(const CLI::Option& option) {
  if (option.get_expected_max() == 0 || option.get_type_size_max() == 0) return "";
  std::string word = option.get_type_name();
  word.resize(std::min(word.find(':'), word.size()));  // what follows is a validator's
  if (word.ends_with("...") && !word.ends_with(",...")) word.resize(word.size() - 3);
  const bool plain = word.empty() || word == "TEXT";
  if (option.get_positional()) return plain ? option.get_name(true) : word;
  if (plain) return "WORD";
  if (word == "FLOAT") return "NUMBER";
  return word == "INT" || word == "UINT" ? "N" : word;
}

std::string wrapped_help(const std::string& help, std::size_t width) {
  constexpr std::size_t least_room = 30;  // for a description
  std::string out, line;
  for (std::istringstream lines(help); std::getline(lines, line);) {
    // What is described ends with two blanks.
    const std::size_t name = line.find_first_not_of(' ');
    const std::size_t gap = name == std::string::npos ? name : line.find("  ", name);
    const std::size_t text = gap == std::string::npos ? name : line.find_first_not_of(' ', gap);
    if (text == std::string::npos || width < text + least_room) {
      out += line;
    } else {
      const std::string placed = std::string(text, '_') + line.substr(text);
      out += line.substr(0, text) + wrapped(placed, width, text).substr(text);
    }
    out += '\n';
  }
  return out;
}

std::string HelpFormatter::make_option_name(const CLI::Option* option, bool positional) const {
  return positional ? value_word(*option) : CLI::Formatter::make_option_name(option, positional);
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  const std::string word = value_word(*option), standard = option->get_default_str();
  if (word.empty()) return "";
  std::string text = option->get_positional() ? "" : " " + word;
  if (!standard.empty() && standard != "\"\"") text += "=" + standard;
  const bool many = option->get_expected_max() >= CLI::detail::expected_max_vector_size;
  if (many && !text.ends_with("...")) text += " ...";
  if (option->get_required()) text += " (required)";
  return text;
}

std::string HelpFormatter::make_footer(const CLI::App* app) const {
  return CLI::Formatter::make_footer(app) + "\nExit codes: " + exit_code_help + "\n";
}

}  // namespace projfgd
