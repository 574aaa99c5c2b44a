#include "state_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "projfgd/core/small_matrix.hpp"
#include "projfgd/measures/noise.hpp"
#include "projfgd/solvers/levelling.hpp"
#include "projfgd/starts/random.hpp"
#include "stages.hpp"

namespace projfgd {
namespace {

constexpr int most_escapes = 5;
constexpr double poor_ratio = 2;           // of the residual to what noise explains
constexpr double poor_share = 1e-2;        // of the data left unexplained, noise unknown
constexpr double exact_share = 1e-14;      // left unexplained by an exact fit
constexpr double worthwhile = 0.99;        // of the objective before
constexpr double deviations_of_noise = 3;  // in the test of another rank
constexpr Index most_automatic_rank = 64;
constexpr double rough_gain = 0.1;  // per parameter added, on the way to a larger rank

/// Options that stop where noise hides the rest, unless a sharper tolerance than usual is asked
/// for. A full-rank likelihood has one maximum, and people compare it with other programs' to the
/// last digit.
template <class S>
Options options_under_noise(const RunSettings& settings, const Problem<S>& problem,
                            const Noise<S>& noise, Index rank) {
  Options options = settings.options;
  const Index n = problem.op.rows();
  if (options.tolerance < Options{}.tolerance) return options;
  if (problem.loss.quadratic()) {
    options.objective_tolerance = tolerance_under_noise(parameters(n, rank), noise.data);
  } else if (noise.likelihood && rank < n) {
    options.least_gain = gain_under_noise(parameters(n, rank));
  }
  return options;
}

/// For fits that only have to tell whether a larger rank is called for.
Options rough_options(const RunSettings& settings, Index n) {
  Options options = settings.options;
  options.least_gain = rough_gain * parameters(n, 1);
  return options;
}

/// Noise alone lowers twice the objective, in units of its variance, by about one for each
/// parameter added; the best direction of many by up to twice that.
double gain_by_noise(Index n, Index rank) {
  const double added = parameters(n, rank + 1) - parameters(n, rank);
  return 2 * added + deviations_of_noise * std::sqrt(2 * added);
}

/// Of what f fell: what may be left to gain where a fit is near its end.
constexpr double left_over = 0.05;

/// What of the objective may be left to gain where a rank is compared with the one before.
double quick_gain(Index n, Index rank) { return left_over * gain_by_noise(n, rank) / 2; }

/// Sees in the rows of a fit that it comes to its end: what is left to gain is less than a share of
/// what f fell, or than `least`. f falls from a given value, or from that of the first row.
std::function<bool(const TraceRow&)> near_the_end(double least, double from = std::nan("")) {
  return [=, levelling = Levelling<3>()](const TraceRow& row) mutable {
    if (std::isnan(from)) from = row.objective;
    return levelling.add(row.objective, std::max(least, left_over * (from - row.objective)));
  };
}

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
    const double value = f_.at(u);
    EigenOptions eigen;
    eigen.seed = settings_.options.seed;
    using Map = GradientMap<typename MethodCall<S>::Objective>;
    const Map gradient{f_};
    const auto low = largest_eigenpairs(Negated<Map>{gradient}, extra, eigen);
    const double size = norm(u);
    Matrix<S> wide(u.rows(), u.cols() + low.vectors.cols());
    for (double b = 0.5; b > 1e-9; b /= 4) {
      wide.leftCols(u.cols()) = u * static_cast<RealOf<S>>(std::sqrt(1 - b));
      wide.rightCols(low.vectors.cols()) =
          low.vectors *
          static_cast<RealOf<S>>(size * std::sqrt(b / static_cast<double>(low.vectors.cols())));
      if (f_.at(wide) < value) return wide;
    }
    return {};
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

/// A first fit that only has to tell whether its rank is too small.
template <class S>
Answer<S> quick_solve(const Problem<S>& problem, const RunSettings& settings) {
  const Index n = problem.op.rows();
  RunSettings run = settings;
  run.options = rough_options(settings, n);
  run.enough = near_the_end(quick_gain(n, problem.rank));
  return solve_problem(problem, run);
}

/// The best approximation of U U^H with fewer columns.
template <class S>
Matrix<S> compressed(const Matrix<S>& u, Index rank) {
  return u * hermitian_eigen(gram(u, u)).vectors.rightCols(rank).rowwise().reverse();
}

bool is_automatic(const RunSettings& settings) {
  return settings.options.step == StepRule::automatic &&
         (settings.method == "projfgd" || settings.method == "fgd");
}

/// The fit is far above what noise explains.
template <class S>
bool is_poor(const Noise<S>& noise, const Result<Matrix<S>>& result) {
  if (noise.misfit) return noise.misfit(result.factor) > poor_ratio;
  return noise.size > 0 && result.objective > poor_share * noise.size;
}

/// Adds one column after the other while that improves the fit by more than noise explains. Under a
/// likelihood the ranks on the way are fitted only as far as it takes to tell that they are too
/// small; the last is fitted to the end, and so is the one below it where it was not, for what is
/// not at its end looks worse beside one more column than it is.
template <class S>
class RankSearch {
 public:
  RankSearch(const Problem<S>& problem, const RunSettings& settings, const Noise<S>& noise)
      : noise_(noise),
        n_(problem.op.rows()),
        hurry_(noise.likelihood),
        again_(problem, settings, noise,
               hurry_ ? quick_solve(problem, settings) : solve_once(problem, settings, noise)),
        settled_(!hurry_) {}

  StateAnswer<S> run() {
    std::string reason;
    while (converged(result())) {
      reason = obstacle();
      if (reason.empty() && grow(reason)) continue;
      if (settled_) break;
      settle();
    }
    if (converged(result())) shrink(reason);
    const bool stopped = !converged(result());
    std::string note = fmt::format("rank {}: {}", result().factor.cols(),
                                   stopped ? "ended before the search was done" : reason);
    return {std::move(again_).answer(), std::move(note)};
  }

 private:
  const Result<Matrix<S>>& result() const { return again_.result(); }
  static bool converged(const Result<Matrix<S>>& r) { return r.status == Status::converged; }

  /// Why no larger rank is tried.
  std::string obstacle() const {
    const Index rank = result().factor.cols();
    if (rank == n_) return "the full rank";
    if (rank == most_automatic_rank) return "the largest that is tried; ask for more with --rank";
    if (result().objective <= exact_share * noise_.size) return "the fit is exact";
    if (noise_.likelihood || parameters(n_, rank + 1) < noise_.determined) return "";
    return "the data do not determine more";
  }

  /// Takes a fit of one more column if noise does not explain what it gains; else says so. True
  /// also where a limit or the user ended it.
  bool grow(std::string& reason) {
    Matrix<S> wide = again_.lifted(result().factor, 1);
    if (wide.size() == 0) {
      reason = "no direction improves the fit";
      return false;
    }
    Result<Matrix<S>> next = again_.run(std::move(wide), hurry_ ? Effort::quick : Effort::full);
    if (hurry_ && converged(next) && !is_gain(result(), next)) {
      if (!settled_) settle();
      if (!converged(result())) return true;
      next = again_.run_on(std::move(next), Effort::rough);
      if (converged(next) && is_close(next)) {
        next = again_.run_on(std::move(next), Effort::full);
      }
    }
    if (!converged(next)) {
      again_.stop(std::move(next));
      return true;
    }
    if (!is_gain(result(), next)) {
      reason = improvement(result(), next);
      return false;
    }
    called_for_ = settled_;
    settled_ = !hurry_;
    again_.take(std::move(next));
    return true;
  }

  void settle() {
    again_.take(again_.run(result().factor));
    settled_ = true;
  }

  /// Leaves columns out that are not called for.
  void shrink(std::string& reason) {
    while (!called_for_ && result().factor.cols() > 1) {
      Result<Matrix<S>> lower = again_.run(compressed(result().factor, result().factor.cols() - 1));
      if (!converged(lower)) return again_.stop(std::move(lower));
      if (is_gain(lower, result())) return;
      reason = improvement(lower, result());
      again_.take(std::move(lower));
    }
  }

  /// Twice the objective of a rank less that of the next, in units of the noise's variance.
  double gain(const Result<Matrix<S>>& rank, const Result<Matrix<S>>& next) const {
    const double free = noise_.data - parameters(n_, next.factor.cols());
    return 2 * (rank.objective - next.objective) /
           (noise_.likelihood ? 1 : 2 * next.objective / free);
  }
  bool is_gain(const Result<Matrix<S>>& rank, const Result<Matrix<S>>& next) const {
    return gain(rank, next) > gain_by_noise(n_, rank.factor.cols());
  }
  /// A little more would make it one.
  bool is_close(const Result<Matrix<S>>& next) const {
    return !is_gain(result(), next) &&
           gain(result(), next) > gain_by_noise(n_, result().factor.cols()) / 2;
  }
  std::string improvement(const Result<Matrix<S>>& rank, const Result<Matrix<S>>& next) const {
    return fmt::format("one more improves the fit by {:.3g}, noise explains {:.3g}",
                       gain(rank, next), gain_by_noise(n_, rank.factor.cols()));
  }

  const Noise<S>& noise_;
  Index n_;
  bool hurry_;  ///< ranks on the way are not fitted to the end
  Continuation<S> again_;
  bool settled_;            ///< the answer so far is fitted to the end
  bool called_for_ = true;  ///< and gains on one of lower rank that was
};

}  // namespace

template <class S>
Answer<S> solve_once(const Problem<S>& problem, const RunSettings& settings,
                     const Noise<S>& noise) {
  RunSettings run = settings;
  run.options = options_under_noise(settings, problem, noise, problem.rank);
  return solve_problem(problem, run);
}

template <class S>
StateAnswer<S> solve_state(const Problem<S>& problem, const RunSettings& settings,
                           const Noise<S>& noise) {
  Answer<S> once = solve_once(problem, settings, noise);
  const Index n = problem.op.rows(), rank = problem.rank;
  if (!is_poor(noise, once.result) || rank == n || !is_automatic(settings) ||
      once.result.status != Status::converged) {
    return {std::move(once), ""};
  }
  const double first = once.result.objective;
  Continuation<S> again(problem, settings, noise, std::move(once));
  const Result<Matrix<S>>& result = again.result();
  int fruitless = 0;
  for (int attempt = 0; attempt < most_escapes && fruitless < 2 && is_poor(noise, result);
       ++attempt) {
    const Index wide = std::min(n, 2 * rank + 1);
    Matrix<S> start = attempt == 0 ? again.lifted(result.factor, wide - rank)
                                   : again.random(wide, settings.options.seed + attempt);
    if (start.size() == 0) continue;
    Result<Matrix<S>> wider = again.run(std::move(start));
    Result<Matrix<S>> found = again.run(compressed(wider.factor, rank));
    const bool stopped = found.status != Status::converged;
    const bool better = found.objective < worthwhile * result.objective;
    if (better) {
      again.take(std::move(wider));
      again.take(std::move(found));
    } else if (stopped) {
      again.stop(std::move(found));
    }
    fruitless = better ? 0 : fruitless + 1;
    if (stopped) break;
  }
  std::string note;
  if (result.objective < worthwhile * first) {
    note = fmt::format("left a local minimum: the objective fell from {:.3g} to {:.3g}", first,
                       result.objective);
  }
  return {std::move(again).answer(), note};
}

template <class S>
StateAnswer<S> solve_any_rank(Problem<S> problem, const RunSettings& settings,
                              const Noise<S>& noise) {
  problem.rank = 1;
  if (is_automatic(settings)) return RankSearch<S>(problem, settings, noise).run();
  return {solve_once(problem, settings, noise),
          "rank 1: only the step rule auto can grow the rank"};
}

#define PROJFGD_INSTANTIATE(S)                                                                 \
  template Answer<S> solve_once(const Problem<S>&, const RunSettings&, const Noise<S>&);       \
  template StateAnswer<S> solve_state(const Problem<S>&, const RunSettings&, const Noise<S>&); \
  template StateAnswer<S> solve_any_rank(Problem<S>, const RunSettings&, const Noise<S>&);

PROJFGD_INSTANTIATE(std::complex<float>)
PROJFGD_INSTANTIATE(std::complex<double>)

}  // namespace projfgd
