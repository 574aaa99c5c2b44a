#pragma once

#include <atomic>

namespace projfgd {

/// Makes SIGINT and SIGTERM set the flag instead of ending the program; a second one ends it.
void catch_signals();

/// The number of the signal that came, or 0.
const std::atomic<int>& interrupt_flag();

inline bool is_signalled() { return interrupt_flag() != 0; }

}  // namespace projfgd
