#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace projfgd {

/// What is wrong with a command line, in one sentence: what was found and what was expected.
std::string parse_sentence(const CLI::App& app, const CLI::ParseError& error);

}  // namespace projfgd
