#include "projfgd/core/threads.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "projfgd/core/error.hpp"
#include "projfgd/core/thread_limit.hpp"

namespace projfgd {
namespace {

/// How long a thread looks for work, or for the end of a loop, before it sleeps. Waking a thread
/// takes some 10 us, so a longer look saves little; on a core that others want too, looking takes
/// their time and ours.
constexpr std::chrono::microseconds longest_look{50};

/// Returns when the value is no longer `old`, most likely.
template <class T>
void wait_for_change(const std::atomic<T>& value, T old) {
  const auto end = std::chrono::steady_clock::now() + longest_look;
  while (std::chrono::steady_clock::now() < end) {
    if (value.load() != old) return;
  }
  value.wait(old);
}

/// What this thread chose, 0: nothing yet; and whether a user asked for that number, who then does
/// not get another one silently.
thread_local int chosen = 0;
thread_local bool asked_for = false;

/// As many threads as the system has let us start, once it refused more.
std::atomic<int> granted = most_threads;

/// The threads of the program besides the one that begins a loop. A loop does not need them: those
/// that come take iterations that nobody has taken yet, and only those are waited for. On a busy
/// machine, where a thread may be kept from its core for milliseconds, few loops wait for it.
class Team {
 public:
  /// Returns false, and does nothing, while another loop runs.
  bool run(Index count, int members, FunctionRef<void(Index)> body) {
    const std::unique_lock lock(running_, std::try_to_lock);
    if (!lock) return false;
    members = grow(members);
    for (int id = 0; id < members; ++id) {
      shares_[id].next = count * id / members;
      shares_[id].end = count * (id + 1) / members;
    }
    body_ = &body;
    members_ = members;
    ++round_;  // open
    round_.notify_all();
    take_part(0);
    ++round_;  // closed: nobody joins from here on
    for (int inside = inside_; inside != 0; inside = inside_) wait_for_change(inside_, inside);
    if (failed_.test()) {
      failed_.clear();
      std::rethrow_exception(std::exchange(error_, nullptr));
    }
    return true;
  }

  /// Whether this thread is inside a loop.
  static bool is_inside() { return inside_loop; }

 private:
  /// Iterations that one member begins with; the others help when they have done their own.
  struct alignas(64) Share {
    std::atomic<Index> next;
    Index end;
  };

  /// Starts the threads that are missing. Where the system refuses some, throws if the user asked
  /// for their number, and else returns how many members there are.
  int grow(int members) {
    if (members > capacity_) {
      shares_ = std::make_unique<Share[]>(static_cast<std::size_t>(members));
      capacity_ = members;
    }
    try {
      while (started_ + 1 < members) {
        std::thread([this, id = started_ + 1] { work(id); }).detach();
        ++started_;
      }
    } catch (const std::system_error&) {
      if (asked_for) refuse();
      granted = started_ + 1;
      return granted;
    }
    return members;
  }

  [[noreturn]] void refuse() const {
    throw ResourceError(fmt::format(
        "--threads: found {}, expected at most {}: the system does not allow this process more",
        chosen, started_ + 1));
  }

  [[noreturn]] void work(int id) {
    for (unsigned seen = 0;;) {
      wait_for_change(round_, seen);
      seen = round_;
      if (!is_open(seen)) continue;
      ++inside_;  // before the second look: a loop that is seen open now waits for this thread
      if (is_open(round_) && id < members_) take_part(id);
      if (--inside_ == 0) inside_.notify_one();
    }
  }

  void take_part(int id) {
    inside_loop = true;
    for (int k = 0; k < members_; ++k) {
      Share& share = shares_[(id + k) % members_];
      for (Index i = share.next++; i < share.end; i = share.next++) call(i);
    }
    inside_loop = false;
  }

  void call(Index i) {
    try {
      (*body_)(i);
    } catch (...) {
      if (!failed_.test_and_set()) error_ = std::current_exception();
    }
  }

  static bool is_open(unsigned round) { return round % 2 == 1; }

  static thread_local bool inside_loop;
  std::mutex running_;               ///< held by the thread whose loop it is
  std::atomic<unsigned> round_ = 0;  ///< odd while a loop is open to members
  std::atomic<int> inside_ = 0;      ///< members that are, or may be, in the loop
  std::unique_ptr<Share[]> shares_;  ///< one a member
  const FunctionRef<void(Index)>* body_ = nullptr;
  int capacity_ = 0, started_ = 0, members_ = 0;
  std::atomic_flag failed_;
  std::exception_ptr error_;
};

thread_local bool Team::inside_loop = false;

/// Never destroyed: its threads may sleep in it until the process ends.
Team& team() {
  static Team& the_team = *new Team;
  return the_team;
}

/// The threads of the team do not live on in the child of a fork: a child has one thread, its own.
std::atomic<bool> forked = false;
[[maybe_unused]] const int watching_forks = pthread_atfork(nullptr, nullptr, [] { forked = true; });

/// One per core that the process may use.
int cores() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

/// What the environment asks for in the way that is common to programs with threads.
int threads_at_start() {
  const char* const text = std::getenv("OMP_NUM_THREADS");
  if (text == nullptr) return cores();
  const std::string_view number(text);
  int count = 0;
  std::from_chars(number.data(), number.data() + number.size(), count);
  return count > 0 ? std::min(count, most_threads) : cores();
}

}  // namespace

void set_threads(int count) {
  if (count > most_threads) {
    throw InputError(fmt::format("--threads: found {}, expected at most {}", count, most_threads));
  }
  chosen = count > 0 ? count : cores();
  asked_for = count > 0;
}

int threads() {
  static const int at_start = threads_at_start();
  if (forked) return 1;
  if (asked_for) return chosen;
  return std::min<int>(chosen > 0 ? chosen : at_start, granted);
}

void parallel_for(Index count, FunctionRef<void(Index k)> body) {
  const int members = static_cast<int>(std::min<Index>(count, threads()));
  const bool alone = members <= 1 || Team::is_inside();
  if (!alone && team().run(count, members, body)) return;
  for (Index k = 0; k < count; ++k) body(k);
}

}  // namespace projfgd
