#include "projfgd/io/files.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "projfgd/core/error.hpp"
#include "projfgd/core/memory.hpp"
#include "projfgd/io/sha256.hpp"
#include "support/temporary_folder.hpp"

namespace projfgd {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(Sha256, KnownAnswers) {  // FIPS 180-4 examples
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesOfAnyLengthGiveTheSame) {
  std::string text;
  for (int k = 0; k < 300; ++k) text += static_cast<char>(k * 7);
  for (std::size_t first = 0; first <= 130; ++first) {
    Sha256 hash;
    hash.update(std::string_view(text).substr(0, first));
    hash.update(std::string_view(text).substr(first));
    ASSERT_EQ(hash.hex(), sha256(text)) << first;
  }
}

TEST(Files, WriteThenReadGivesTheSameBytes) {
  const TemporaryFolder folder;
  const std::string bytes("a\0b\r\n\xff", 6);
  write_file(folder / "x", bytes);
  EXPECT_EQ(read_file(folder / "x"), bytes);
  write_file(folder / "x", "");
  EXPECT_EQ(read_file(folder / "x"), "");
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(Files, ALinkIsWrittenThrough) {
  const TemporaryFolder folder;
  folder.file("real", "old");
  fs::create_symlink("real", folder / "link");
  write_file(folder / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "real"), "new");
}

TEST(Files, MissingFilesAndFoldersAreNamed) {
  const TemporaryFolder folder;
  EXPECT_THROWS_WITH(read_file(folder / "none"), FileError, "none");
  EXPECT_THROWS_WITH(read_file(folder.path()), FileError, folder.path().string());
  EXPECT_THROWS_WITH(write_file(folder / "none/x", "y"), FileError, "none/x");
  folder.file("plain", "");
  EXPECT_THROWS_WITH(make_folder(folder / "plain"), FileError,
                     "plain: found a file, expected a folder");
  EXPECT_THROWS_WITH(make_folder(folder / "plain/sub"), FileError, "plain/sub");
}

TEST(Files, APlaceForAFolderIsTriedAndNothingIsLeftThere) {
  const TemporaryFolder folder;
  for (const char* name : {"new", "new/", "new/below/it", "."}) {
    EXPECT_NO_THROW(require_place_for_folder(folder / name)) << name;
  }
  EXPECT_EQ(files_in(folder.path()), 0U);
  folder.file("plain", "");
  for (const char* name : {"plain", "plain/sub"}) {
    EXPECT_THROWS_WITH(require_place_for_folder(folder / name), FileError, name);
  }
  const std::string long_name(300, 'a');
  EXPECT_THROWS_WITH(require_place_for_folder(folder / long_name), FileError,
                     "cannot make the folder");
  fs::create_symlink("nowhere", folder / "link");
  EXPECT_THROWS_WITH(require_place_for_folder(folder / "link"), FileError, "link");
  EXPECT_EQ(files_in(folder.path()), 2U);
  if (!fs::is_directory("/proc/self")) GTEST_SKIP() << "this system has no /proc";
  // Where even root may not write, whatever the permissions say.
  EXPECT_THROWS_WITH(require_place_for_folder("/proc/projfgd"), FileError,
                     "/proc/projfgd: cannot make the folder");
}

TEST(Files, AKillLeavesNothingWhereAPlaceWasTried) {
  const TemporaryFolder folder;
  const int nameless = ::open(folder.path().c_str(), O_TMPFILE | O_WRONLY, 0600);
  if (nameless < 0) GTEST_SKIP() << "this file system has no files without a name";
  ::close(nameless);
  for (int k = 0; k < 20; ++k) {
    const pid_t child = ::fork();
    if (child == 0) {
      while (true) require_place_for_folder(folder / "new/below");
    }
    ::usleep(2000);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  EXPECT_EQ(files_in(folder.path()), 0U);
}

TEST(Files, AFolderInThePlaceOfAFileIsFoundBeforeItIsWritten) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "out/report.html");
  folder.file("out/trace.csv", "old");
  const std::vector<std::string> files = {"trace.csv", "new.csv"};
  EXPECT_NO_THROW(require_place_for_folder(folder / "out", files));
  EXPECT_NO_THROW(require_place_for_folder(folder / "new", {"report.html"}));
  EXPECT_THROWS_WITH(require_place_for_folder(folder / "out", {"trace.csv", "report.html"}),
                     FileError, "report.html: found a folder, expected a file or a new name");
  EXPECT_EQ(read_file(folder / "out/trace.csv"), "old");
  EXPECT_EQ(files_in(folder / "out"), 2U);
}

TEST(Files, AFullDeviceIsAnErrorAndStaysADevice) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  EXPECT_THROWS_WITH(write_file("/dev/full", "y"), FileError, "/dev/full");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST(Files, AShortWriteKeepsTheOldFileAndLeavesNoTemporary) {
  const TemporaryFolder folder;
  write_file(folder / "x", "old");
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROWS_WITH(write_file(folder / "x", std::string(2000, 'n')), FileError, "cannot write");
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(read_file(folder / "x"), "old");
  EXPECT_EQ(files_in(folder.path()), 1U);
}

TEST(Memory, MoreThanThereIsIsRefused) {
  EXPECT_GT(available_memory(), 0);
  EXPECT_NO_THROW(require_memory(1, "a byte"));
  EXPECT_THROWS_WITH(require_memory(1e30, "the moon"), ResourceError, "the moon");
}

}  // namespace
}  // namespace projfgd
