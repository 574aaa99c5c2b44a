#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "messages.hpp"
#include "projfgd/io/report.hpp"

namespace projfgd {
namespace {

constexpr double redraw_seconds = 0.1;
constexpr int bar_width = 20;
const std::string erase = "\r\x1b[K";
bool drawn = false;
std::string stage_now;  // as the line, one for the program

void draw(std::string line) {
  const std::size_t width = terminal_width(STDERR_FILENO);
  if (width > 0) line.resize(std::min(line.size(), width - 1));  // never a second line
  write_stream(STDERR_FILENO, erase + line);
  drawn = true;
}

/// Follows log(relative change), which falls about linearly to log(tolerance). A run that consists
/// of stages tells them by name instead, because the end of one is not the end of the run.
class Bar {
 public:
  explicit Bar(const Options& options) : options_(options) {}

  void operator()(const TraceRow& row) {
    if (row.iteration == 0) begin(row);
    if (row.iteration == 1) second_ = row;
    if (row.seconds - last_drawn_ < redraw_seconds) return;
    last_drawn_ = row.seconds;
    draw(stage_now.empty()
             ? bar(row) + numbers(row) + left_in_words(row)
             : stage_now + ": " + numbers(row) + "  " + format_seconds(std::round(row.seconds)));
  }

 private:
  /// Another run, or another attempt in it: its iterations are counted anew.
  void begin(const TraceRow& row) {
    first_ = row;
    if (row.seconds < last_drawn_) last_drawn_ = 0;
    early_ = late_ = {};
  }

  std::string bar(const TraceRow& row) const {
    const auto filled = static_cast<std::size_t>(done(row) * bar_width);
    return fmt::format("[{:<{}}] ", std::string(filled, '#'), bar_width);
  }

  /// What is known of the iteration.
  std::string numbers(const TraceRow& row) const {
    std::string line = fmt::format("iteration {}", row.iteration);
    if (std::isfinite(row.objective)) line += fmt::format("  objective {:.4g}", row.objective);
    const double seconds = row.seconds - first_.seconds;
    if (row.iteration > 0 && seconds > 0) {
      line += fmt::format("  {:.3g}/s", static_cast<double>(row.iteration) / seconds);
    }
    return line;
  }

  /// Empty until the end is foreseen at about the time at which it was foreseen half of the way
  /// ago.
  std::string left_in_words(const TraceRow& row) {
    constexpr double alike = 1.25;
    const double fraction = done(row), gone = row.seconds - second_.seconds;
    if (!(fraction > 0) || !(gone > 0)) return "";
    const Forecast now{gone, gone / fraction};
    if (now.made >= 2 * late_.made) early_ = std::exchange(late_, now);
    const double ratio = now.end / early_.end;
    if (!(ratio < alike && ratio > 1 / alike)) return "";
    return fmt::format("  {} left", format_seconds(std::round(now.end - gone)));
  }

  /// The part of the run behind us by whichever rule ends it first.
  double done(const TraceRow& row) const {
    const double limit = static_cast<double>(std::max<Index>(options_.max_iterations, 1));
    double fraction =
        std::max(static_cast<double>(row.iteration) / limit, row.seconds / options_.time_limit);
    if (row.iteration > 1 && options_.tolerance > 0) {
      const double way = std::log(second_.relative_change / options_.tolerance);
      const double gone = std::log(second_.relative_change / row.relative_change);
      if (way > 0 && std::isfinite(gone)) fraction = std::max(fraction, gone / way);
    }
    return std::clamp(fraction, 0.0, 1.0);
  }

  /// When it was made, and the end as it saw it, in seconds.
  struct Forecast {
    double made = 0, end = 0;
  };

  Options options_;
  TraceRow first_{}, second_{};  ///< iterations 0 and 1
  Forecast early_, late_;
  double last_drawn_ = 0;
};

}  // namespace

std::function<void(const TraceRow&)> progress_bar(const Options& options) {
  if (::isatty(STDERR_FILENO) == 0) return {};
  return Bar(options);
}

void show_stage(const std::string& stage) {
  if (stage == stage_now || is_silent()) return;
  stage_now = stage;
  draw(stage);
}

void end_progress_bar() {
  if (drawn) write_stream(STDERR_FILENO, erase);
  drawn = false;
}

}  // namespace projfgd
