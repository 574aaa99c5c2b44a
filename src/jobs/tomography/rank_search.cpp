#include "jobs/tomography/rank_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <utility>

namespace projfgd {
namespace {

constexpr double exact_share = 1e-14;  // left unexplained by an exact fit
constexpr Index most_automatic_rank = 64;

/// Adds one column after the other while that improves the fit by more than noise explains. Under a
/// likelihood the ranks on the way are fitted only as far as it takes to tell that they are too
/// small; the last is fitted to the end, and so is the one below it where it was not, for what is
/// not at its end looks worse beside one more column than it is.
template <class S>
class RankSearch {
 public:
  RankSearch(const Problem<S>& problem, const RunSettings& settings, const Noise& noise)
      : noise_(noise),
        n_(problem.op.rows()),
        hurry_(noise.likelihood),
        run_(problem, settings),
        settled_(!hurry_),
        began_at_one_(problem.rank == 1),
        called_for_(began_at_one_) {}

  NotedAnswer<S> search() {
    run_.take(run_.from_start(hurry_ ? stop_when_comparable(n_, run_.problem().rank)
                                     : to_the_end(run_.problem().rank)));
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
                                   stopped ? "stopped before the search finished" : reason);
    const double all = parameters(n_, n_) - 1;  // of any state
    if (noise_.determined < all) {
      note += fmt::format(
          "; the data determine {} of the {} parameters of a state, so other states may fit as "
          "well",
          noise_.determined, all);
    }
    return {std::move(run_).answer(), std::move(note)};
  }

 private:
  const Result<Matrix<S>>& result() const { return run_.result(); }
  static bool converged(const Result<Matrix<S>>& r) { return r.status == Status::converged; }

  /// Why no larger rank is tried.
  std::string obstacle() const {
    const Index rank = result().factor.cols();
    if (rank == n_) return "full rank";
    if (rank >= most_automatic_rank)
      return "the largest that is tried automatically; set --rank for more";
    if (is_exact(result())) return exact_fit;
    const double numbers = parameters(n_, rank + 1) - 1;  // of a state, whose trace is known
    if (noise_.likelihood || numbers <= noise_.determined) return "";
    return "the data do not determine a larger rank";
  }

  /// Takes a fit of one more column if noise does not explain what it gains; else says so. True
  /// also where a limit or the user ended it.
  bool grow(std::string& reason) {
    const Index rank = result().factor.cols();
    Matrix<S> wide = lifted(run_, result().factor, 1);
    if (wide.size() == 0) {
      reason = "a larger rank does not improve the fit";
      return false;
    }
    Result<Matrix<S>> next =
        run_.from(std::move(wide), hurry_ ? stop_when_comparable(n_, rank, result().objective)
                                          : to_the_end(rank + 1));
    if (hurry_ && converged(next) && !is_gain(result(), next)) {
      if (!settled_) settle();
      if (!converged(result())) return true;
      next = run_.on_from(std::move(next), stop_when_rough(n_));
      if (converged(next) && is_close(next)) {
        next = run_.on_from(std::move(next), to_the_end(rank + 1));
      }
    }
    if (!converged(next)) {
      run_.stop(std::move(next));
      return true;
    }
    if (!is_gain(result(), next)) {
      reason = improvement(result(), next);
      return false;
    }
    called_for_ = settled_ && began_at_one_;
    settled_ = !hurry_;
    run_.take(std::move(next));
    return true;
  }

  void settle() {
    run_.take(run_.from(result().factor, to_the_end(result().factor.cols())));
    settled_ = true;
  }

  /// Leaves columns out that are not called for.
  void shrink(std::string& reason) {
    while (!called_for_ && result().factor.cols() > 1) {
      const Index rank = result().factor.cols() - 1;
      Result<Matrix<S>> lower = run_.from(compressed(result().factor, rank), to_the_end(rank));
      if (!converged(lower)) return run_.stop(std::move(lower));
      if (is_gain(lower, result())) return;
      reason = is_exact(lower) ? exact_fit : improvement(lower, result());
      run_.take(std::move(lower));
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
    Matrix<S> wide = lifted(run_, result().factor, n_ - result().factor.cols());
    if (wide.size() == 0) return;
    const Index rank = wide.cols();
    Result<Matrix<S>> full = run_.from(std::move(wide), to_the_end(rank));
    if (!converged(full)) return run_.stop(std::move(full));
    if (!(full.objective < worthwhile * result().objective)) return;
    const double share = std::sqrt(result().objective / noise_.size);
    reason = fmt::format("lower ranks leave {} of the data unexplained",
                         share < 1 ? fmt::format("{:.0f}%", 100 * share) : "all");
    run_.take(std::move(full));
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
    return fmt::format(
        "rank {} would improve the fit by {:.3g}, less than the {:.3g} that noise alone would give",
        next.factor.cols(), gain(rank, next), gain_by_noise(n_, rank.factor.cols()));
  }

  StopRule to_the_end(Index rank) const {
    return stop_under_noise(run_.settings(), run_.problem(), noise_, rank);
  }

  const Noise& noise_;
  Index n_;
  bool hurry_;  ///< ranks on the way are not fitted to the end
  StagedRun<S> run_;
  bool settled_;       ///< the answer so far is fitted to the end
  bool began_at_one_;  ///< else columns of the start may be idle, and those after them called for
  bool called_for_;    ///< and gains on one of lower rank that was
};

}  // namespace

template <class S>
NotedAnswer<S> solve_any_rank(Problem<S> problem, const RunSettings& settings, const Noise& noise) {
  problem.rank = std::max<Index>(1, problem.start.cols());
  if (takes_automatic_steps(settings)) return RankSearch<S>(problem, settings, noise).search();
  return {
      solve_once(problem, settings, noise),
      fmt::format("rank {}: the rank is chosen automatically only with --step auto", problem.rank)};
}

template NotedAnswer<std::complex<float>> solve_any_rank(Problem<std::complex<float>>,
                                                         const RunSettings&, const Noise&);
template NotedAnswer<std::complex<double>> solve_any_rank(Problem<std::complex<double>>,
                                                          const RunSettings&, const Noise&);

}  // namespace projfgd
