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
  double eigen_tolerance = 1e-8;  ///< see EigenOptions
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
    eigen_.tolerance = own.eigen_tolerance;
    eigen_.max_products = 300;
    eigen_.seed = options.seed;
    const AdjointMap<A> map{problem.op, problem.y};
    const double largest = std::max<double>(largest_eigenpairs(map, 1, eigen_).values[0], 0);
    last_lambda_ = own.lambda > 0 ? own.lambda : own.relative_lambda * largest;
    lambda_ = std::max(last_lambda_, largest / 4);
    leap_ = smallest_lambda * largest;
  }

  Result<F> run(F start) {
    u_ = std::move(start);
    problem_.op.forward(u_, p_);
    const double seen = p_.norm();
    mu_ = seen > 0 ? std::pow(product_norm(u_) / seen, 2) : 1;
    before_ = u_;
    p_before_ = p_;
    NesterovWeights weights;
    bool stop = monitor_.record(u_, fit(p_), std::numeric_limits<double>::infinity());
    while (!stop) {
      const double value = penalised();
      proximal_step(weights.advance());
      if (penalised() > value) weights.restart();
      double change = difference_norm(u_, before_) / std::max<double>(product_norm(u_), tiny);
      if (change <= settled_ && lambda_ > last_lambda_) {
        lambda_ = lambda_ / 4 > leap_ ? std::max(lambda_ / 4, last_lambda_) : last_lambda_;
        weights.restart();
        change = std::numeric_limits<double>::infinity();  // of a problem that is not yet ours
      }
      stop = monitor_.record(u_, fit(p_), change);
    }
    const double value = fit(p_);
    Result<F> out = monitor_.result(std::move(u_), value);
    out.eigenproblems = eigenproblems_;
    return out;
  }

 private:
  double fit(const Vector<Real>& p) const { return (p - problem_.y).squaredNorm() / 2; }
  double penalised() const { return fit(p_) + lambda_ * u_.squaredNorm(); }

  void proximal_step(double beta) {
    ahead_ = p_ + Real(beta) * (p_ - p_before_);  // A(Y)
    residual_ = ahead_ - problem_.y;
    F next;
    for (int attempt = 0; attempt < 60; ++attempt, mu_ /= 2) {
      next = shrunk({problem_.op, residual_, mu_, u_, before_, beta});
      problem_.op.forward(next, image_);
      if (bound_holds(next, beta)) break;
    }
    before_ = std::exchange(u_, std::move(next));
    std::swap(p_before_, p_);
    std::swap(p_, image_);
  }

  /// P_+(h - mu lambda I) as a factor; at least one column.
  F shrunk(const GradientStepMap<A>& map) {
    const Index n = u_.rows();
    const Real floor = static_cast<Real>(mu_ * lambda_);
    for (Index wanted = std::min(n, u_.cols() + 2);; wanted = std::min(n, 2 * wanted)) {
      ++eigenproblems_;
      auto pairs = largest_eigenpairs(map, wanted, eigen_, &u_);
      const Index found = pairs.values.size();
      if (wanted < n && pairs.values[found - 1] > floor) continue;
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
    double square = 0;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        square += c[i] * c[j] * gram(*part[i], *part[j]).squaredNorm();
      }
    }
    if (square <= 1e-10 * std::pow(product_norm(next), 2)) return true;
    return mu_ * (image_ - ahead_).squaredNorm() <= square * (1 + 1e-3);
  }

  static constexpr double tiny = std::numeric_limits<double>::min();
  static constexpr double smallest_lambda = 1e-6;  ///< before 0, relative to ||A*(y)||_2

  const TraceProblem<A>& problem_;
  Monitor<F, Watcher> monitor_;
  EigenOptions eigen_;
  double settled_, last_lambda_ = 0, lambda_ = 0, leap_ = 0, mu_ = 1;
  F u_, before_;
  Vector<Real> p_, p_before_, ahead_, residual_, image_;
  Index eigenproblems_ = 0;
};

template <MeasurementOperator A, class Watcher = NoObserver>
Result<typename A::Factor> nuclear_norm(const TraceProblem<A>& problem, typename A::Factor start,
                                        const Options& options = {},
                                        const NuclearNormOptions& own = {}, Watcher watcher = {}) {
  return solve_trace_problem<NuclearNormSolver>(problem, std::move(start), options, own, watcher);
}

}  // namespace projfgd
