#include "jobs/common/staged_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "jobs/common/shared_solve.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/threads.hpp"
#include "projfgd/jobs/place.hpp"
#include "projfgd/starts/random.hpp"

namespace projfgd {
namespace {

/// The options of a stage that begins now.
template <class F>
Options stage_options(const RunSettings& settings, const StopRule& rule, const Result<F>& so_far) {
  Options options = remaining(options_of(settings), so_far.iterations, so_far.seconds);
  options.objective_tolerance = std::max(options.objective_tolerance, rule.objective_tolerance);
  options.least_gain = std::max(options.least_gain, rule.least_gain);
  options.keep_trace = false;  // the observer keeps one, with the errors
  return options;
}

/// Whether the objective of the run is that of this process's part of the measurements.
template <class S>
bool is_split(const Problem<S>& problem) {
  return problem.op.part() && problem.loss.part();
}

/// The ranks that share the factors of a run as well as its measurements.
template <class S>
const Ranks& sharing_ranks(const Problem<S>& problem, const RunSettings& settings) {
  const bool shared = std::is_same_v<S, std::complex<double>> && is_split(problem) &&
                      is_worth_sharing(problem.op.rows(), problem.rank);
  return shared ? *settings.ranks : alone();
}

template <class S>
void require_finite_answer(Result<Matrix<S>>& result) {
  if (all_finite(result.factor) && std::isfinite(result.objective)) return;
  if (result.status != Status::diverged) result.message = "the iterates are no longer finite";
  result.status = Status::diverged;
}

}  // namespace

template <class S>
StagedRun<S>::StagedRun(const Problem<S>& problem, const RunSettings& settings)
    : problem_(problem),
      settings_(settings),
      op_(problem.op),
      part_op_(is_split(problem) ? op_.of(*problem.op.part()) : op_),
      f_(part_op_, is_split(problem) ? *problem.loss.part() : problem.loss) {
  validate_rank(problem.rank, problem.op.rows());
  require_solver_memory(problem.op.rows(), problem.op.measurements(), problem.rank, is_complex<S>,
                        settings);
  validate(settings.options);
  set_threads(settings.threads);
}

template <class S>
Start<Matrix<S>> StagedRun<S>::named_start(const RunObserver<S>& observer) {
  const Options& options = settings_.options;
  const Index rank = problem_.rank;
  if (settings_.init == start_name::spectral) {
    EigenOptions eigen = start_accuracy(options.seed);
    eigen.go_on = [&] { return may_go_on(observer.seconds()); };
    Start<Matrix<S>> start;
    piece(
        settings_.journal, "start",
        [&] {
          if (const PlacedProblem<S>* placed = problem_.elsewhere()) {
            start = placed->spectral_start(op_, rank, options.smoothness, eigen);
            return;
          }
          if constexpr (std::is_same_v<S, std::complex<double>>) {
            const Ranks& ranks = sharing_ranks(problem_, settings_);
            if (!ranks.is_alone()) {
              start = spectral_start_on_ranks(f_, ranks, rank, options.smoothness, eigen);
              return;
            }
          }
          start = spectral_start(f_, rank, options.smoothness, eigen);
        },
        start.factor, start.smoothness, op_);
    return start;
  }
  if (settings_.init == start_name::random) return random_start(f_, rank, options.seed);
  if (problem_.start.cols() != rank) {
    throw InputError(fmt::format("{}: found {} columns, expected the rank {}, or another --rank",
                                 settings_.init, problem_.start.cols(), rank));
  }
  return {problem_.start, options.smoothness};
}

template <class S>
Result<Matrix<S>> StagedRun<S>::stage(const MakeStart& make_start, const StopRule& rule) {
  Result<Matrix<S>> found;
  piece(
      settings_.journal, "stage", [&] { found = run_stage(make_start, rule); }, found, smoothness_,
      op_);
  return stages_.entered(std::move(found));
}

template <class S>
Result<Matrix<S>> StagedRun<S>::run_stage(const MakeStart& make_start, const StopRule& rule) {
  std::vector<TraceRow> rows;
  RunSettings shown = settings_;
  if (settings_.progress) {
    shown.progress = [&](const TraceRow& row) { settings_.progress(stages_.in_run(row)); };
  }
  RunObserver<S> observer(shown, problem_.error, rows);
  MethodCall<S> call{problem_, op_, f_, {}, stage_options(settings_, rule, result()), {}};
  call.ranks = &sharing_ranks(problem_, settings_);
  call.observer = [&](const Snapshot<Matrix<S>>& now) {
    if (is_resuming(settings_.journal)) return Decision::go_on;  // these rows are known
    const bool wanted = observer(now);
    if (rule.enough && rule.enough(rows.back())) return Decision::enough;
    return wanted ? Decision::go_on : Decision::stop;
  };
  std::optional<StageKeeper> keeper;
  if (settings_.journal != nullptr) {
    const auto books = [&](Archive& archive) {
      archive(observer, smoothness_, op_);
      if (!archive.reads() || !rule.enough) return;
      for (const TraceRow& row : rows) rule.enough(row);  // which is how it learnt what it knows
    };
    call.options.keeper = &keeper.emplace(*settings_.journal, books, true);
  }
  call.start = [&] {
    Start<Matrix<S>> start = make_start(observer);
    smoothness_ = start.smoothness;
    call.options.time_limit = time_left(call.options.time_limit, observer.seconds());
    return start;
  };
  Result<Matrix<S>> found = run_method(settings_.method, call);
  found.trace = std::move(rows);
  found.seconds = observer.seconds();
  require_finite_answer<S>(found);
  return found;
}

template <class S>
Result<Matrix<S>> StagedRun<S>::from_start(StopRule rule) {
  return stage([this](const RunObserver<S>& observer) { return named_start(observer); }, rule);
}

template <class S>
Result<Matrix<S>> StagedRun<S>::from(Matrix<S> point, StopRule rule) {
  return stage(
      [&](const RunObserver<S>&) {
        return Start<Matrix<S>>{std::move(point), smoothness_};
      },
      rule);
}

template <class S>
Result<Matrix<S>> StagedRun<S>::on_from(Result<Matrix<S>> before, StopRule rule) {
  Result<Matrix<S>> after = from(std::move(before.factor), std::move(rule));
  after.trace.insert(after.trace.begin(), before.trace.begin(), before.trace.end());
  return after;
}

template <class S>
void StagedRun<S>::stop(Result<Matrix<S>> stage) {
  if (stage.objective < result().objective) return take(std::move(stage));
  stages_.answer().status = stage.status;
  stages_.answer().message = std::move(stage.message);
}

template <class S>
bool StagedRun<S>::may_go_on(double seconds) const {
  return projfgd::may_go_on(options_of(settings_), result().seconds + seconds);
}

template <class S>
Answer<S> StagedRun<S>::answer() && {
  return {std::move(stages_.answer()), op_.counts()};
}

template <class S>
Answer<S> solve_problem(const Problem<S>& problem, const RunSettings& settings) {
  StagedRun<S> run(problem, settings);
  run.take(run.from_start());
  return std::move(run).answer();
}

#define PROJFGD_INSTANTIATE_SCALAR(S) \
  template class StagedRun<S>;        \
  template Answer<S> solve_problem(const Problem<S>&, const RunSettings&);
PROJFGD_INSTANTIATE_SCALAR(float)
PROJFGD_INSTANTIATE_SCALAR(double)
PROJFGD_INSTANTIATE_SCALAR(std::complex<float>)
PROJFGD_INSTANTIATE_SCALAR(std::complex<double>)
#undef PROJFGD_INSTANTIATE_SCALAR

}  // namespace projfgd
