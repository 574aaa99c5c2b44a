// Ending a fit that others follow before it is at its end.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>

#include "projfgd/jobs/run.hpp"
#include "projfgd/solvers/levelling.hpp"

namespace projfgd {

/// Of what f fell: what may be left to gain where a fit is near its end.
inline constexpr double left_over = 0.05;

/// Sees in the rows of a fit that it comes to its end: what is left to gain is less than a share of
/// what f fell, or than `least`.
class NearTheEnd {
 public:
  /// f falls from a given value; from that of the first row where it is infinite.
  NearTheEnd(double from, double least) : from_(from), least_(least) {}

  bool operator()(double objective) {
    if (!std::isfinite(from_)) from_ = objective;
    return levelling_.add(objective, std::max(least_, left_over * (from_ - objective)));
  }

 private:
  double from_, least_;
  Levelling<3> levelling_;
};

/// Settings whose run ends when `end` says so, beside what ends it anyway.
class EarlyEnd {
 public:
  EarlyEnd(const RunSettings& settings, NearTheEnd end) : settings_(settings), end_(end) {}

  RunSettings settings() {
    RunSettings stage = settings_;
    stage.interrupt = &flag_;
    stage.progress = [this](const TraceRow& row) {
      if (settings_.progress) settings_.progress(row);
      if (end_(row.objective) || is_interrupted(settings_.interrupt)) flag_ = 1;
    };
    return stage;
  }

  /// An end that was asked for here is none that the user asked for.
  template <class S>
  void settle(Result<Matrix<S>>& result) const {
    const bool here = result.status == Status::interrupted && !is_interrupted(settings_.interrupt);
    if (here) result.status = Status::converged;
  }

 private:
  const RunSettings& settings_;
  NearTheEnd end_;
  std::atomic<int> flag_ = 0;
};

}  // namespace projfgd
