// The book-keeping every solver shares: clock, trace, stopping rules, observers.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "projfgd/core/options.hpp"
#include "projfgd/core/result.hpp"
#include "projfgd/core/stopwatch.hpp"
#include "projfgd/solvers/levelling.hpp"

namespace projfgd {

/// An observer that lets every run go on.
struct NoObserver {
  template <class Snapshot>
  bool operator()(const Snapshot&) const {
    return true;
  }
};

/// Collects the trace and decides when to stop.
template <Factor F, Observer<Snapshot<F>> O>
class Monitor {
 public:
  Monitor(const Options& options, O& observer) : options_(options), observer_(observer) {}

  /// Records the next iteration; true when the run must end, for the reason in status().
  bool record(const F& factor, double objective, double relative_change) {
    return record(factor, objective, relative_change, relative_change);
  }

  /// The same for solvers of which one short step says little: the trace has the step, and the
  /// rules look at `settled`, the longest of the last few or infinity.
  bool record(const F& factor, double objective, double relative_change, double settled) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const TraceRow row{iteration_++, watch_.seconds(), objective, relative_change, nan};
    if (options_.keep_trace) trace_.push_back(row);
    if (!observer_(Snapshot<F>{factor, row})) {
      return stop(Status::interrupted, "stopped by the caller");
    }
    if (row.iteration > 0 && settled <= options_.tolerance) {
      return stop(Status::converged, "the relative change of X fell below the tolerance");
    }
    const double lost = std::max(options_.objective_tolerance * objective, options_.least_gain);
    if (levelling_.add(objective, lost) && settled <= calm) {
      return stop(Status::converged, "what is left to gain is lost in the noise");
    }
    if (row.iteration >= options_.max_iterations) {
      return stop(Status::iteration_limit, "the iteration limit was reached");
    }
    if (row.seconds >= options_.time_limit) return stop_for_time();
    return false;
  }

  /// For solvers that may be long inside an iteration.
  bool in_time() const { return watch_.seconds() < options_.time_limit; }
  bool stop_for_time() { return stop(Status::time_limit, "the time limit was reached"); }

  /// Ends the run for a reason only the solver can see; always true.
  bool stop(Status status, const char* message) {
    status_ = status;
    message_ = message;
    return true;
  }

  Status status() const { return status_; }
  Index iterations() const { return iteration_ > 0 ? iteration_ - 1 : 0; }

  Result<F> result(F factor, double objective,
                   double projected_gradient = std::numeric_limits<double>::quiet_NaN()) {
    return {std::move(factor),  status_,          message_,         iterations(), objective,
            projected_gradient, watch_.seconds(), std::move(trace_)};
  }

 private:
  /// On a long slope f falls slowly while X still goes far: no end is near.
  static constexpr double calm = 1e-4;

  const Options& options_;
  O& observer_;
  Stopwatch watch_;
  Index iteration_ = 0;
  Levelling<5> levelling_;
  Status status_ = Status::iteration_limit;
  const char* message_ = "";
  std::vector<TraceRow> trace_;
};

}  // namespace projfgd
