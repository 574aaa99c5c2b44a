// Work that may crash on a damaged file, in a process of its own.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "projfgd/core/function_ref.hpp"

namespace projfgd {

using Send = std::function<void(std::string_view)>;

/// Runs `work` in a child process, and here `take` with each piece of bytes that it sends. A
/// library that damaged bytes lead astray then ends the child and not the program. Throws the
/// InputError, FileError or ResourceError of the work, InputError with `crashed` where the child
/// ends in another way, ResourceError where no process can be made, and InterruptedError when the
/// user does not want to wait (Listening).
void run_isolated(FunctionRef<void(const Send&)> work, FunctionRef<void(std::string_view)> take,
                  const std::string& crashed);

/// For the work of run_isolated: from here on it may take so many bytes more than it has, and so
/// many seconds of processor time in all. What it asks for beyond is refused, and beyond the time
/// it ends.
void limit_isolated(double bytes, double seconds);

}  // namespace projfgd
