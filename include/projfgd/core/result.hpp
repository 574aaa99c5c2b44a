#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "projfgd/concepts.hpp"
#include "projfgd/core/archive.hpp"

namespace projfgd {

/// `stalled`: the method makes no more progress but has not converged: f does not decrease along
/// its negative gradient, or the iterates go round in a circle.
enum class Status { converged, iteration_limit, time_limit, interrupted, stalled, diverged };

constexpr std::string_view to_string(Status status) {
  switch (status) {
    case Status::converged:
      return "converged";
    case Status::iteration_limit:
      return "iteration_limit";
    case Status::time_limit:
      return "time_limit";
    case Status::interrupted:
      return "interrupted";
    case Status::stalled:
      return "stalled";
    case Status::diverged:
      break;
  }
  return "diverged";
}

/// Whether a limit or the caller ended a run that could have gone on.
constexpr bool is_cut_short(Status status) {
  return status == Status::interrupted || status == Status::iteration_limit ||
         status == Status::time_limit;
}

/// One row of trace.csv. `relative_error` is not a number where the truth is unknown.
struct TraceRow {
  Index iteration;
  double seconds;
  double objective;
  double relative_change;  ///< ||X_t - X_{t-1}||_F / ||X_t||_F
  double relative_error;
};

/// Numbers of expensive operations; a product with k columns counts once.
struct OracleCounts {
  Index forward = 0;
  Index adjoint = 0;
};

/// What a solver returns.
template <Factor F>
struct Result {
  F factor;  ///< U: the answer is X = U U^H
  Status status = Status::iteration_limit;
  std::string message;  ///< why it stopped, in a sentence
  Index iterations = 0;
  double objective = 0;
  /// ||U - P_C(U - gamma G)||_F / gamma at the answer; not a number where nothing computed it.
  double projected_gradient = std::numeric_limits<double>::quiet_NaN();
  double seconds = 0;
  std::vector<TraceRow> trace = {};
  Index eigenproblems = 0;  ///< how often eigenvectors were asked for, where the method needs them
  /// A bound on f(X) - f* that the method itself carries; not a number where it has none.
  double gap = std::numeric_limits<double>::quiet_NaN();
};

template <Factor F>
void keep(Archive& archive, Result<F>& result) {
  archive(result.factor, result.status, result.message, result.iterations, result.objective,
          result.projected_gradient, result.seconds, result.trace, result.eigenproblems,
          result.gap);
}

/// What an observer sees after every iteration.
template <Factor F>
struct Snapshot {
  const F& factor;
  TraceRow row;  ///< an observer that knows the truth may compute the error of `factor`
};

}  // namespace projfgd
