#include "jobs/common/escape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <optional>
#include <utility>

#include "projfgd/core/small_matrix.hpp"
#include "projfgd/measures/basins.hpp"
#include "projfgd/measures/optimality.hpp"
#include "projfgd/starts/random.hpp"

namespace projfgd {
namespace {

constexpr int most_escapes = 5, most_fruitless = 2;
constexpr double poor_ratio = 2;  // of the residual to what noise explains
// In multiplications, n r for each number measured: what all starts of a fit may take together
// where the first is not poor, a second or so of one core.
constexpr double cheap_work = 1e9;

/// The fit is far above what noise explains.
template <class S>
bool is_poor(const Result<Matrix<S>>& result, const Noise& noise, const Misfit<S>& misfit) {
  if (misfit) return misfit(result.factor) > poor_ratio;
  return noise.size > 0 && result.objective > poor_share * noise.size;
}

/// Looks for better minima of the rank of the answer from other starts, and keeps the best.
template <class S>
class OtherStarts {
 public:
  OtherStarts(StagedRun<S>& run, const Noise& noise, const Misfit<S>& misfit)
      : run_(run),
        noise_(noise),
        misfit_(misfit),
        n_(run.problem().op.rows()),
        rank_(run.problem().rank),
        basins_(hidden()) {}

  void search() {
    basins_.add(run_.result().objective);
    while (run_.result().status == Status::converged && (may_be_mended() || is_worth_another())) {
      const double before = run_.result().objective;
      attempt();
      fruitless_ = run_.result().objective < worthwhile * before ? 0 : fruitless_ + 1;
    }
  }

 private:
  /// What the end of a fit leaves to gain because noise hides it; 0 where noise is unknown.
  double hidden() const {
    const double all = parameters(n_, rank_);
    return noise_.likelihood ? gain_under_noise(all)
                             : tolerance_under_noise(all, noise_.data) * run_.result().objective;
  }

  /// The fit is far above what noise explains, and few attempts were in vain: it is tried again
  /// whatever that costs.
  bool may_be_mended() const {
    return !ended_ && attempts_ < most_escapes && fruitless_ < most_fruitless &&
           is_poor(run_.result(), noise_, misfit_);
  }

  /// The fit is as good as noise lets it be, or nearly, another start is cheap, there may be minima
  /// that none has come to, and some matrix of any rank may be better by more than noise hides.
  /// Beside data that the model does not explain what minima differ by tells nothing.
  bool is_worth_another() {
    return !ended_ && hidden() > 0 && !is_exact() && !basins_.complete() && is_cheap() &&
           !is_poor(run_.result(), noise_, misfit_) && may_gain();
  }

  /// Nothing is left but what the tolerance on X leaves.
  bool is_exact() const {
    const double tolerance = run_.settings().options.tolerance;
    return run_.result().objective <= tolerance * tolerance * noise_.size;
  }

  bool is_cheap() const {
    const OracleCounts counts = run_.counts();
    const double product = static_cast<double>(n_) * static_cast<double>(rank_) *
                           static_cast<double>(run_.problem().op.measurements());
    const double each =
        product * static_cast<double>(counts.forward + counts.adjoint) / (1 + attempts_);
    return each * (2 + attempts_) <= cheap_work;
  }

  bool may_gain() {
    const Problem<S>& problem = run_.problem();
    if (!std::isfinite(problem.trace_bound)) return true;
    Vector<RealOf<S>> p;
    problem.op.forward(run_.result().factor, p);
    return optimality_gap(problem.op, problem.loss, p, problem.trace_bound).value > hidden();
  }

  /// First from the leading part of a wider fit, which is in one of the best valleys more often
  /// than not, then from random points; a poor fit is left through a larger rank from there too.
  void attempt() {
    const int number = attempts_++;
    const Index wide = std::min(n_, 2 * rank_ + 1);
    const bool poor = is_poor(run_.result(), noise_, misfit_), through_wider = number == 0 || poor;
    const auto seed = run_.settings().options.seed + static_cast<std::uint64_t>(number);
    Matrix<S> start =
        number == 0 ? lifted(run_, run_.result().factor, wide - rank_)
                    : random_start(run_.objective(), through_wider ? wide : rank_, seed).factor;
    if (start.size() == 0) return;
    std::optional<Result<Matrix<S>>> wider;
    if (through_wider) {
      const Index columns = start.cols();
      wider = run_.from(std::move(start), rule(columns));
      start = compressed(wider->factor, rank_);
    }
    Result<Matrix<S>> found = run_.from(std::move(start), rule(rank_));
    basins_.add(found.objective);
    if (found.objective + hidden() < run_.result().objective) {
      if (wider) run_.take(std::move(*wider));
      run_.take(std::move(found));
    } else if (found.status == Status::interrupted) {
      run_.stop(std::move(found));
    } else if (found.status != Status::converged) {
      ended_ = true;  // a limit came, and the answer so far stands
    }
  }

  StopRule rule(Index columns) const {
    return stop_under_noise(run_.settings(), run_.problem(), noise_, columns);
  }

  StagedRun<S>& run_;
  const Noise& noise_;
  const Misfit<S>& misfit_;
  Index n_, rank_;
  BasinsByValue basins_;
  int attempts_ = 0, fruitless_ = 0;
  bool ended_ = false;
};

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
  StagedRun<S> run(problem, settings);
  run.take(run.from_start(stop_under_noise(settings, problem, noise, problem.rank)));
  const double first = run.result().objective;
  if (problem.rank < problem.op.rows() && takes_automatic_steps(settings)) {
    OtherStarts<S>(run, noise, misfit).search();
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
#undef PROJFGD_INSTANTIATE

}  // namespace projfgd
