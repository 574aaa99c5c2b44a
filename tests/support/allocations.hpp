// Counts what the program takes from the heap, through whatever library.
#pragma once

#include <features.h>

#include <cstddef>

namespace projfgd::test {

// Sanitizers have a heap of their own.
#if defined(__has_feature)
#define PROJFGD_HAS_FEATURE(x) __has_feature(x)
#else
#define PROJFGD_HAS_FEATURE(x) 0
#endif
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !PROJFGD_HAS_FEATURE(address_sanitizer) && !PROJFGD_HAS_FEATURE(thread_sanitizer) &&     \
    !PROJFGD_HAS_FEATURE(memory_sanitizer)
inline constexpr bool counts_allocations = true;
#define PROJFGD_COUNT_ALLOCATIONS 1
#else
inline constexpr bool counts_allocations = false;
#define PROJFGD_COUNT_ALLOCATIONS 0
#endif

/// Blocks taken from the heap so far; 0 where they are not counted.
std::size_t allocations();

/// The bytes of the largest block taken since this was last called; 0 likewise.
std::size_t largest_allocation();

}  // namespace projfgd::test
