#include "state_solver.hpp"

#include <fmt/format.h>

#include <cmath>

#include "projfgd/core/small_matrix.hpp"
#include "projfgd/measures/noise.hpp"
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
constexpr double beyond_doubt = 3;  // times what noise explains

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
  Result<Matrix<S>> run(Matrix<S> start, bool rough = false) {
    std::vector<TraceRow> rows;
    RunSettings stage = settings_;
    if (settings_.progress) {
      stage.progress = [&](const TraceRow& row) { settings_.progress(stages_.in_run(row)); };
    }
    RunObserver<S> observer(stage, problem_.error, rows);
    const Options options = rough ? rough_options(settings_, start.rows())
                                  : options_under_noise(settings_, problem_, noise_, start.cols());
    MethodCall<S> call{
        problem_, op_, f_, {}, remaining(options, result().iterations, result().seconds), observer};
    call.options.keep_trace = false;
    call.start = [&] { return Start<Matrix<S>>{std::move(start), first_.smoothness}; };
    Result<Matrix<S>> found = run_method(settings_.method, call);
    found.trace = std::move(rows);
    found.seconds = observer.seconds();
    return stages_.entered(std::move(found));
  }

  /// Makes what a run found the answer. Runs whose results are not taken leave no rows.
  void take(Result<Matrix<S>> found) { stages_.take(std::move(found)); }

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
  const Index n = problem.op.rows();
  RunSettings first = settings;
  // As long as a larger rank is called for beyond doubt, the smaller need not be fitted to the end.
  bool rough = noise.likelihood && !problem.loss.quadratic() && is_automatic(settings);
  if (rough) first.options = rough_options(settings, n);
  Answer<S> of_rank_one =
      rough ? solve_problem(problem, first) : solve_once(problem, settings, noise);
  if (!is_automatic(settings)) {
    return {std::move(of_rank_one), "rank 1: only the step rule auto can grow the rank"};
  }
  Continuation<S> again(problem, settings, noise, std::move(of_rank_one));
  const Result<Matrix<S>>& result = again.result();
  const auto finished = [&](const std::string& reason) -> StateAnswer<S> {
    std::string note = fmt::format("rank {}: {}", result.factor.cols(), reason);
    return {std::move(again).answer(), std::move(note)};
  };
  while (true) {
    const Index rank = result.factor.cols();
    const double added = parameters(n, rank + 1) - parameters(n, rank);
    std::string reason;
    if (result.status != Status::converged) return finished("stopped by a limit");
    if (rank == n) {
      reason = "the full rank";
    } else if (rank == most_automatic_rank) {
      reason = "the largest that is tried; ask for more with --rank";
    } else if (result.objective <= exact_share * noise.size) {
      reason = "the fit is exact";
    } else if (!noise.likelihood && parameters(n, rank + 1) >= noise.data) {
      reason = "the data do not determine more";
    } else if (Matrix<S> wide = again.lifted(result.factor, 1); wide.size() == 0) {
      reason = "no direction improves the fit";
    } else {
      Result<Matrix<S>> next = again.run(std::move(wide), rough);
      // Noise alone lowers twice the objective, in units of its variance, by about one for each
      // parameter added; the best direction of many by up to twice that.
      const double unit =
          noise.likelihood ? 1 : 2 * next.objective / (noise.data - parameters(n, rank + 1));
      const double gain = 2 * (result.objective - next.objective) / unit;
      const double by_noise = 2 * added + deviations_of_noise * std::sqrt(2 * added);
      if (gain > (rough ? beyond_doubt : 1) * by_noise || next.status != Status::converged) {
        again.take(std::move(next));
        continue;
      }
      reason =
          fmt::format("one more improves the fit by {:.3g}, noise explains {:.3g}", gain, by_noise);
    }
    if (!rough) return finished(reason);
    rough = false;  // what was fitted roughly is now fitted to the end
    again.take(again.run(result.factor));
  }
}

#define PROJFGD_INSTANTIATE(S)                                                                 \
  template Answer<S> solve_once(const Problem<S>&, const RunSettings&, const Noise<S>&);       \
  template StateAnswer<S> solve_state(const Problem<S>&, const RunSettings&, const Noise<S>&); \
  template StateAnswer<S> solve_any_rank(Problem<S>, const RunSettings&, const Noise<S>&);

PROJFGD_INSTANTIATE(std::complex<float>)
PROJFGD_INSTANTIATE(std::complex<double>)

}  // namespace projfgd
