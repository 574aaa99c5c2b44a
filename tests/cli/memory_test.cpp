// What happens where the system has no memory left, at any moment, and what a file takes of it.
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <random>
#include <set>
#include <string>

#include "support/program.hpp"

namespace projfgd {
namespace {

using test::Outcome;
using test::shell;
using test::TemporaryFolder;

// One allocation fails, or all from there on. Whatever function it is that needed the memory, one
// that promised not to throw included, the run ends in order, or does without.
TEST(WithoutMemory, EveryRunEndsByASentenceOrAResult) {
#ifdef PROJFGD_FAILING_MALLOC
  const TemporaryFolder folder;
  ASSERT_EQ(shell(folder.path(), "projfgd simulate counts --qubits 2 --out data").code, 0);
  ASSERT_EQ(shell(folder.path(), "projfgd simulate cdp --image stars --size 17x29 --out cdp").code,
            0);
  folder.file("entries.csv", "row,column,value\n0,0,1\n1,1,1\n1,0,0.5\n2,2,1\n");
  const std::string preload = "LD_PRELOAD='" PROJFGD_FAILING_MALLOC "' ";
  for (const std::string words :
       {"help phase", "tomography nothing", "tomography data --rank 1 --out result",
        "solve entries.csv --rank 1 --json", "phase cdp --max-iterations 2 --threads 1 --quiet"}) {
    // From the first allocations, whose every one is another line of the program, to those of its
    // end, each a half further than the one before.
    for (long at = 1; at < 20000; at += 1 + at / 2) {
      for (const char* forever : {"", "FAIL_FOREVER=1 "}) {
        const Outcome outcome = shell(folder.path(), forever + ("FAIL_AT=" + std::to_string(at)) +
                                                         " " + preload + "projfgd " + words);
        ASSERT_THAT(outcome.code, testing::AnyOf(0, 1, 2, 3, 4)) << words << at << outcome.err;
        if (outcome.code == 4) {
          ASSERT_THAT(outcome.err, testing::HasSubstr("projfgd: ")) << words << at;
        }
      }
    }
    EXPECT_EQ(shell(folder.path(), "projfgd tomography data --rank 1 --out result").code, 0);
    EXPECT_EQ(shell(folder.path(), "ls -A result | grep unfinished").out, "");
  }
#else
  GTEST_SKIP() << "this build has a heap of its own";
#endif
}

/// The most memory that a command in the shell takes, in bytes.
double most_memory(const std::filesystem::path& folder, const std::string& command) {
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(folder.c_str()) != 0) _exit(9);
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(9);
  }
  int status = 0;
  rusage used{};
  EXPECT_EQ(wait4(child, &status, 0, &used), child);
  return 1024.0 * static_cast<double>(used.ru_maxrss);
}

// One outcome in each of many settings, so that what is kept of a setting weighs most.
TEST(Memory, CountsTakeTenTimesTheirFile) {
#ifdef PROJFGD_FAILING_MALLOC
  constexpr std::size_t settings = 100'000, qubits = 14;
  std::mt19937 random(1);
  std::set<std::string> labels;
  while (labels.size() < settings) {
    std::string label;
    for (std::size_t j = 0; j < qubits; ++j) label += "XYZ"[random() % 3];
    labels.insert(label);
  }
  const std::string outcome(qubits, '0');
  std::string json, csv = "basis,outcome,count\n";
  for (const std::string& label : labels) {
    json += (json.empty() ? "{\"" : ", \"") + label + "\": {\"" + outcome + "\": 1}";
    csv += label + "," + outcome + ",1\n";
  }
  json += "}";
  const TemporaryFolder folder;
  folder.file("json", json);
  folder.file("csv", csv);
  folder.file("one", "basis,outcome,count\nX,0,1\n");
  // Read, and then refused for the loss.
  const auto command = [](const std::string& file) {
    return "'" PROJFGD_PROGRAM "' tomography " + file + " --loss weighted >/dev/null 2>&1; true";
  };
  const double nothing = most_memory(folder.path(), command("one"));
  EXPECT_LT(most_memory(folder.path(), command("json")) - nothing,
            10.0 * static_cast<double>(json.size()));
  EXPECT_LT(most_memory(folder.path(), command("csv")) - nothing,
            10.0 * static_cast<double>(csv.size()));
#else
  GTEST_SKIP() << "this build has a heap of its own";
#endif
}

}  // namespace
}  // namespace projfgd
