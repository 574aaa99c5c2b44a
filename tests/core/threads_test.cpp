#include "projfgd/core/threads.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/support.hpp"

namespace projfgd::test {
namespace {

class Threads : public ::testing::Test {
 protected:
  void TearDown() override { set_threads(before_); }

 private:
  int before_ = threads();
};

std::vector<int> calls_of_each(Index count) {
  std::vector<int> calls(static_cast<std::size_t>(count));
  parallel_for(count, [&](Index k) { ++calls[static_cast<std::size_t>(k)]; });
  return calls;
}

TEST_F(Threads, EveryIterationRunsOnce) {
  for (const int count : {1, 2, 5, 3}) {
    set_threads(count);
    for (const Index size : {0, 1, 2, 7, 1000}) {
      EXPECT_EQ(calls_of_each(size), std::vector<int>(static_cast<std::size_t>(size), 1));
    }
  }
}

TEST_F(Threads, ALoopInsideALoopRunsOnItsThread) {
  set_threads(3);
  std::atomic<int> elsewhere = 0;
  parallel_for(8, [&](Index) {
    const auto here = std::this_thread::get_id();
    parallel_for(8, [&](Index) { elsewhere += std::this_thread::get_id() != here; });
  });
  EXPECT_EQ(elsewhere, 0);
}

TEST_F(Threads, LoopsOfTwoThreadsOfTheProgramDoNotMix) {
  const auto run = [] {
    set_threads(2);
    for (int repeat = 0; repeat < 500; ++repeat) {
      ASSERT_EQ(calls_of_each(9), std::vector<int>(9, 1));
    }
  };
  std::thread other(run);
  run();
  other.join();
}

TEST_F(Threads, AnExceptionReachesTheCallerAndTheNextLoopWorks) {
  set_threads(4);
  EXPECT_THROW(parallel_for(16,
                            [](Index k) {
                              if (k % 5 == 1) throw std::runtime_error("on purpose");
                            }),
               std::runtime_error);
  EXPECT_EQ(calls_of_each(16), std::vector<int>(16, 1));
}

// A child would wait for threads that the fork has not taken along.
TEST_F(Threads, AForkedChildWorksAlone) {
  const Vector<double> u = random_vector<double>(1 << 20, 3);
  set_threads(2);
  const double expected = dot(u, u);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    set_threads(2);
    _exit(threads() == 1 && dot(u, u) == expected ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace projfgd::test
