// The whole program: the executable runs it, and so does the `projfgd` of the Python package.
#pragma once

namespace projfgd {

/// Runs the command line, catches signals and returns the exit code.
int run_program(int argc, char** argv);

}  // namespace projfgd
