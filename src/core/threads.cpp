#include "projfgd/core/threads.hpp"

#include <omp.h>
#include <pthread.h>

#include <atomic>

namespace projfgd {
namespace {

/// The threads of OpenMP do not live on in the child of a fork, but OpenMP waits for them: a child
/// has one thread, its own.
std::atomic<bool> forked = false;

[[maybe_unused]] const int watching_forks = pthread_atfork(nullptr, nullptr, [] {
  forked = true;
  omp_set_num_threads(1);
});

}  // namespace

void set_threads(int count) {
  if (forked) count = 1;
  omp_set_num_threads(count > 0 ? count : omp_get_num_procs());
}

int threads() { return omp_get_max_threads(); }

}  // namespace projfgd
