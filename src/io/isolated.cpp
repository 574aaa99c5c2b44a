#include "io/isolated.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <new>

#include "projfgd/core/error.hpp"
#include "projfgd/io/listening.hpp"

namespace projfgd {
namespace {

/// What a message of the child is. Without `done` at its end the child crashed.
enum class Kind : std::uint64_t { piece, input_error, file_error, resource_error, done };

struct Head {
  Kind kind = Kind::done;
  std::uint64_t size = 0;
};

// In the child -----------------------------------------------------------------------------------

/// Ends the child where nobody listens any more.
void write_all(int to, const void* data, std::size_t size) {
  const char* from = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t count = ::write(to, from, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) ::_exit(1);
    from += count;
    size -= static_cast<std::size_t>(count);
  }
}

void write_message(int to, Kind kind, std::string_view bytes) {
  const Head head{kind, bytes.size()};
  write_all(to, &head, sizeof head);
  write_all(to, bytes.data(), bytes.size());
}

/// A soft limit, which may be raised again.
void set_soft_limit(int resource, double value) {
  rlimit limit{};
  ::getrlimit(static_cast<__rlimit_resource>(resource), &limit);
  const double hard =
      limit.rlim_max == RLIM_INFINITY ? 0x1p62 : static_cast<double>(limit.rlim_max);
  limit.rlim_cur = static_cast<rlim_t>(std::min(value, hard));
  ::setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

/// Nothing of the parent's runs here but the work: not its handlers, nor what it does at its exit.
[[noreturn]] void run_child(int to, FunctionRef<void(const Send&)> work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  for (const int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU}) {
    std::signal(crash, SIG_DFL);
  }
  for (const int ours : {SIGINT, SIGTERM, SIGHUP}) std::signal(ours, SIG_IGN);
  try {
    work([to](std::string_view bytes) { write_message(to, Kind::piece, bytes); });
    write_message(to, Kind::done, {});
  } catch (const InputError& error) {
    write_message(to, Kind::input_error, error.what());
  } catch (const FileError& error) {
    write_message(to, Kind::file_error, error.what());
  } catch (const ResourceError& error) {
    write_message(to, Kind::resource_error, error.what());
  } catch (const std::bad_alloc&) {
    write_message(to, Kind::resource_error, "out of memory");
  } catch (...) {
  }
  ::_exit(0);
}

// In the parent ----------------------------------------------------------------------------------

class Child {
 public:
  explicit Child(FunctionRef<void(const Send&)> work) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw ResourceError("cannot open a pipe to read HDF5 files");
    from_ = ends[0];
    id_ = ::fork();
    if (id_ == 0) run_child(ends[1], work);
    ::close(ends[1]);
    if (id_ > 0) return;
    ::close(from_);
    throw ResourceError("cannot start the process that reads HDF5 files");
  }
  ~Child() {
    ::close(from_);
    ::kill(id_, SIGKILL);  // it is done, or nobody wants it to be
    while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// False where the child ended before.
  bool read(void* data, std::size_t size) const {
    char* to = static_cast<char*>(data);
    while (size > 0) {
      Listening::look_now();
      pollfd there{from_, POLLIN, 0};
      if (::poll(&there, 1, look_milliseconds) <= 0) continue;
      const ssize_t count = ::read(from_, to, size);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      to += count;
      size -= static_cast<std::size_t>(count);
    }
    return true;
  }

 private:
  static constexpr int look_milliseconds = 50;
  int from_ = -1;
  pid_t id_ = -1;
};

}  // namespace

void run_isolated(FunctionRef<void(const Send&)> work, FunctionRef<void(std::string_view)> take,
                  const std::string& crashed) {
  const Child child(work);
  Head head;
  std::string bytes;
  while (child.read(&head, sizeof head)) {
    bytes.resize(static_cast<std::size_t>(head.size));
    if (!child.read(bytes.data(), bytes.size())) break;
    switch (head.kind) {
      case Kind::piece:
        take(bytes);
        break;
      case Kind::input_error:
        throw InputError(bytes);
      case Kind::file_error:
        throw FileError(bytes);
      case Kind::resource_error:
        throw ResourceError(bytes);
      case Kind::done:
        return;
    }
  }
  throw InputError(crashed);
}

void limit_isolated(double bytes, double seconds) {
  double pages = 0;  // of the whole process, shared with the parent or not
  std::ifstream("/proc/self/statm") >> pages;
  if (pages > 0) {
    set_soft_limit(RLIMIT_AS, pages * static_cast<double>(::sysconf(_SC_PAGESIZE)) + bytes);
  }
  set_soft_limit(RLIMIT_CPU, std::max(seconds, 1.0));
}

}  // namespace projfgd
