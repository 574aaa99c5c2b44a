#include "support/allocations.hpp"

#include <atomic>

#if PROJFGD_COUNT_ALLOCATIONS

namespace {
std::atomic<std::size_t> count = 0, largest = 0;

void note(std::size_t size) {
  ++count;
  std::size_t before = largest;
  while (before < size && !largest.compare_exchange_weak(before, size)) {
  }
}
}  // namespace

// glibc lets a program bring its own malloc; these count and pass on to the one of the library.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t number, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  note(size);
  return __libc_malloc(size);
}
void* calloc(std::size_t number, std::size_t size) {
  note(number * size);
  return __libc_calloc(number, size);
}
void* realloc(void* block, std::size_t size) {
  note(size);
  return __libc_realloc(block, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  note(size);
  return __libc_memalign(alignment, size);
}
}

std::size_t projfgd::test::allocations() { return count; }
std::size_t projfgd::test::largest_allocation() { return largest.exchange(0); }

#else

std::size_t projfgd::test::allocations() { return 0; }
std::size_t projfgd::test::largest_allocation() { return 0; }

#endif
