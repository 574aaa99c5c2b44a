#include "jobs/common/escape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "projfgd/core/small_matrix.hpp"
#include "projfgd/starts/random.hpp"

namespace projfgd {
namespace {

constexpr int most_escapes = 5, most_fruitless = 2;
constexpr double poor_ratio = 2;  // of the residual to what noise explains

/// The fit is far above what noise explains.
template <class S>
bool is_poor(const Result<Matrix<S>>& result, const Noise& noise, const Misfit<S>& misfit) {
  if (misfit) return misfit(result.factor) > poor_ratio;
  return noise.size > 0 && result.objective > poor_share * noise.size;
}

/// Looks for a better minimum of the rank of the answer from a point with more columns. True when
/// there was one.
template <class S>
bool escape_through(StagedRun<S>& run, Matrix<S> wide_start, const Noise& noise) {
  const Index rank = run.result().factor.cols();
  const auto rule = [&](Index columns) {
    return stop_under_noise(run.settings(), run.problem(), noise, columns);
  };
  const Index columns = wide_start.cols();
  Result<Matrix<S>> wider = run.from(std::move(wide_start), rule(columns));
  Result<Matrix<S>> found = run.from(compressed(wider.factor, rank), rule(rank));
  const bool better = found.objective < worthwhile * run.result().objective;
  if (better) {
    run.take(std::move(wider));
    run.take(std::move(found));
  } else if (found.status != Status::converged) {
    run.stop(std::move(found));
  }
  return better;
}

}  // namespace

bool takes_automatic_steps(const RunSettings& settings) {
  return settings.options.step == StepRule::automatic &&
         (settings.method == "projfgd" || settings.method == "fgd");
}

template <class S>
Matrix<S> lifted(StagedRun<S>& run, const Matrix<S>& u, Index extra) {
  const Stopwatch watch;
  auto& f = run.objective();
  const double value = f.at(u);
  EigenOptions eigen;
  eigen.seed = run.settings().options.seed;
  eigen.go_on = [&] { return run.may_go_on(watch.seconds()); };
  using Map = GradientMap<typename StagedRun<S>::Objective>;
  const Map gradient{f};
  const auto low = largest_eigenpairs(Negated<Map>{gradient}, extra, eigen);
  const double size = norm(u);
  const Index added = low.vectors.cols();
  Matrix<S> wide(u.rows(), u.cols() + added), found;
  for (double b = 0.5; b > 1e-9; b /= 4) {
    wide.leftCols(u.cols()) = u * static_cast<RealOf<S>>(std::sqrt(1 - b));
    wide.rightCols(added) =
        low.vectors * static_cast<RealOf<S>>(size * std::sqrt(b / static_cast<double>(added)));
    if (f.at(wide) < value || !eigen.go_on()) {  // then the next stage ends at once and says why
      found = std::move(wide);
      break;
    }
  }
  run.spend(watch.seconds());
  return found;
}

template <class S>
Matrix<S> compressed(const Matrix<S>& u, Index rank) {
  return u * hermitian_eigen(gram(u, u)).vectors.rightCols(rank).rowwise().reverse();
}

template <class S>
Answer<S> solve_once(const Problem<S>& problem, const RunSettings& settings, const Noise& noise) {
  StagedRun<S> run(problem, settings);
  run.take(run.from_start(stop_under_noise(settings, problem, noise, problem.rank)));
  return std::move(run).answer();
}

template <class S>
NotedAnswer<S> solve_with_escapes(const Problem<S>& problem, const RunSettings& settings,
                                  const Noise& noise, const Misfit<S>& misfit) {
  const Index n = problem.op.rows(), rank = problem.rank;
  StagedRun<S> run(problem, settings);
  run.take(run.from_start(stop_under_noise(settings, problem, noise, rank)));
  const double first = run.result().objective;
  const bool may_escape = rank < n && takes_automatic_steps(settings);
  int fruitless = 0;
  for (int attempt = 0;
       may_escape && attempt < most_escapes && fruitless < most_fruitless &&
       run.result().status == Status::converged && is_poor(run.result(), noise, misfit);
       ++attempt) {
    const Index wide = std::min(n, 2 * rank + 1);
    Matrix<S> start =
        attempt == 0 ? lifted(run, run.result().factor, wide - rank)
                     : random_start(run.objective(), wide, settings.options.seed + attempt).factor;
    if (start.size() == 0) continue;
    fruitless = escape_through(run, std::move(start), noise) ? 0 : fruitless + 1;
  }
  std::string note;
  const double last = run.result().objective;
  if (last < first && last < worthwhile * first) {
    note =
        fmt::format("left a local minimum: the objective fell from {:.3g} to {:.3g}", first, last);
  }
  return {std::move(run).answer(), std::move(note)};
}

#define PROJFGD_INSTANTIATE(S)                                                                    \
  template Matrix<S> lifted(StagedRun<S>&, const Matrix<S>&, Index);                              \
  template Matrix<S> compressed(const Matrix<S>&, Index);                                         \
  template Answer<S> solve_once(const Problem<S>&, const RunSettings&, const Noise&);             \
  template NotedAnswer<S> solve_with_escapes(const Problem<S>&, const RunSettings&, const Noise&, \
                                             const Misfit<S>&);

PROJFGD_INSTANTIATE(float)
PROJFGD_INSTANTIATE(double)
PROJFGD_INSTANTIATE(std::complex<float>)
PROJFGD_INSTANTIATE(std::complex<double>)

}  // namespace projfgd
