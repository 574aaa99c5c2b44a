// What happens where the system has no memory left, at any moment.
#include <gmock/gmock.h>

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

}  // namespace
}  // namespace projfgd
