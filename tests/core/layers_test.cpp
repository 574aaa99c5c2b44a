// The picture of docs/architecture.md, held against every #include of the library.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

namespace projfgd {
namespace {

namespace fs = std::filesystem;

/// Height of a layer; those of equal height do not know each other.
const std::map<std::string, int> heights = {
    {"core", 0},   {"losses", 1},   {"operators", 1}, {"constraints", 1},
    {"starts", 1}, {"measures", 2}, {"device", 2},    {"solvers", 3},
    {"io", 4},     {"jobs", 5},     {"bench", 6},     {"cli", 7},
};

/// Calls use(line, layer) for every #include of a layer in the file, be it of a public header or of
/// one beside the sources.
template <class Use>
void for_each_include(const fs::path& file, const Use& use) {
  static const std::regex include(R"re(^#include "(?!projfgd/\w+\.hpp")(?:projfgd/)?(\w+)/.*")re");
  std::ifstream in(file);
  std::smatch found;
  for (std::string line; std::getline(in, line);) {
    if (std::regex_match(line, found, include)) use(line, found[1].str());
  }
}

void expect_only_lower_layers(const fs::path& root) {
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    const fs::path place = fs::relative(entry.path(), root);
    const auto layer = heights.find(place.begin()->string());
    if (layer == heights.end()) continue;  // concepts.hpp and the like stand outside the folders
    ++files;
    for_each_include(entry.path(), [&](const std::string& line, const std::string& name) {
      const auto used = heights.find(name);
      ASSERT_NE(used, heights.end()) << place << ": " << line;
      if (used->first == layer->first) return;
      EXPECT_LT(used->second, layer->second) << place << ": " << line;
    });
  }
  EXPECT_GT(files, 50) << root;
}

/// What a door uses besides jobs, and the files and plain things that jobs speak of.
std::set<std::string> beyond_jobs(const fs::path& door) {
  std::set<std::string> found;
  for (const auto& entry : fs::directory_iterator(door)) {
    for_each_include(entry.path(), [&](const std::string&, const std::string& layer) {
      if (layer == "jobs" || layer == "io" || layer == "core") return;
      found.insert(entry.path().filename().string() + ": " + layer);
    });
  }
  return found;
}

TEST(Layers, TheDoorsUseOnlyJobs) {
  const fs::path source(PROJFGD_SOURCE);
  // The command that measures speed is no job.
  EXPECT_EQ(beyond_jobs(source / "src" / "cli"), std::set<std::string>({"bench.cpp: bench"}));
  // The user's f and C go to the solver itself, and Python asks measures of a state after the run.
  EXPECT_EQ(beyond_jobs(source / "python" / "src"),
            std::set<std::string>({"minimize.cpp: constraints", "minimize.cpp: solvers",
                                   "tomography.cpp: measures"}));
}

TEST(Layers, HeadersUseOnlyWhatStandsBelowThem) {
  expect_only_lower_layers(fs::path(PROJFGD_SOURCE) / "include" / "projfgd");
}

TEST(Layers, SourcesUseOnlyWhatStandsBelowThem) {
  expect_only_lower_layers(fs::path(PROJFGD_SOURCE) / "src");
}

}  // namespace
}  // namespace projfgd
