// The one way in which jobs run a solver: under the limits of the run, with its books and its
// progress.
#pragma once

#include <functional>

#include "jobs/common/stages.hpp"
#include "projfgd/jobs/methods.hpp"

namespace projfgd {

/// Where a stage may end before the tolerance of the run ends it.
struct StopRule {
  double objective_tolerance = 0;  ///< as in Options
  double least_gain = 0;           ///< as in Options
  /// Sees the rows of the stage one after the other; true once it has what it is for. What it knows
  /// must follow from these rows, which a run that is resumed shows to it again.
  std::function<bool(const TraceRow&)> enough = {};
};

/// A run of settings.method on a problem, in one or several stages: each begins at a point and is
/// worth what its caller makes of it. Together they keep to the limits of the settings and leave
/// one trace, one clock and one count of products.
///
///   StagedRun run(problem, settings);
///   run.take(run.from_start());
///   run.take(run.from(better_point));
///   return std::move(run).answer();
template <class S>
class StagedRun {
 public:
  using Objective = typename MethodCall<S>::Objective;

  /// Keeps references to both. Throws InputError for settings that make no sense and ResourceError
  /// when a factor of problem.rank columns would not fit in memory.
  StagedRun(const Problem<S>& problem, const RunSettings& settings);

  /// From settings.init, with problem.rank columns.
  Result<Matrix<S>> from_start(StopRule rule = {});
  /// From a given point of any rank.
  Result<Matrix<S>> from(Matrix<S> point, StopRule rule = {});
  /// From where a stage ended that was not taken; what comes out has the rows of both.
  Result<Matrix<S>> on_from(Result<Matrix<S>> before, StopRule rule = {});

  /// Makes what a stage found the answer. Stages that are not taken count and leave no rows.
  void take(Result<Matrix<S>> stage) { stages_.take(std::move(stage)); }
  /// Ends with a stage that did not converge, or with the answer so far where that is better.
  void stop(Result<Matrix<S>> stage);

  /// What was taken last, with the iterations and seconds of all stages.
  const Result<Matrix<S>>& result() const { return stages_.answer(); }
  Answer<S> answer() &&;

  /// For what is done between stages: the objective, whose products are counted, whether there is
  /// still time after so many seconds of it, and the seconds that it took.
  Objective& objective() { return f_; }
  bool may_go_on(double seconds) const;
  void spend(double seconds) { stages_.spend(seconds); }
  OracleCounts counts() const { return op_.counts(); }

  const RunSettings& settings() const { return settings_; }
  const Problem<S>& problem() const { return problem_; }

 private:
  using MakeStart = std::function<Start<Matrix<S>>(const RunObserver<S>&)>;
  Result<Matrix<S>> stage(const MakeStart& make_start, const StopRule& rule);
  Result<Matrix<S>> run_stage(const MakeStart& make_start, const StopRule& rule);
  Start<Matrix<S>> named_start(const RunObserver<S>& observer);

  const Problem<S>& problem_;
  const RunSettings& settings_;
  typename MethodCall<S>::Operator op_;       ///< of all measurements
  typename MethodCall<S>::Operator part_op_;  ///< of those of this process; counts with the other
  Objective f_;
  Stages<Matrix<S>> stages_;
  double smoothness_ = 0;  ///< of the first start, for those after it
};

}  // namespace projfgd
