#include "signals.hpp"

#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <ctime>

namespace projfgd {
namespace {

std::atomic<int> received = 0;
std::atomic<std::int64_t> received_at = 0;
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "set from a signal handler");

std::int64_t monotonic_seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

/// The first signal asks for an orderly end. A second one ends the program at once, unless it comes
/// so soon that it is the same one: schedulers and timeout(1) signal a process and its group.
void on_signal(int signal) {
  constexpr std::int64_t same_signal = 3;
  const std::int64_t now = monotonic_seconds();
  if (received.load() == 0) {
    received_at.store(now);
    received.store(signal);
  } else if (now - received_at.load() >= same_signal) {
    _exit(128 + signal);
  }
}

}  // namespace

const std::atomic<int>& interrupt_flag() { return received; }

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = 0;  // a signal ends a read that waits for a pipe
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    // nohup, and a shell that starts us in the background, want some of them to have no effect.
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
  std::signal(SIGXFSZ, SIG_IGN);  // a file over the size limit is then an error of write()
}

}  // namespace projfgd
