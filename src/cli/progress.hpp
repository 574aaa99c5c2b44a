#pragma once

#include <functional>

#include "projfgd/core/options.hpp"
#include "projfgd/core/result.hpp"

namespace projfgd {

/// A line on standard error that follows a run: iteration, objective, rate, time left. Empty when
/// standard error is not a terminal.
std::function<void(const TraceRow&)> progress_bar(const Options& options);

/// Wipes that line, if there is one.
void end_progress_bar();

}  // namespace projfgd
