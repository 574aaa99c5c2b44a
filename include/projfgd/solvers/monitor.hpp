// The book-keeping every solver shares: clock, trace, stopping rules, observers.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
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

inline constexpr const char* broken_projection = "the projection of a point is not finite";

/// Whether f fell to minus infinity, by its last finite value and the size that U had there.
inline bool falls_without_bound(double value, double size, double start_size) {
  constexpr double far_out = 1e20;
  return value < 0 && size > far_out * start_size;
}

/// Short steps say little of the distance to go. Looks at points `trial` much farther along the
/// descent direction -d, from a tenth of the size of U down to `shortest`, until is_lower() is true
/// of one; false where it is true of none.
template <Factor F, class IsLower>
bool is_lower_far_along(const F& u, const F& d, double shortest, F& trial,
                        const IsLower& is_lower) {
  const double unit = norm(u) / norm(d);
  for (double length = 0.1; length > shortest; length /= 10) {
    trial = u;
    axpy(static_cast<RealOf<F>>(-length * unit), d, trial);
    if (is_lower()) return true;
  }
  return false;
}

/// The best of the points from which f rose, for a method whose steps may be too long.
template <Factor F>
struct BestPoint {
  F point = {};
  double value = std::numeric_limits<double>::infinity();
  Index iteration = 0;

  /// Keeps the point of that iteration if none is better so far.
  void keep(const F& u, double f, Index at) {
    if (!(f < value)) return;
    point = u;
    value = f;
    iteration = at;
  }
  void keep(Archive& archive) { archive(point, value, iteration); }
};

/// The point that an objective remembers, as part of a solver's variables. One that does not name
/// it is asked again for its value there.
template <Objective O>
struct Remembered {
  O& f;
  const typename O::Factor& point;

  void keep(Archive& archive) {
    if constexpr (requires { f.keep(archive); }) {
      f.keep(archive);
    } else if (archive.reads()) {
      f.at(point);
    }
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
    sound_ = options_.keeper == nullptr || !options_.keeper->has_ended();
    const TraceRow row{iteration_++, watch_.seconds(), objective, relative_change, nan};
    if (options_.keep_trace) trace_.push_back(row);
    const Decision wish = decision(observer_(Snapshot<F>{factor, row}));
    // What has converged is not cut short, so that a run which is resumed from a row that does not
    // end it has nothing left to decide there.
    if (wish == Decision::enough)
      return stop(Status::converged, "the callback has what it asked for");
    if (row.iteration > 0 && settled <= options_.tolerance) {
      return stop(Status::converged, "the relative change fell below the tolerance");
    }
    const double lost = std::max(options_.objective_tolerance * objective, options_.least_gain);
    if (levelling_.add(objective, lost) && settled <= calm) {
      return stop(Status::converged, "further improvement would be smaller than the noise");
    }
    if (wish == Decision::stop) {
      if (options_.keeper != nullptr) options_.keeper->note_end();
      return stop(Status::interrupted, by_caller);
    }
    return is_at_limit(row.iteration);
  }

  /// Whether another iteration follows, given what record() said. The variables are all that it
  /// depends on beside the problem: a keeper saves them when it is time or when the run is cut
  /// short, and at the first call of a run that is resumed they become those that were saved.
  template <class... Variables>
  bool goes_on(bool stop, Variables&&... variables) {
    if (options_.keeper == nullptr) return !stop;
    Keeper& keeper = *options_.keeper;
    const auto all = [&](Archive& archive) {
      archive(watch_, iteration_, levelling_, trace_, variables...);
    };
    if (keeper.restore(all)) return !is_at_limit(iterations());
    if (sound_ && (stop ? is_cut_short() : keeper.is_due())) keeper.save(all);
    return !stop;
  }

  /// For solvers that may be long inside an iteration: false once the time is over, or the caller
  /// wants the end. stop_early() then says which of the two.
  bool in_time() const { return may_go_on(options_, watch_.seconds()); }
  bool stop_early() {
    if (is_interrupted(options_)) return stop(Status::interrupted, by_caller);
    return stop(Status::time_limit, "the time limit was reached");
  }

  /// Ends the run for a reason only the solver can see; always true.
  bool stop(Status status, const char* message) {
    status_ = status;
    message_ = message;
    return true;
  }

  Status status() const { return status_; }
  /// Whether a limit or the caller ended it: a solver's own reasons to end at that point come
  /// first.
  bool is_cut_short() const { return projfgd::is_cut_short(status_); }
  Index iterations() const { return iteration_ > 0 ? iteration_ - 1 : 0; }

  Result<F> result(F factor, double objective,
                   double projected_gradient = std::numeric_limits<double>::quiet_NaN()) {
    return {std::move(factor),  status_,          message_,         iterations(), objective,
            projected_gradient, watch_.seconds(), std::move(trace_)};
  }

  /// Of a run whose answer is not its last point.
  Result<F> earlier_result(BestPoint<F> best) {
    Result<F> out = result(std::move(best.point), best.value);
    out.message += "; the answer is that of iteration " + std::to_string(best.iteration) +
                   ", where the objective was lowest";
    return out;
  }

 private:
  /// On a long slope f falls slowly while X still goes far: no end is near.
  static constexpr double calm = 1e-4;

  bool is_at_limit(Index iteration) {
    if (iteration >= options_.max_iterations) {
      if (options_.keeper != nullptr) options_.keeper->note_iteration_limit();
      return stop(Status::iteration_limit, "the iteration limit was reached");
    }
    return !in_time() && stop_early();
  }

  static constexpr const char* by_caller = "stopped on request";

  const Options& options_;
  O& observer_;
  Stopwatch watch_;
  Index iteration_ = 0;
  Levelling<5> levelling_;
  Status status_ = Status::iteration_limit;
  const char* message_ = "";
  std::vector<TraceRow> trace_;
  bool sound_ = true;  ///< nothing was cut short before the last record()
};

}  // namespace projfgd
