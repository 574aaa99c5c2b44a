// Every file of the corpus, cut at every byte and mutated, through its reader: it reads, or refuses
// with an error of the library. PROJFGD_FUZZ_RUNS sets the number of mutations a reader, for long
// runs with the preset asan-ubsan.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "fuzz/readers.hpp"
#include "projfgd/io/files.hpp"

namespace projfgd::test {
namespace {

std::vector<std::string> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  if (!std::filesystem::exists(folder)) return {};
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> files;
  for (const auto& path : paths) files.push_back(read_file(path));
  return files;
}

const std::filesystem::path samples = PROJFGD_CORPUS;
std::vector<std::string> corpus(const std::string& reader) { return files_in(samples / reader); }

/// Processes that read are made a thousand times as slowly as a reader is called.
int mutations(const std::string& reader) {
  if (const char* runs = std::getenv("PROJFGD_FUZZ_RUNS")) return std::atoi(runs);
  return has_processes(reader) ? 200 : 5000;
}

/// One to four small accidents: a bit flipped, a byte replaced, a piece cut, doubled or brought in
/// from another file.
class Mutator {
 public:
  explicit Mutator(const std::vector<std::string>& files) : files_(files) {}

  std::string next() {
    std::string bytes = pick();
    for (std::size_t n = 1 + below(4); n > 0; --n) change(bytes);
    return bytes;
  }

 private:
  std::size_t below(std::size_t end) { return end == 0 ? 0 : engine_() % end; }
  const std::string& pick() { return files_[below(files_.size())]; }

  void change(std::string& bytes) {
    static constexpr std::string_view telling =
        "0123456789-+.eE,:\"[]{}() \n\r\t\\\x00\xff\x7f\x80";
    const std::size_t at = below(bytes.size()),
                      length = below(std::min<std::size_t>(40, bytes.size() - at));
    switch (below(6)) {
      case 0:
        if (!bytes.empty()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        if (!bytes.empty()) bytes[at] = telling[below(telling.size())];
        break;
      case 2:
        bytes.erase(at, length);
        break;
      case 3:
        bytes.insert(at, bytes.substr(at, length));
        break;
      case 4: {
        const std::string& other = pick();
        const std::size_t from = below(other.size());
        bytes.insert(at, other.substr(from, below(40)));
        break;
      }
      default:
        bytes.insert(at, 1, telling[below(telling.size())]);
    }
  }

  const std::vector<std::string>& files_;
  std::mt19937_64 engine_{1};
};

class Readers : public testing::TestWithParam<std::string> {};

TEST_P(Readers, ReadTheCorpus) {
  for (const std::string& bytes : corpus(GetParam())) {
    EXPECT_TRUE(read_as(GetParam(), bytes)) << bytes.substr(0, 200);
  }
}

// Files that once ended a reader in another way.
TEST_P(Readers, TakeWhatWasFound) {
  for (const std::string& bytes : files_in(samples.parent_path() / "findings" / GetParam())) {
    EXPECT_NO_THROW(read_as(GetParam(), bytes));
  }
}

TEST_P(Readers, TakeFilesCutAnywhere) {
  for (const std::string& bytes : corpus(GetParam())) {
    const std::size_t step = 1 + bytes.size() / (has_processes(GetParam()) ? 100 : 2000);
    for (std::size_t size = 0; size < bytes.size(); size += step) {
      ASSERT_NO_THROW(read_as(GetParam(), std::string_view(bytes).substr(0, size))) << size;
    }
  }
}

TEST_P(Readers, TakeMutatedFiles) {
  const auto files = corpus(GetParam());
  Mutator mutator(files);
  for (int k = 0; k < mutations(GetParam()); ++k) {
    const std::string bytes = mutator.next();
    ASSERT_NO_THROW(read_as(GetParam(), bytes)) << "mutation " << k << ": " << bytes;
  }
}

std::string test_name(const testing::TestParamInfo<std::string>& reader) {
  std::string name = reader.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, Readers, testing::ValuesIn(reader_names()), test_name);

}  // namespace
}  // namespace projfgd::test
