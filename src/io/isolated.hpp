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

}  // namespace projfgd
