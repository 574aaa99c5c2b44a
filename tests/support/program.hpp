// Runs the real program. PROJFGD_PROGRAM is its path, from CMake.
#pragma once

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "projfgd/io/files.hpp"
#include "support/temporary_folder.hpp"

namespace projfgd::test {

struct Outcome {
  int code;  ///< exit code as the shell sees it
  std::string out, err;
};

/// Runs a shell command in a folder where `projfgd` is the program under test. It listens to
/// signals even where whoever runs the tests lets them be ignored.
inline Outcome shell(const std::filesystem::path& folder, const std::string& command) {
  const TemporaryFolder streams;
  const std::filesystem::path program = PROJFGD_PROGRAM;
  const std::string line = "cd '" + folder.string() + "' && PATH='" +
                           program.parent_path().string() + "':\"$PATH\" && { " + command +
                           "\n} >'" + (streams / "out").string() + "' 2>'" +
                           (streams / "err").string() + "' </dev/null";
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          read_file(streams / "out"), read_file(streams / "err")};
}

/// Expects that exit code and one sentence on standard error that contains `part`, and nothing on
/// standard output.
inline void expect_error(const std::filesystem::path& folder, const std::string& command, int code,
                         const std::string& part) {
  const Outcome outcome = shell(folder, command);
  EXPECT_EQ(outcome.code, code) << command << "\n" << outcome.err;
  EXPECT_EQ(outcome.out, "") << command;
  EXPECT_TRUE(outcome.err.starts_with("projfgd: ")) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
}

}  // namespace projfgd::test
