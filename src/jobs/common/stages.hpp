// A run that is made of several runs of solvers.
#pragma once

#include <algorithm>
#include <utility>

#include "projfgd/core/options.hpp"
#include "projfgd/core/result.hpp"
#include "projfgd/core/stopwatch.hpp"

namespace projfgd {

/// What is left of the limits after so many iterations and seconds.
inline Options remaining(Options options, Index iterations, double seconds) {
  options.max_iterations = std::max<Index>(0, options.max_iterations - iterations);
  options.time_limit = time_left(options.time_limit, seconds);
  return options;
}

/// The books of stages that make one run. All of them count; those that are taken lead to the
/// answer, and only they leave rows.
template <Factor F>
class Stages {
 public:
  /// A row of the stage that runs now as one of the whole run.
  TraceRow in_run(TraceRow row) const {
    row.iteration += answer_.iterations;
    row.seconds += answer_.seconds;
    return row;
  }

  /// Counts a stage that ended. Its rows become those of the whole run; the first of a later stage
  /// is the point where the one before it ended, and goes.
  Result<F> entered(Result<F> stage) {
    if (begun_ && !stage.trace.empty()) stage.trace.erase(stage.trace.begin());
    for (TraceRow& row : stage.trace) row = in_run(row);
    answer_.iterations += stage.iterations;
    answer_.seconds += stage.seconds;
    begun_ = true;
    return stage;
  }

  /// Makes a stage that was entered the answer.
  void take(Result<F> stage) {
    stage.trace.insert(stage.trace.begin(), answer_.trace.begin(), answer_.trace.end());
    std::ranges::stable_sort(stage.trace, {}, &TraceRow::iteration);  // as they were run
    stage.iterations = answer_.iterations;
    stage.seconds = answer_.seconds;
    answer_ = std::move(stage);
  }

  /// Time between two stages.
  void spend(double seconds) { answer_.seconds += seconds; }

  void keep(Archive& archive) { archive(answer_, begun_); }

  bool begun() const { return begun_; }
  /// What was taken last, with the iterations and seconds of all stages.
  Result<F>& answer() { return answer_; }
  const Result<F>& answer() const { return answer_; }

 private:
  Result<F> answer_;
  bool begun_ = false;
};

}  // namespace projfgd
