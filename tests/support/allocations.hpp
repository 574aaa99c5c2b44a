// Counts what the program takes from the heap, through whatever library.
#pragma once

#include <cstddef>

namespace projfgd::test {

/// Blocks taken from the heap so far; 0 for ever under a sanitizer, which has a heap of its own.
std::size_t allocations();

}  // namespace projfgd::test
