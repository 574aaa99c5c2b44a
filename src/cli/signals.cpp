#include "signals.hpp"

#include <csignal>

namespace projfgd {
namespace {

std::atomic<int> received = 0;
static_assert(std::atomic<int>::is_always_lock_free, "set from a signal handler");

}  // namespace

const std::atomic<int>& interrupt_flag() { return received; }

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = [](int signal) { received.store(signal); };
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGXFSZ, SIG_IGN);  // a file over the size limit is then an error of write()
}

}  // namespace projfgd
