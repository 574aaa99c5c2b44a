#include "projfgd/io/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include "projfgd/core/error.hpp"
#include "projfgd/core/memory.hpp"
#include "projfgd/io/listening.hpp"

namespace projfgd {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const char* action, int error = errno) {
  throw FileError(fmt::format("{}: cannot {}: {}", path.string(), action,
                              std::generic_category().message(error)));
}

/// Bytes that are read before the user is listened to again, a thousandth of a second's worth.
constexpr std::size_t most_at_once = std::size_t{1} << 20;

/// An open file that closes itself.
class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags) : value_(::open(path.c_str(), flags, 0666)) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  bool good() const { return value_ >= 0; }
  int get() const { return value_; }
  bool close() {
    const int old = std::exchange(value_, -1);
    return old < 0 || ::close(old) == 0;
  }

 private:
  int value_;
};

/// Does not wait for the other end of a pipe: read_some() does.
Descriptor open_to_read(const fs::path& path) {
  while (true) {
    Descriptor file(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file.good()) return file;
    if (errno != EINTR) fail(path, "open");
  }
}

/// The number of bytes that were read; 0 at the end. Whoever waits for a pipe looks up now and
/// then: a signal may come just before a wait, or to another thread.
std::size_t read_some(const Descriptor& file, char* bytes, std::size_t most, const fs::path& path) {
  constexpr int look_milliseconds = 50;
  while (true) {
    Listening::look_now();
    pollfd there{file.get(), POLLIN, 0};
    if (::poll(&there, 1, look_milliseconds) <= 0) continue;
    const ssize_t count = ::read(file.get(), bytes, most);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR && errno != EAGAIN) fail(path, "read");
  }
}

/// Writes every piece and brings them to the disk. Throws FileError naming `path`.
void write_all(Descriptor& file, const std::function<void(const Put&)>& produce,
               const fs::path& path, bool sync) {
  produce([&](std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(path, "write");
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  });
  // EINVAL: a pipe or a terminal
  if (sync && ::fsync(file.get()) != 0 && errno != EINVAL) fail(path, "write");
  if (!file.close()) fail(path, "write");
}

}  // namespace

std::string read_file(const fs::path& path) {
  const Descriptor file = open_to_read(path);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) fail(path, "read");
  std::string bytes;
  if (S_ISREG(info.st_mode)) {
    require_memory(static_cast<double>(info.st_size), path.string());
    bytes.reserve(static_cast<std::size_t>(info.st_size) + 1);
  }
  std::size_t used = 0;
  while (true) {
    if (used == bytes.size()) {
      bytes.resize(std::max(bytes.capacity(), bytes.size() + (std::size_t{1} << 16)));
    }
    const std::size_t most = std::min(bytes.size() - used, most_at_once);
    const std::size_t count = read_some(file, bytes.data() + used, most, path);
    if (count == 0) break;
    used += count;
  }
  bytes.resize(used);
  return bytes;
}

void read_pieces(const fs::path& path, const std::function<void(std::string_view)>& take) {
  const Descriptor file = open_to_read(path);
  std::string piece(most_at_once, '\0');
  while (const std::size_t count = read_some(file, piece.data(), piece.size(), path)) {
    take(std::string_view(piece).substr(0, count));
  }
}

std::string read_start(const fs::path& path, std::size_t most) {
  const Descriptor file = open_to_read(path);
  std::string bytes(most, '\0');
  std::size_t used = 0;
  while (used < most) {
    const std::size_t count = read_some(file, bytes.data() + used, most - used, path);
    if (count == 0) break;
    used += count;
  }
  bytes.resize(used);
  return bytes;
}

void write_file(const fs::path& path, std::string_view bytes) {
  write_pieces(path, [bytes](const Put& put) { put(bytes); });
}

void write_pieces(const fs::path& path, const std::function<void(const Put&)>& produce, bool sync) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    // A device or a pipe: there is no old content to keep, and renaming would replace the device.
    Descriptor file(path, O_WRONLY | O_CLOEXEC);
    if (!file.good()) fail(path, "write");
    write_all(file, produce, path, sync);
    return;
  }
  static std::atomic<unsigned> counter = 0;
  const fs::path file_of_link = fs::canonical(path, ignored);  // empty where there is none
  const fs::path& target = file_of_link.empty() ? path : file_of_link;
  const fs::path temporary =
      target.string() + fmt::format(".{}-{}.tmp", ::getpid(), counter.fetch_add(1));
  Descriptor file(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC);
  if (!file.good()) fail(path, "write");
  try {
    write_all(file, produce, path, sync);
    if (::rename(temporary.c_str(), target.c_str()) != 0) fail(path, "write");
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  if (!sync) return;
  Descriptor folder(target.has_parent_path() ? target.parent_path() : fs::path("."),
                    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder.good()) ::fsync(folder.get());
}

namespace {

/// Throws where the path leads to a file; `name` is what the user calls it.
void refuse_file(const fs::path& path, const fs::path& name) {
  std::error_code error;
  if (!fs::exists(path, error) || fs::is_directory(path, error)) return;
  throw FileError(fmt::format("{}: found a file, expected a folder or a new name", name.string()));
}

}  // namespace

void require_place_for_folder(const fs::path& path, const std::vector<std::string>& files) {
  std::error_code error;
  for (const std::string& name : files) {
    if (!fs::is_directory(path / name, error)) continue;  // another file is replaced
    throw FileError(
        fmt::format("{}: found a folder, expected a file or a new name", (path / name).string()));
  }
  fs::path there = fs::absolute(path, error).lexically_normal();
  if (there.filename().empty()) there = there.parent_path();  // of "folder/"
  refuse_file(there, path);
  const auto is_missing = [&] {
    return fs::symlink_status(there, error).type() == fs::file_type::not_found;
  };
  int failed = 0;
  do {  // again where another run takes its folder away at this moment
    while (is_missing() && there.has_relative_path()) there = there.parent_path();
    // Permissions do not tell: of root, of what is mounted to be read, of /proc. So try it, with a
    // file that has no name, and that a kill therefore does not leave there.
    const Descriptor nameless(there, O_TMPFILE | O_WRONLY | O_CLOEXEC);
    if (nameless.good()) return;
    failed = errno;
  } while (failed == ENOENT && is_missing() && there.has_relative_path());
  if (failed != EOPNOTSUPP && failed != EISDIR) fail(path, "make the folder", failed);
  // Some file systems have no such files.
  const fs::path tried = there / fmt::format(".projfgd-{}.tmp", ::getpid());
  if (::mkdir(tried.c_str(), 0777) != 0) fail(path, "make the folder");
  ::rmdir(tried.c_str());
}

std::string sentence(const fs::filesystem_error& error) {
  return fmt::format("{}: cannot open: {}", error.path1().string(), error.code().message());
}

void make_folder(const fs::path& path) {
  std::error_code error;
  refuse_file(path, path);
  fs::create_directories(path, error);
  if (error) fail(path, "make the folder", error.value());
}

}  // namespace projfgd
