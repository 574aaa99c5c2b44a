// Runs the real program. PROJFGD_PROGRAM is its path and PROJFGD_SOURCE that of the tree, from
// CMake.
#pragma once

#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "projfgd/io/files.hpp"
#include "support/temporary_folder.hpp"

namespace projfgd::test {

struct Outcome {
  int code;  ///< exit code as the shell sees it
  std::string out, err;
};

/// Runs a shell command in a folder where `projfgd` is the program under test.
inline Outcome shell(const std::filesystem::path& folder, const std::string& command) {
  const TemporaryFolder streams;
  const std::filesystem::path program = PROJFGD_PROGRAM;
  const std::string line = "cd '" + folder.string() + "' && PATH='" +
                           program.parent_path().string() + "':\"$PATH\" && { " + command +
                           "\n} >'" + (streams / "out").string() + "' 2>'" +
                           (streams / "err").string() + "' </dev/null";
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

/// A fenced block of a guide, with the name in backquotes that stood last before it.
struct Block {
  std::string language, name, text;
};

/// The fenced blocks of docs/<page>.
inline std::vector<Block> guide_blocks(const char* page_name) {
  const std::string page = read_file(std::filesystem::path(PROJFGD_SOURCE) / "docs" / page_name);
  std::vector<Block> found;
  std::string name;
  bool inside = false;
  for (std::size_t start = 0; start < page.size();) {
    const std::size_t end = std::min(page.find('\n', start), page.size());
    const std::string line = page.substr(start, end - start);
    start = end + 1;
    if (line.starts_with("```")) {
      if (!inside) found.push_back({line.substr(3), name, ""});
      inside = !inside;
    } else if (inside) {
      found.back().text += line + "\n";
    } else if (line.ends_with("`:")) {
      const std::size_t first = line.rfind('`', line.size() - 3);
      name = line.substr(first + 1, line.size() - first - 3);
    }
  }
  return found;
}

}  // namespace projfgd::test
