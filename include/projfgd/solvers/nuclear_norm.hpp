#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "projfgd/core/eigenpairs.hpp"
#include "projfgd/measures/distance.hpp"
#include "projfgd/solvers/gradient_step_map.hpp"
#include "projfgd/solvers/momentum.hpp"

namespace projfgd {

struct NuclearNormOptions {
  double lambda = 0;              ///< >= 0; 0 stands for `relative_lambda` times ||A*(y)||_2
  double relative_lambda = 1e-4;  ///< >= 0
};

/// min 1/2 ||A(X) - y||^2 + lambda tr X over X >= 0 by accelerated proximal gradients (Beck and
/// Teboulle 2009), X_+ = P_+(Y - mu (A*(A(Y) - y) + lambda I)), with restarts when the objective
/// rises (O'Donoghue and Candes 2015) and mu halved where the quadratic bound fails.
///
/// lambda falls by quarters from ||A*(y)||_2 to its end, so that the rank grows from below, and by
/// one last leap where that end is 0; only the eigenpairs above mu lambda are computed. The trace
/// is not bounded: problem.trace is unused.
template <MeasurementOperator A, class Watcher>
class NuclearNormSolver {
 public:
  using F = typename A::Factor;
  using Real = RealOf<F>;

  NuclearNormSolver(const TraceProblem<A>& problem, const NuclearNormOptions& own,
                    const Options& options, Watcher& watcher)
      : problem_(problem),
        monitor_(options, watcher),
        settled_(std::max(1e-3, 10 * options.tolerance)) {
    eigen_.tolerance = 1e-8;  // an error in X_+ of that size is far below any tolerance of a run
    eigen_.max_products = 300;
    eigen_.seed = options.seed;
    eigen_.go_on = [this] { return monitor_.in_time(); };
    const AdjointMap<A> map{problem.op, problem.y};
    auto& first = largest_(map, 1, eigen_);
    leading_ = std::move(first.vectors);
    const double largest = std::max<double>(first.values[0], 0);
    last_lambda_ = own.lambda > 0 ? own.lambda : own.relative_lambda * largest;
    lambda_ = std::max(last_lambda_, largest / 4);
    leap_ = smallest_lambda * largest;
  }

  NuclearNormSolver(const NuclearNormSolver&) = delete;
  NuclearNormSolver& operator=(const NuclearNormSolver&) = delete;

  /// The leading eigenvector of A*(y), which the first lambda needs anyway: a start.
  const F& leading() const { return leading_; }

  Result<F> run(F start) {
    u_ = std::move(start);
    problem_.op.forward(u_, p_);
    const double seen = p_.norm();
    mu_ = seen > 0 ? std::pow(product_norm(u_) / seen, 2) : 1;
    before_ = u_;
    p_before_ = p_;
    NesterovWeights weights;
    bool stop = monitor_.record(u_, problem_.value(p_), std::numeric_limits<double>::infinity());
    while (
        monitor_.goes_on(stop, u_, before_, p_, p_before_, weights, lambda_, mu_, eigenproblems_)) {
      const double value = penalised();
      if (!proximal_step(weights.advance())) {
        monitor_.stop_early();
        break;
      }
      if (penalised() > value) weights.restart();
      const auto size = gram(u_, u_);
      const double change =
          difference_norm(before_, u_, size) / std::max<double>(size.norm(), tiny);
      double settled = change;
      if (change <= settled_ && lambda_ > last_lambda_) {
        lambda_ = lambda_ / 4 > leap_ ? std::max(lambda_ / 4, last_lambda_) : last_lambda_;
        weights.restart();
        settled = std::numeric_limits<double>::infinity();  // in a problem that is not yet ours
      }
      stop = monitor_.record(u_, problem_.value(p_), change, settled);
    }
    const double value = problem_.value(p_);
    Result<F> out = monitor_.result(std::move(u_), value);
    out.eigenproblems = eigenproblems_;
    return out;
  }

 private:
  double penalised() const { return problem_.value(p_) + lambda_ * u_.squaredNorm(); }

  /// False where the run has to end first; the iterate then stays.
  bool proximal_step(double beta) {
    ahead_ = p_ + Real(beta) * (p_ - p_before_);  // A(Y)
    residual_ = ahead_ - problem_.y;
    F next;
    for (int attempt = 0; attempt < 60; ++attempt, mu_ /= 2) {
      next = shrunk({problem_.op, residual_, mu_, u_, before_, beta});
      if (!monitor_.in_time()) return false;
      problem_.op.forward(next, image_);
      if (bound_holds(next, beta)) break;
    }
    before_ = std::exchange(u_, std::move(next));
    std::swap(p_before_, p_);
    std::swap(p_, image_);
    return true;
  }

  /// P_+(h - mu lambda I) as a factor; at least one column.
  F shrunk(const GradientStepMap<A>& map) {
    const Index n = u_.rows();
    const Real floor = static_cast<Real>(mu_ * lambda_);
    for (Index wanted = std::min(n, u_.cols() + 2);; wanted = std::min(n, 2 * wanted)) {
      ++eigenproblems_;
      const auto& pairs = largest_(map, wanted, eigen_, &u_);
      const Index found = pairs.values.size();
      if (wanted < n && pairs.values[found - 1] > floor && monitor_.in_time()) continue;
      Index keep = 1;
      while (keep < found && pairs.values[keep] > floor) ++keep;
      const Vector<Real> d = (pairs.values.head(keep).array() - floor).cwiseMax(Real(0));
      return factor_of<typename F::Scalar>(pairs.vectors.leftCols(keep), d);
    }
  }

  /// ||A(X_+ - Y)||^2 <= ||X_+ - Y||_F^2 / mu, unless the norm is lost in rounding.
  bool bound_holds(const F& next, double beta) const {
    const F* part[] = {&next, &u_, &before_};
    const double c[] = {1, -(1 + beta), beta};
    const double size = gram(next, next).squaredNorm();
    double square = size;
    for (int i = 1; i < 3; ++i) {
      for (int j = 0; j <= i; ++j) {
        square += (i == j ? 1 : 2) * c[i] * c[j] * gram(*part[i], *part[j]).squaredNorm();
      }
    }
    if (square <= 1e-10 * size) return true;
    return mu_ * (image_ - ahead_).squaredNorm() <= square * (1 + 1e-3);
  }

  static constexpr double tiny = std::numeric_limits<double>::min();
  static constexpr double smallest_lambda = 1e-6;  ///< before 0, relative to ||A*(y)||_2

  const TraceProblem<A>& problem_;
  Monitor<F, Watcher> monitor_;
  EigenOptions eigen_;
  LargestEigenpairs<F> largest_;
  double settled_, last_lambda_ = 0, lambda_ = 0, leap_ = 0, mu_ = 1;
  F leading_, u_, before_;
  Vector<Real> p_, p_before_, ahead_, residual_, image_;
  Index eigenproblems_ = 1;  ///< the one of the first lambda
};

template <MeasurementOperator A, class Watcher = NoObserver>
Result<typename A::Factor> nuclear_norm(const TraceProblem<A>& problem, typename A::Factor start,
                                        const Options& options = {},
                                        const NuclearNormOptions& own = {}, Watcher watcher = {}) {
  return solve_trace_problem<NuclearNormSolver>(problem, std::move(start), options, own, watcher);
}

}  // namespace projfgd
