#pragma once

#include <functional>
#include <string>

#include "projfgd/core/options.hpp"
#include "projfgd/core/result.hpp"

namespace projfgd {

/// A line on standard error that follows a run: iteration, objective and rate, and the time left
/// where that can be told. Empty when standard error is not a terminal.
std::function<void(const TraceRow&)> progress_bar(const Options& options);

/// What the run that the line follows does now, in words.
void show_stage(const std::string& stage);

/// Wipes that line, if there is one.
void end_progress_bar();

}  // namespace projfgd
