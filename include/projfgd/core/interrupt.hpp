#pragma once

#include <functional>

#include "projfgd/core/error.hpp"

namespace projfgd {

/// True once the user wants the work to end; asked often, on the thread that called. Empty: never.
using Interrupt = std::function<bool()>;

inline bool is_interrupted(const Interrupt& interrupt) { return interrupt && interrupt(); }

/// Throws where the user wants work to end of which a part is worth nothing.
inline void stop_if(const Interrupt& interrupt) {
  if (is_interrupted(interrupt)) throw InterruptedError("interrupted: nothing was written");
}

}  // namespace projfgd
