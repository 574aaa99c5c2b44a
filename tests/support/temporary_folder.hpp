// A folder that lives as long as a test.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace projfgd::test {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    static std::atomic<int> counter = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("projfgd-test-" + std::to_string(::getpid()) + "-" + std::to_string(counter++));
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

  /// Writes bytes as they are and returns the path.
  std::filesystem::path file(std::string_view name, std::string_view bytes) const {
    std::ofstream out(path_ / name, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

/// Expects the statement to throw `Error` with a message that contains `part`.
#define EXPECT_THROWS_WITH(statement, Error, part)                     \
  try {                                                                \
    statement;                                                         \
    ADD_FAILURE() << "expected " #Error " about \"" << (part) << "\""; \
  } catch (const Error& error) {                                       \
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) \
        << "the message was: " << error.what();                        \
  }

}  // namespace projfgd::test
