// The picture of docs/architecture.md, held against every #include of the library.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>

namespace projfgd {
namespace {

namespace fs = std::filesystem;

/// Height of a layer; those of equal height do not know each other.
const std::map<std::string, int> heights = {
    {"core", 0},   {"losses", 1},   {"operators", 1}, {"constraints", 1},
    {"starts", 1}, {"measures", 2}, {"solvers", 3},   {"io", 4},
    {"jobs", 5},   {"bench", 6},    {"cli", 7},
};

void expect_only_lower_layers(const fs::path& root) {
  static const std::regex include(R"re(^#include "projfgd/(\w+)/.*")re");
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    const fs::path place = fs::relative(entry.path(), root);
    const auto layer = heights.find(place.begin()->string());
    if (layer == heights.end()) continue;  // concepts.hpp and the like stand outside the folders
    ++files;
    std::ifstream in(entry.path());
    std::smatch found;
    for (std::string line; std::getline(in, line);) {
      if (!std::regex_match(line, found, include)) continue;
      const auto used = heights.find(found[1]);
      ASSERT_NE(used, heights.end()) << place << ": " << line;
      if (used->first == layer->first) continue;
      EXPECT_LT(used->second, layer->second) << place << ": " << line;
    }
  }
  EXPECT_GT(files, 50) << root;
}

TEST(Layers, HeadersUseOnlyWhatStandsBelowThem) {
  expect_only_lower_layers(fs::path(PROJFGD_SOURCE) / "include" / "projfgd");
}

TEST(Layers, SourcesUseOnlyWhatStandsBelowThem) {
  expect_only_lower_layers(fs::path(PROJFGD_SOURCE) / "src");
}

}  // namespace
}  // namespace projfgd
