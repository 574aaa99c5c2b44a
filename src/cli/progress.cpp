#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "messages.hpp"
#include "projfgd/io/report.hpp"

namespace projfgd {
namespace {

constexpr double redraw_seconds = 0.1;
constexpr int bar_width = 20;
bool drawn = false;

/// Follows log(relative change), which falls about linearly to log(tolerance).
class Bar {
 public:
  explicit Bar(const Options& options) : options_(options) {}

  void operator()(const TraceRow& row) {
    if (row.iteration == 0) last_drawn_ = 0;  // another run, whose clock begins anew
    if (row.iteration == 1) first_ = row;
    if (row.seconds - last_drawn_ < redraw_seconds) return;
    last_drawn_ = row.seconds;
    const double fraction = done(row);
    const auto filled = static_cast<std::size_t>(fraction * bar_width);
    const double rate = static_cast<double>(row.iteration) / row.seconds;
    std::string left = "--";
    if (fraction > 0.02) {
      left = format_seconds(std::round((row.seconds - first_.seconds) * (1 / fraction - 1)));
    }
    std::string line =
        fmt::format("[{:<{}}] iteration {}  objective {:.4g}  {:.3g}/s  {} left",
                    std::string(filled, '#'), bar_width, row.iteration, row.objective, rate, left);
    const std::size_t width = terminal_width(STDERR_FILENO);
    if (width > 0) line.resize(std::min(line.size(), width - 1));  // never a second line
    fmt::print(stderr, "\r\x1b[K{}", line);
    std::fflush(stderr);
    drawn = true;
  }

 private:
  /// The part of the run behind us by whichever rule ends it first.
  double done(const TraceRow& row) const {
    const double limit = static_cast<double>(std::max<Index>(options_.max_iterations, 1));
    double fraction =
        std::max(static_cast<double>(row.iteration) / limit, row.seconds / options_.time_limit);
    if (row.iteration > 1 && options_.tolerance > 0) {
      const double way = std::log(first_.relative_change / options_.tolerance);
      const double gone = std::log(first_.relative_change / row.relative_change);
      if (way > 0 && std::isfinite(gone)) fraction = std::max(fraction, gone / way);
    }
    return std::clamp(fraction, 0.0, 1.0);
  }

  Options options_;
  TraceRow first_{};
  double last_drawn_ = 0;
};

}  // namespace

std::function<void(const TraceRow&)> progress_bar(const Options& options) {
  if (::isatty(STDERR_FILENO) == 0) return {};
  return Bar(options);
}

void end_progress_bar() {
  if (drawn) std::fputs("\r\x1b[K", stderr);
  drawn = false;
}

}  // namespace projfgd
