// Runs of a solver that go on where others ended, on the way to a state.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "jobs/common/stages.hpp"
#include "jobs/tomography/noise_policy.hpp"
#include "projfgd/starts/random.hpp"

namespace projfgd {

/// How far a fit goes: `quick` until the rank can be compared with the one before, `rough` until
/// nothing is left that could call for this rank, `full` to the end.
enum class Effort { quick, rough, full };

/// Runs of the solver after the first, on the same problem from given points, at any rank.
template <class S>
class Continuation {
 public:
  Continuation(const Problem<S>& problem, const RunSettings& settings, const Noise<S>& noise,
               Answer<S> first)
      : problem_(problem),
        settings_(settings),
        noise_(noise),
        first_(std::move(first)),
        op_(problem.op),
        f_(op_, problem.loss) {
    take(stages_.entered(std::move(first_.result)));
  }

  /// Minimises from U; time and iterations go on where the stage before ended.
  Result<Matrix<S>> run(Matrix<S> start, Effort effort = Effort::full) {
    std::vector<TraceRow> rows;
    RunSettings stage = settings_;
    if (settings_.progress) {
      stage.progress = [&](const TraceRow& row) { settings_.progress(stages_.in_run(row)); };
    }
    if (effort == Effort::quick) {
      const double least = quick_gain(start.rows(), result().factor.cols());
      stage.enough = near_the_end(least, result().objective);
    }
    RunObserver<S> observer(stage, problem_.error, rows);
    const Options options = effort == Effort::full
                                ? options_under_noise(settings_, problem_, noise_, start.cols())
                                : rough_options(settings_, start.rows());
    MethodCall<S> call{
        problem_, op_, f_, {}, remaining(options, result().iterations, result().seconds), observer};
    call.options.keep_trace = false;
    call.start = [&] { return Start<Matrix<S>>{std::move(start), first_.smoothness}; };
    Result<Matrix<S>> found = run_method(settings_.method, call);
    observer.settle(found);
    found.trace = std::move(rows);
    found.seconds = observer.seconds();
    return stages_.entered(std::move(found));
  }

  /// Goes on from where a run ended that was not taken; what comes out has the rows of both.
  Result<Matrix<S>> run_on(Result<Matrix<S>> before, Effort effort) {
    Result<Matrix<S>> after = run(std::move(before.factor), effort);
    after.trace.insert(after.trace.begin(), before.trace.begin(), before.trace.end());
    return after;
  }

  /// Makes what a run found the answer. Runs whose results are not taken leave no rows.
  void take(Result<Matrix<S>> found) { stages_.take(std::move(found)); }

  /// Ends with a run that did not converge, or with the answer so far where that is better.
  void stop(Result<Matrix<S>> found) {
    if (found.objective < result().objective) return take(std::move(found));
    stages_.answer().status = found.status;
    stages_.answer().message = found.message;
  }

  const Result<Matrix<S>>& result() const { return stages_.answer(); }

  Answer<S> answer() && {
    first_.result = std::move(stages_.answer());
    first_.counts.forward += op_.counts().forward;
    first_.counts.adjoint += op_.counts().adjoint;
    return std::move(first_);
  }

  /// [sqrt(1-b) U, sqrt(b tr X) V / sqrt k]: weight moved to the k lowest eigenvectors of the
  /// gradient, as much as still decreases f. Empty when no b does.
  Matrix<S> lifted(const Matrix<S>& u, Index extra) {
    const Stopwatch watch;
    const double value = f_.at(u), left = settings_.options.time_limit - result().seconds;
    EigenOptions eigen;
    eigen.seed = settings_.options.seed;
    eigen.go_on = [&] { return watch.seconds() < left && !is_interrupted(settings_.interrupt); };
    using Map = GradientMap<typename MethodCall<S>::Objective>;
    const Map gradient{f_};
    const auto low = largest_eigenpairs(Negated<Map>{gradient}, extra, eigen);
    const double size = norm(u);
    Matrix<S> wide(u.rows(), u.cols() + low.vectors.cols()), found;
    for (double b = 0.5; b > 1e-9; b /= 4) {
      wide.leftCols(u.cols()) = u * static_cast<RealOf<S>>(std::sqrt(1 - b));
      wide.rightCols(low.vectors.cols()) =
          low.vectors *
          static_cast<RealOf<S>>(size * std::sqrt(b / static_cast<double>(low.vectors.cols())));
      if (f_.at(wide) < value || !eigen.go_on()) {  // then the next run ends at once and says why
        found = std::move(wide);
        break;
      }
    }
    stages_.spend(watch.seconds());
    return found;
  }

  Matrix<S> random(Index rank, std::uint64_t seed) { return random_start(f_, rank, seed).factor; }

 private:
  const Problem<S>& problem_;
  const RunSettings& settings_;
  const Noise<S>& noise_;
  Answer<S> first_;
  Stages<Matrix<S>> stages_;
  typename MethodCall<S>::Operator op_;
  typename MethodCall<S>::Objective f_;
};

}  // namespace projfgd
