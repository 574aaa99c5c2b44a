#pragma once

#include <functional>

#include "projfgd/core/error.hpp"

namespace projfgd {

/// True once the user wants to stop; called often, on the calling thread. Empty means never.
using Interrupt = std::function<bool()>;

inline bool is_interrupted(const Interrupt& interrupt) { return interrupt && interrupt(); }

/// Throws if the user wants to stop work whose unfinished result is useless.
inline void stop_if(const Interrupt& interrupt) {
  if (is_interrupted(interrupt)) throw InterruptedError("interrupted: nothing was written");
}

}  // namespace projfgd
