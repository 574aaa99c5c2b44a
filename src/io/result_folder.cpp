#include "projfgd/io/result_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include "projfgd/core/error.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/io/listening.hpp"

namespace projfgd {
namespace {

namespace fs = std::filesystem;

/// A hidden list has the names of a run's files, one a line; hidden folders hold files that wait to
/// be published, inside the folder so that a rename is enough.
constexpr const char *list_prefix = ".projfgd-", *staging_prefix = ".projfgd-unfinished-";

[[noreturn]] void fail(const fs::path& path, const char* action, int error) {
  throw FileError(fmt::format("{}: cannot {}: {}", path.string(), action,
                              std::generic_category().message(error)));
}

/// Those of the list that are files in its folder; somebody may have written to the list.
std::vector<std::string> listed_files(const fs::path& list) {
  std::error_code error;
  const fs::file_status there = fs::status(list, error);
  if (there.type() == fs::file_type::none) fail(list, "read", error.value());  // it may be there
  if (!fs::is_regular_file(there)) return {};
  static const Interrupt never;
  const Listening deaf(never);  // what was found by the time of a signal is still to be written
  const std::string text = read_file(list);
  std::vector<std::string> names;
  for (std::size_t begin = 0, end = text.find('\n'); end != std::string::npos;
       begin = end + 1, end = text.find('\n', begin)) {
    const std::string_view name = std::string_view(text).substr(begin, end - begin);
    if (name.empty() || name.find('/') != std::string_view::npos) continue;
    const fs::file_status status = fs::symlink_status(list.parent_path() / name, error);
    const bool unknown = status.type() == fs::file_type::none;  // it may be there, and is to go
    if (fs::is_regular_file(status) || fs::is_symlink(status) || unknown) names.emplace_back(name);
  }
  return names;
}

void move_file(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) fail(to, "write", errno);
}

/// Moves files one by one, and back again where not all of them could be moved.
class Moves {
 public:
  Moves() = default;
  Moves(const Moves&) = delete;
  Moves& operator=(const Moves&) = delete;
  ~Moves() {
    for (auto move = done_.rbegin(); move != done_.rend(); ++move) {
      ::rename(move->second.c_str(), move->first.c_str());
    }
  }

  /// The error number, 0 for none.
  int move(const fs::path& from, const fs::path& to) {
    done_.emplace_back(from, to);  // before the move, which needs no memory then
    if (::rename(from.c_str(), to.c_str()) == 0) return 0;
    const int error = errno;
    done_.pop_back();
    return error;
  }
  void keep() { done_.clear(); }

 private:
  std::vector<std::pair<fs::path, fs::path>> done_;
};

[[noreturn]] void refuse_second_run(const fs::path& folder) {
  throw FileError(fmt::format(
      "{}: another run is writing to this folder; wait for it, or choose another folder",
      folder.string()));
}

/// What runs that were killed left half written.
void remove_unfinished(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> left;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const bool tried =
        name.starts_with(list_prefix) && name.ends_with(".tmp");  // is there a place?
    if (tried || name.starts_with(staging_prefix)) left.push_back(entry.path());
  }
  for (const fs::path& path : left) fs::remove_all(path, error);
}

/// Writes a file where nobody looks. What fails there is told of the file that the user knows.
void write_hidden(const fs::path& hidden, const fs::path& known,
                  const std::function<void(const fs::path&)>& write) {
  try {
    write(hidden);
  } catch (const FileError& error) {
    std::string text = error.what();
    if (const auto at = text.find(hidden.string()); at != std::string::npos) {
      text.replace(at, hidden.string().size(), known.string());
    }
    throw FileError(text);
  }
}

}  // namespace

class FolderLock {
 public:
  /// `made`: the folder is new, for a run that may come to nothing.
  FolderLock(fs::path folder, bool made) : folder_(std::move(folder)), made_(made) {
    // A run that came to nothing removes its folder with its lock; then it is made anew.
    do {
      if (descriptor_ >= 0) ::close(descriptor_);
      make_folder(folder_);
      descriptor_ = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      if (descriptor_ < 0 && errno != ENOENT) fail(folder_, "open", errno);
    } while (descriptor_ < 0 || !is_locked());
    remove_unfinished(folder_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock() {
    std::error_code error;
    if (made_ && is_ours()) fs::remove(folder_, error);  // only where it is empty
    ::close(descriptor_);
  }

  /// Not inherited from a process that has forked.
  bool is_ours() const { return process_ == ::getpid(); }
  void sync() const { ::fsync(descriptor_); }
  std::mutex publishing;  ///< for threads of this process

 private:
  /// Takes the lock; false where the folder of this name is another one by now.
  bool is_locked() {
    // Some network file systems know no locks; there two runs at once are the user's care.
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      ::close(descriptor_);
      refuse_second_run(folder_);
    }
    struct stat locked {};
    struct stat named {};
    return ::fstat(descriptor_, &locked) == 0 && ::stat(folder_.c_str(), &named) == 0 &&
           locked.st_dev == named.st_dev && locked.st_ino == named.st_ino;
  }

  fs::path folder_;
  pid_t process_ = ::getpid();
  int descriptor_ = -1;
  bool made_;
};

namespace {

/// Makes the folder and returns its path without links; `made` tells that it is new. A run that
/// comes to nothing removes the folder it made, at any moment: then it is made anew.
fs::path make_and_resolve(const fs::path& folder, bool& made) {
  std::error_code error;
  do {
    made = !fs::exists(folder, error);
    make_folder(folder);
    fs::path resolved = fs::weakly_canonical(folder, error);
    if (!error) return resolved;
  } while (error == std::errc::no_such_file_or_directory);
  fail(folder, "open", error.value());
}

/// The lock of the folder; one that this process has already only where it is `shared`.
std::shared_ptr<FolderLock> take_folder(const fs::path& folder, bool shared) {
  static std::mutex guard;
  static std::map<fs::path, std::weak_ptr<FolderLock>> taken;
  const std::lock_guard lock(guard);
  bool made = false;
  std::weak_ptr<FolderLock>& known = taken[make_and_resolve(folder, made)];
  if (auto ours = known.lock(); ours && ours->is_ours()) {
    if (!shared) refuse_second_run(folder);
    return ours;
  }
  auto fresh = std::make_shared<FolderLock>(folder, made);
  known = fresh;
  return fresh;
}

}  // namespace

std::shared_ptr<FolderLock> lock_folder(const fs::path& folder) {
  return take_folder(folder, false);
}

std::vector<fs::path> replaced_files(const fs::path& folder, const std::vector<std::string>& files,
                                     const std::string& kind) {
  std::vector<fs::path> replaced;
  for (const std::string& name : listed_files(folder / (list_prefix + kind))) {
    replaced.push_back(folder / name);
  }
  for (const std::string& name : files) replaced.push_back(folder / name);
  return replaced;
}

void put_beside_results(const fs::path& folder, const std::string& name,
                        const std::function<void(const fs::path&)>& write) {
  const fs::path hidden = folder / (staging_prefix + name);
  try {
    write_hidden(hidden, folder / name, write);
    move_file(hidden, folder / name);
  } catch (...) {
    std::error_code error;
    fs::remove(hidden, error);
    throw;
  }
}

ResultFolder::ResultFolder(const fs::path& folder, const std::string& kind)
    : folder_(folder), list_(list_prefix + kind), lock_(take_folder(folder, true)) {
  static std::atomic<unsigned> counter = 0;
  staging_ = folder_ / fmt::format("{}{}-{}", staging_prefix, ::getpid(), counter.fetch_add(1));
}

ResultFolder::~ResultFolder() {
  std::error_code error;
  fs::remove_all(staging_, error);
}

void ResultFolder::add(const std::string& name, std::string_view bytes) {
  add(name, [bytes](const fs::path& path) { write_file(path, bytes); });
}

void ResultFolder::add(const std::string& name, const std::function<void(const fs::path&)>& write) {
  make_folder(staging_);
  write_hidden(staging_ / name, folder_ / name, write);
  added_.push_back(name);
}

void ResultFolder::publish() {
  const std::lock_guard lock(lock_->publishing);
  std::string list;
  for (const std::string& name : added_) list += name + "\n";
  make_folder(staging_);
  write_file(staging_ / list_, list);
  added_.insert(added_.begin(), list_);
  std::error_code error;
  for (const std::string& name : added_) {  // before anything is taken away
    const fs::path path = folder_ / name;
    if (fs::is_directory(fs::symlink_status(path, error))) fail(path, "write", EISDIR);
  }
  std::vector<std::string> old = listed_files(folder_ / list_);
  old.insert(old.begin(), added_.begin(), added_.end());
  const fs::path before = staging_ / ".before";  // in case the new files cannot take their place
  make_folder(before);
  Moves moves;
  // The last first, and those of the earlier run before any other of the same name: a summary that
  // is there tells that all files of its run are.
  for (auto name = old.rbegin(); name != old.rend(); ++name) {
    const int failed = moves.move(folder_ / *name, before / *name);
    const bool is_gone = failed == 0 || failed == ENOENT || failed == ENAMETOOLONG;
    if (!is_gone) fail(folder_ / *name, "replace", failed);
  }
  lock_->sync();  // all of the old is gone before any of the new is there
  for (const std::string& name : added_) {
    const int failed = moves.move(staging_ / name, folder_ / name);
    if (failed != 0) fail(folder_ / name, "write", failed);
  }
  lock_->sync();
  moves.keep();
  added_.clear();
}

}  // namespace projfgd
