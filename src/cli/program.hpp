// The whole program: the executable runs it, and so does the `projfgd` of the Python package.
#pragma once

#include <string>

namespace projfgd {

class Ranks;

/// Runs the command line, catches signals and returns the exit code.
int run_program(int argc, char** argv);

/// The same on several ranks. The first speaks and writes; the others leave what they would
/// complain of in `complaint`, and return -1 where they end only because another one failed.
int run_program(int argc, char** argv, const Ranks& ranks, std::string& complaint);

}  // namespace projfgd
