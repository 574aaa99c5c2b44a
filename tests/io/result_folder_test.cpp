#include "projfgd/io/result_folder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "projfgd/core/error.hpp"
#include "projfgd/core/stopwatch.hpp"
#include "projfgd/io/files.hpp"
#include "support/temporary_folder.hpp"

namespace projfgd::test {
namespace {

namespace fs = std::filesystem;

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

std::set<std::string> hidden_in(const fs::path& folder) {
  std::set<std::string> names = names_in(folder);
  std::erase_if(names, [](const std::string& name) { return name.front() != '.'; });
  return names;
}

TEST(ResultFolder, HoldsTheFilesOfTheLastRunAlone) {
  const TemporaryFolder scratch;
  const fs::path out = scratch.path() / "out";
  {
    ResultFolder folder(out, "test");
    folder.add("a", "one");
    folder.add("b", "one");
    EXPECT_EQ(names_in(out).count("a"), 0U) << "before it is published";
    folder.publish();
  }
  write_file(out / "mine", "kept");
  {
    ResultFolder folder(out, "test");
    folder.add("b", "two");
    folder.publish();
  }
  EXPECT_EQ(names_in(out), (std::set<std::string>{".projfgd-test", "b", "mine"}));
  EXPECT_EQ(read_file(out / "b"), "two");
}

TEST(ResultFolder, WhatIsNotPublishedLeavesNothing) {
  const TemporaryFolder scratch;
  const fs::path out = scratch.path() / "out";
  {
    ResultFolder folder(out, "test");
    folder.add("a", "one");
  }
  EXPECT_FALSE(fs::exists(out));
  fs::create_directory(out);
  {
    ResultFolder folder(out, "test");
    folder.add("a", "one");
    EXPECT_THROW(folder.add("b", [](const fs::path&) { throw FileError("full"); }), FileError);
  }
  EXPECT_TRUE(names_in(out).empty());
}

TEST(ResultFolder, IsForOneRunAtATime) {
  const TemporaryFolder scratch;
  const fs::path out = scratch.path() / "out";
  const ResultFolder folder(out, "test");
  const pid_t child = fork();
  if (child == 0) {
    try {
      _exit(lock_folder(out) ? 0 : 1);
    } catch (const FileError&) {
      _exit(7);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_THROW(lock_folder(out), FileError) << "of another run of this process";
}

void publish(const fs::path& out, const std::string& stamp, bool more) {
  ResultFolder folder(out, "test");
  for (const char* name : {"a", "b", "c", "d"}) folder.add(name, stamp);
  if (more) folder.add("e", stamp);
  folder.publish();
}

// Runs that come to nothing make the folder and take it away again, before they have it and after.
TEST(ResultFolder, StaysWithTheRunThatHasItWhileOthersComeAndGo) {
  const TemporaryFolder scratch;
  const fs::path out = scratch.path() / "out";
  const pid_t parent = getpid();
  const auto take = [&]() -> std::shared_ptr<FolderLock> {
    try {
      require_place_for_folder(out);
      return lock_folder(out);
    } catch (const FileError&) {  // another has it
      return nullptr;
    }
  };
  const pid_t child = fork();
  while (child == 0 && getppid() == parent) take();
  if (child == 0) _exit(0);
  int taken = 0;
  for (int k = 0; k < 2000; ++k) {
    const std::shared_ptr<FolderLock> lock = take();
    if (lock == nullptr) continue;
    ++taken;
    EXPECT_NO_THROW(put_beside_results(out, "file", [](const fs::path& path) {
      write_pieces(
          path, [](const Put& put) { put("mine"); }, false);
    }));
    EXPECT_TRUE(fs::exists(out / "file"));
    fs::remove(out / "file");
  }
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WTERMSIG(status), SIGKILL) << "the other went on until here";
  EXPECT_GT(taken, 0);
}

TEST(ResultFolder, IsLeftAsItWasWhereAFileHasNoPlace) {
  const TemporaryFolder scratch;
  for (const char* name : {".projfgd-test", "b", "e"}) {
    const fs::path out = scratch.path() / name;
    publish(out, "first", true);
    fs::remove(out / name);
    fs::create_directory(out / name);
    EXPECT_THROW(publish(out, "second", true), FileError);
    for (const char* other : {"a", "b", "c", "e"}) {
      if (other != std::string_view(name)) {
        EXPECT_EQ(read_file(out / other), "first") << name << ", " << other;
      }
    }
  }
}

// All was written, and yet one of the new files cannot be put in its place.
TEST(ResultFolder, ComesBackWhereTheNewFilesCannotTakeItsPlace) {
  const TemporaryFolder scratch;
  const fs::path out = scratch.path() / "out";
  for (const char* missing : {"a", "b", "c"}) {
    {
      ResultFolder folder(out, "test");
      for (const char* name : {"a", "b", "old"}) folder.add(name, "one");
      folder.publish();
    }
    const std::set<std::string> before = names_in(out);
    {
      ResultFolder folder(out, "test");
      for (const char* name : {"a", "b", "c"}) folder.add(name, "two");
      int removed = 0;
      std::error_code ignored;  // some of the hidden names are no folders
      for (const std::string& hidden : hidden_in(out)) {
        removed += fs::remove(out / hidden / missing, ignored) ? 1 : 0;
      }
      EXPECT_EQ(removed, 1);
      EXPECT_THROW(folder.publish(), FileError) << missing;
    }
    EXPECT_EQ(names_in(out), before) << missing;
    for (const char* name : {"a", "b", "old"}) EXPECT_EQ(read_file(out / name), "one") << missing;
  }
}

TEST(ResultFolder, AFailureNamesTheFileThatTheUserKnows) {
  const TemporaryFolder scratch;
  const fs::path out = scratch.path() / "out";
  const auto fails = [](const fs::path& path) { throw FileError(path.string() + ": no"); };
  ResultFolder folder(out, "test");
  EXPECT_THROWS_WITH(folder.add("a", fails), FileError, (out / "a").string() + ": no");
  EXPECT_THROWS_WITH(put_beside_results(out, "checkpoint", fails), FileError,
                     (out / "checkpoint").string() + ": no");
}

// A process that is killed at any moment while it publishes leaves files of one run.
TEST(ResultFolder, IsNeverMixed) {
  const TemporaryFolder scratch;
  const fs::path out = scratch.path() / "out";
  const Stopwatch watch;
  publish(out, "first", true);
  const double once = watch.seconds();
  int mixed = 0;
  std::set<std::string> seen;
  constexpr int kills = 40;
  for (int k = 0; k < kills; ++k) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      for (int run = 0;; ++run) {
        publish(out, fmt::format("{} {}", k, run), run % 2 == 0);
        if (run == 0 && write(ends[1], "!", 1) != 1) _exit(1);
      }
    }
    char first = 0;
    ASSERT_EQ(::read(ends[0], &first, 1), 1);
    close(ends[0]);
    close(ends[1]);
    usleep(static_cast<useconds_t>(2e6 * once * (k + 0.5) / kills));  // into the next two runs
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    std::set<std::string> contents;
    for (const char* name : {"a", "b", "c", "d", "e"}) {
      if (fs::exists(out / name)) contents.insert(read_file(out / name));
    }
    mixed += contents.size() > 1 ? 1 : 0;
    seen.merge(contents);
  }
  EXPECT_EQ(mixed, 0);
  EXPECT_GT(seen.size(), kills / 2) << "most kills leave a result";
  { const auto next = lock_folder(out); }
  const std::set<std::string> left = names_in(out);  // of no run there is no list either
  if (!left.empty()) {
    EXPECT_EQ(hidden_in(out), (std::set<std::string>{".projfgd-test"})) << "the next run cleans up";
  }
}

}  // namespace
}  // namespace projfgd::test
