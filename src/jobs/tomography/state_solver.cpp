#include "jobs/tomography/state_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <utility>

#include "jobs/tomography/continuation.hpp"
#include "projfgd/core/small_matrix.hpp"

namespace projfgd {
namespace {

// Found by trial: they decide how hard a poor fit is tried to mend, not what is called a good one.
constexpr int most_escapes = 5;
constexpr double poor_ratio = 2;       // of the residual to what noise explains
constexpr double poor_share = 1e-2;    // of the data left unexplained, noise unknown
constexpr double worthwhile = 0.99;    // of the objective before
constexpr double exact_share = 1e-14;  // left unexplained by an exact fit
constexpr Index most_automatic_rank = 64;

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
        settled_(!hurry_),
        began_at_one_(problem.rank == 1),
        called_for_(began_at_one_) {}

  StateAnswer<S> run() {
    std::string reason;
    while (converged(result())) {
      reason = obstacle();
      if (reason.empty() && grow(reason)) continue;
      if (settled_) break;
      settle();
    }
    if (converged(result())) shrink(reason);
    if (converged(result()) && may_be_any_state()) fill_up(reason);
    const bool stopped = !converged(result());
    std::string note = fmt::format("rank {}: {}", result().factor.cols(),
                                   stopped ? "ended before the search was done" : reason);
    const double all = parameters(n_, n_) - 1;  // of any state
    if (noise_.determined < all) {
      note += fmt::format(
          "; the data determine {} of the {} numbers of a state, and others may fit as well",
          noise_.determined, all);
    }
    return {std::move(again_).answer(), std::move(note)};
  }

 private:
  const Result<Matrix<S>>& result() const { return again_.result(); }
  static bool converged(const Result<Matrix<S>>& r) { return r.status == Status::converged; }

  /// Why no larger rank is tried.
  std::string obstacle() const {
    const Index rank = result().factor.cols();
    if (rank == n_) return "the full rank";
    if (rank >= most_automatic_rank) return "the largest that is tried; ask for more with --rank";
    if (is_exact(result())) return exact_fit;
    const double numbers = parameters(n_, rank + 1) - 1;  // of a state, whose trace is known
    if (noise_.likelihood || numbers <= noise_.determined) return "";
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
    called_for_ = settled_ && began_at_one_;
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
      reason = is_exact(lower) ? exact_fit : improvement(lower, result());
      again_.take(std::move(lower));
    }
  }

  /// Data of unknown noise that determine any state, and that a low rank does not explain: what is
  /// left may be noise or eigenvalues, and the state of full rank says what they say.
  bool may_be_any_state() const {
    return !noise_.likelihood && noise_.determined >= parameters(n_, n_) - 1 &&
           n_ <= most_automatic_rank && result().factor.cols() < n_ &&
           result().objective > poor_share * noise_.size;
  }

  void fill_up(std::string& reason) {
    Matrix<S> wide = again_.lifted(result().factor, n_ - result().factor.cols());
    if (wide.size() == 0) return;
    Result<Matrix<S>> full = again_.run(std::move(wide));
    if (!converged(full)) return again_.stop(std::move(full));
    if (!(full.objective < worthwhile * result().objective)) return;
    const double share = std::sqrt(result().objective / noise_.size);
    reason = fmt::format("lower ones leave {} of the data, which determine any state",
                         share < 1 ? fmt::format("{:.0f}%", 100 * share) : "all");
    again_.take(std::move(full));
  }

  /// Twice the objective of a rank less that of the next, in units of the noise's variance.
  double gain(const Result<Matrix<S>>& rank, const Result<Matrix<S>>& next) const {
    const double free = noise_.data - parameters(n_, next.factor.cols());
    return 2 * (rank.objective - next.objective) /
           (noise_.likelihood ? 1 : 2 * next.objective / free);
  }
  static constexpr const char* exact_fit = "the fit is exact";
  bool is_exact(const Result<Matrix<S>>& r) const {
    return r.objective <= exact_share * noise_.size;
  }
  bool is_gain(const Result<Matrix<S>>& rank, const Result<Matrix<S>>& next) const {
    return !is_exact(rank) && gain(rank, next) > gain_by_noise(n_, rank.factor.cols());
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
  bool settled_;       ///< the answer so far is fitted to the end
  bool began_at_one_;  ///< else columns of the start may be idle, and those after them called for
  bool called_for_;    ///< and gains on one of lower rank that was
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
  problem.rank = std::max<Index>(1, problem.start.cols());
  if (is_automatic(settings)) return RankSearch<S>(problem, settings, noise).run();
  return {solve_once(problem, settings, noise),
          fmt::format("rank {}: only the step rule auto can grow the rank", problem.rank)};
}

#define PROJFGD_INSTANTIATE(S)                                                                 \
  template Answer<S> solve_once(const Problem<S>&, const RunSettings&, const Noise<S>&);       \
  template StateAnswer<S> solve_state(const Problem<S>&, const RunSettings&, const Noise<S>&); \
  template StateAnswer<S> solve_any_rank(Problem<S>, const RunSettings&, const Noise<S>&);

PROJFGD_INSTANTIATE(float)
PROJFGD_INSTANTIATE(double)
PROJFGD_INSTANTIATE(std::complex<float>)
PROJFGD_INSTANTIATE(std::complex<double>)

}  // namespace projfgd
