#include "state_solver.hpp"

#include <fmt/format.h>

#include <cmath>

#include "projfgd/core/small_matrix.hpp"
#include "projfgd/measures/noise.hpp"
#include "projfgd/starts/random.hpp"

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

/// A row of a later stage as one of the whole run.
TraceRow later(TraceRow row, Index iterations, double seconds) {
  row.iteration += iterations;
  row.seconds += seconds;
  return row;
}

/// Runs of the solver after the first, on the same problem from given points, at any rank.
template <class S>
class Continuation {
 public:
  Continuation(const Problem<S>& problem, const RunSettings& settings, const Noise<S>& noise,
               Answer<S>& answer)
      : problem_(problem),
        settings_(settings),
        noise_(noise),
        answer_(answer),
        op_(problem.op),
        f_(op_, problem.loss) {}
  ~Continuation() {
    answer_.counts.forward += op_.counts().forward;
    answer_.counts.adjoint += op_.counts().adjoint;
  }
  Continuation(const Continuation&) = delete;
  Continuation& operator=(const Continuation&) = delete;

  /// Minimises from U; time and iterations, and with them the trace, go on where those of the
  /// answer ended.
  Result<Matrix<S>> run(Matrix<S> start, bool rough = false) {
    const double used = answer_.result.seconds;
    const Index before = answer_.result.iterations;
    std::vector<TraceRow> rows;
    RunSettings stage = settings_;
    if (settings_.progress) {
      stage.progress = [&](const TraceRow& row) { settings_.progress(later(row, before, used)); };
    }
    RunObserver<S> observer(stage, problem_.error, rows);
    const Options options = rough ? rough_options(settings_, start.rows())
                                  : options_under_noise(settings_, problem_, noise_, start.cols());
    MethodCall<S> call{problem_, op_, f_, {}, options, observer};
    call.options.keep_trace = false;
    call.options.time_limit = time_left(settings_.options.time_limit, used);
    call.options.max_iterations = std::max<Index>(settings_.options.max_iterations - before, 1);
    call.start = [&] { return Start<Matrix<S>>{std::move(start), answer_.smoothness}; };
    Result<Matrix<S>> result = run_method(settings_.method, call);
    for (const TraceRow& row : rows) {  // row 0 is the point where the stage before it ended
      if (row.iteration > 0) result.trace.push_back(later(row, before, used));
    }
    answer_.result.seconds = used + observer.seconds();
    answer_.result.iterations = before + result.iterations;
    return result;
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
  Answer<S>& answer_;
  typename MethodCall<S>::Operator op_;
  typename MethodCall<S>::Objective f_;
};

/// The best approximation of U U^H with fewer columns.
template <class S>
Matrix<S> compressed(const Matrix<S>& u, Index rank) {
  return u * hermitian_eigen(gram(u, u)).vectors.rightCols(rank).rowwise().reverse();
}

template <class S>
void put_before(const std::vector<TraceRow>& rows, Result<Matrix<S>>& result) {
  result.trace.insert(result.trace.begin(), rows.begin(), rows.end());
}

/// Puts a better result in the answer. What led to results that were not taken leaves no rows.
template <class S>
void take(Result<Matrix<S>> better, Answer<S>& answer) {
  put_before(answer.result.trace, better);
  better.seconds = answer.result.seconds;
  better.iterations = answer.result.iterations;
  answer.result = std::move(better);
}

bool is_automatic(const RunSettings& settings) {
  return settings.options.step == StepRule::automatic &&
         (settings.method == "projfgd" || settings.method == "fgd");
}

/// The fit is far above what noise explains.
template <class S>
bool is_poor(const Noise<S>& noise, const Result<Matrix<S>>& result) {
  if (noise.misfit) return noise.misfit(result.factor) > poor_ratio;
  return result.objective > poor_share * noise.size;
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
  StateAnswer<S> out{solve_once(problem, settings, noise), ""};
  Result<Matrix<S>>& result = out.answer.result;
  const Index n = problem.op.rows(), rank = problem.rank;
  const auto poor = [&] { return is_poor(noise, result); };
  if (!poor() || rank == n || !is_automatic(settings) || result.status != Status::converged) {
    return out;
  }
  const double first = result.objective;
  Continuation<S> again(problem, settings, noise, out.answer);
  int fruitless = 0;
  for (int attempt = 0; attempt < most_escapes && fruitless < 2 && poor(); ++attempt) {
    const Index wide = std::min(n, 2 * rank + 1);
    Matrix<S> start = attempt == 0 ? again.lifted(result.factor, wide - rank)
                                   : again.random(wide, settings.options.seed + attempt);
    if (start.size() == 0) continue;
    const Result<Matrix<S>> wider = again.run(std::move(start));
    Result<Matrix<S>> found = again.run(compressed(wider.factor, rank));
    put_before(wider.trace, found);
    const bool stopped = found.status != Status::converged;
    const bool better = found.objective < worthwhile * result.objective;
    if (better) take(std::move(found), out.answer);
    fruitless = better ? 0 : fruitless + 1;
    if (stopped) break;
  }
  if (result.objective < worthwhile * first) {
    out.note = fmt::format("left a local minimum: the objective fell from {:.3g} to {:.3g}", first,
                           result.objective);
  }
  return out;
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
  StateAnswer<S> out{rough ? solve_problem(problem, first) : solve_once(problem, settings, noise),
                     ""};
  Result<Matrix<S>>& result = out.answer.result;
  if (!is_automatic(settings)) {
    out.note = "rank 1: only the step rule auto can grow the rank";
    return out;
  }
  Continuation<S> again(problem, settings, noise, out.answer);
  const auto polish = [&] {
    rough = false;
    take(again.run(result.factor), out.answer);
  };
  while (true) {
    const Index rank = result.factor.cols();
    const double added = parameters(n, rank + 1) - parameters(n, rank);
    std::string reason;
    if (result.status != Status::converged) {
      out.note = fmt::format("rank {}: stopped by a limit", rank);
      return out;
    }
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
        take(std::move(next), out.answer);
        continue;
      }
      reason =
          fmt::format("one more improves the fit by {:.3g}, noise explains {:.3g}", gain, by_noise);
    }
    if (!rough) {
      out.note = fmt::format("rank {}: {}", rank, reason);
      return out;
    }
    polish();
  }
}

#define PROJFGD_INSTANTIATE(S)                                                                 \
  template Answer<S> solve_once(const Problem<S>&, const RunSettings&, const Noise<S>&);       \
  template StateAnswer<S> solve_state(const Problem<S>&, const RunSettings&, const Noise<S>&); \
  template StateAnswer<S> solve_any_rank(Problem<S>, const RunSettings&, const Noise<S>&);

PROJFGD_INSTANTIATE(std::complex<float>)
PROJFGD_INSTANTIATE(std::complex<double>)

}  // namespace projfgd
