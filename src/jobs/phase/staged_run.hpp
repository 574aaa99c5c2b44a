// One run of phase retrieval that is made of stages, with its limits and its trace.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jobs/common/stages.hpp"
#include "jobs/phase/attempt.hpp"
#include "projfgd/jobs/run.hpp"

namespace projfgd {

/// What one stage is for.
template <class F>
struct PhaseStage {
  const char* name;  ///< for people: "block passes"
  PointwiseLoss loss = PointwiseLoss::amplitude;
  double tolerance = -1;  ///< on the relative change; below 0: that of the run
  Index most = std::numeric_limits<Index>::max();  ///< iterations
  bool preparing = false;  ///< before the first iteration: it leaves no rows and counts for itself
  /// True where the stage has what it is for; empty: never. It goes by the rows alone, which a run
  /// that is resumed shows to it again.
  std::function<bool(const Snapshot<F>&)> has_enough = {};
  /// Names what the stage changes besides its result; empty: nothing.
  std::function<void(Archive&)> changes = {};
};

/// Runs stages one after the other within the limits of the settings, and keeps the rows of the
/// attempt that they belong to.
template <class F>
class PhaseRun {
 public:
  using Watch = std::function<Decision(const Snapshot<F>&)>;
  using Error = std::function<double(const F&)>;

  using Tell = std::function<void(const std::string&)>;

  /// The data are in units of unit^2, the time limit counts from the clock's start, and a run that
  /// comes to target_error, if that is above 0, has what was asked for.
  PhaseRun(const RunSettings& settings, Error error, double target_error, double unit,
           Stopwatch& clock, Tell tell = {})
      : settings_(settings),
        error_(std::move(error)),
        target_error_(target_error),
        unit_(unit),
        clock_(clock),
        tell_(std::move(tell)),
        observer_(settings, error_, trace_.rows) {}
  PhaseRun(const PhaseRun&) = delete;
  PhaseRun& operator=(const PhaseRun&) = delete;

  /// Names what all stages change besides: counts of products.
  void keep_also(std::function<void(Archive&)> books) { books_ = std::move(books); }

  void keep(Archive& archive) {
    archive(observer_, trace_.losses, stages_, iterations_, all_iterations_, status_, message_,
            had_enough_, reached_, over_, clock_);
    if (books_) books_(archive);
  }

  /// Where the run keeps what is done; null: nowhere.
  Journal* journal() const { return settings_.journal; }

  /// Rows count from 0 again; those so far are forgotten. The title is for people, "attempt 2: ".
  void begin_attempt(std::string title) {
    title_ = std::move(title);
    trace_.resize(0);
    iterations_ = 0;
    stages_.clear();
  }

  /// Tells a person what is done now.
  void announce(const std::string& what) const {
    if (tell_) tell_(title_ + what);
  }

  /// solve(options, watch) with what is left of the limits.
  template <class Solve>
  Result<F> stage(const PhaseStage<F>& stage, const Solve& solve) {
    Result<F> found;
    std::vector<TraceRow> seen;  // by has_enough
    const bool known = !piece(
        journal(), stage.name, [&] { found = run_stage(stage, solve, seen); }, found, *this,
        Changes{stage}, seen);
    if (known) show_again(stage, seen);
    return found;
  }

  /// Whether a limit, the user or the target ended the run, or a stage broke down.
  bool is_over() const { return over_; }
  /// How the run ended if it is over; else how the last stage did.
  Status status() const { return status_; }
  const std::string& message() const { return message_; }
  /// Whether the last stage came to the end of its method, not only to what it was for.
  bool has_converged() const { return status_ == Status::converged && !had_enough_; }
  bool reached_target() const { return reached_; }
  bool may_go_on() const { return projfgd::may_go_on(options_of(settings_), clock_.seconds()); }

  Index iterations() const { return iterations_; }  ///< of the attempt
  Index iterations_left() const { return settings_.options.max_iterations - all_iterations_; }
  const PhaseTrace& trace() const { return trace_; }
  double seconds() const { return observer_.seconds(); }
  /// "block passes, full steps"
  std::string stage_names() const {
    std::string all;
    for (const std::string& name : stages_) all += (all.empty() ? "" : ", ") + name;
    return all;
  }

  double tolerance() const { return settings_.options.tolerance; }
  double unit() const { return unit_; }
  double objective_unit(PointwiseLoss loss) const {
    return loss == PointwiseLoss::intensity ? std::pow(unit_, 4) : unit_ * unit_;
  }

  /// The books of the attempt so far.
  void note(Attempt<F>& attempt) const {
    attempt.trace = trace_;
    attempt.iterations = iterations_;
    attempt.method = stage_names();
  }
  /// Makes the rows of an attempt those of the run again, to go on with it.
  void resume(const Attempt<F>& attempt) {
    trace_ = attempt.trace;
    iterations_ = attempt.iterations;
    stages_ = {attempt.method};
  }

 private:
  struct Changes {
    const PhaseStage<F>& stage;
    void keep(Archive& archive) {
      if (stage.changes) stage.changes(archive);
    }
  };

  /// has_enough, or what it refers to, learns what it knows.
  static void show_again(const PhaseStage<F>& stage, const std::vector<TraceRow>& seen) {
    if (!stage.has_enough) return;
    for (const TraceRow& row : seen) stage.has_enough({F(), row});
  }

  template <class Solve>
  Result<F> run_stage(const PhaseStage<F>& stage, const Solve& solve, std::vector<TraceRow>& seen) {
    Options options = remaining(options_of(settings_), all_iterations_, clock_.seconds());
    const bool limit_ends_run = options.max_iterations <= stage.most && !stage.preparing;
    options.max_iterations = std::min(options.max_iterations, stage.most);
    options.keep_trace = false;
    if (stage.tolerance >= 0) options.tolerance = stage.tolerance;
    announce(stage.name);
    std::optional<StageKeeper> keeper;
    if (journal() != nullptr) {
      const auto books = [&](Archive& archive) {
        archive(*this, Changes{stage}, seen);
        if (archive.reads()) show_again(stage, seen);
      };
      options.keeper = &keeper.emplace(*journal(), books, limit_ends_run);
    }
    if (stage.preparing) {
      return solve(options, Watch([&](const auto&) {
                     return may_go_on() ? Decision::go_on : Decision::stop;
                   }));
    }
    if (stages_.empty() || stages_.back() != stage.name) stages_.emplace_back(stage.name);
    had_enough_ = false;
    const Index before = iterations_;
    const Watch watch = [&](const Snapshot<F>& now) {
      // The first point of a later stage is the last of the one before.
      if (now.row.iteration == 0 && !trace_.rows.empty()) return Decision::go_on;
      if (is_resuming(journal())) return Decision::go_on;  // these rows are known
      Snapshot<F> shown = now;
      shown.row.iteration += before;
      shown.row.objective *= objective_unit(stage.loss);
      if (!std::isfinite(shown.row.objective)) shown.row.objective = std::nan("");  // not known
      trace_.losses.push_back(stage.loss);
      const bool wanted = observer_(shown);
      reached_ = target_error_ > 0 && trace_.rows.back().relative_error <= target_error_;
      had_enough_ = !reached_ && stage.has_enough && stage.has_enough(now);
      if (keeper && stage.has_enough) seen.push_back(now.row);
      if (reached_ || had_enough_) return Decision::enough;
      return wanted ? Decision::go_on : Decision::stop;
    };
    Result<F> result = solve(options, watch);
    iterations_ += result.iterations;
    all_iterations_ += result.iterations;
    note_end(result);
    return result;
  }

  void note_end(const Result<F>& result) {
    status_ = result.status;
    message_ = result.message;
    if (reached_) {
      status_ = Status::converged;
      message_ = "the target error was reached";
    }
    over_ = reached_ || status_ == Status::interrupted || status_ == Status::time_limit ||
            status_ == Status::diverged || iterations_left() <= 0;
    if (iterations_left() <= 0 && status_ != Status::converged && status_ != Status::diverged &&
        status_ != Status::interrupted) {
      status_ = Status::iteration_limit;
      message_ = "the iteration limit was reached";
    }
  }

  const RunSettings& settings_;
  Error error_;
  double target_error_, unit_;
  Stopwatch& clock_;
  std::function<void(Archive&)> books_;
  Tell tell_;
  PhaseTrace trace_;
  RunObserver<typename F::Scalar, F> observer_;
  std::vector<std::string> stages_;
  std::string title_;
  Index iterations_ = 0, all_iterations_ = 0;
  Status status_ = Status::converged;
  std::string message_;
  bool had_enough_ = false, reached_ = false, over_ = false;
};

}  // namespace projfgd
