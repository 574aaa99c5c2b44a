#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "projfgd/solvers/atom_sum.hpp"
#include "projfgd/solvers/lowest_eigenvector.hpp"

namespace projfgd {

struct UniPdGradOptions {
  bool accelerated = true;  ///< AccUniPDGrad, else UniPDGrad
  double accuracy = 1e-6;   ///< eps, relative to f(0) = 1/2 ||y||^2, > 0
  /// Xbar moves to the best point of the segment towards X*(l) instead of by the weight w / W, and
  /// acceleration starts afresh when g rises; else both as published. The bound holds either way.
  bool refined = true;
};

/// AccUniPDGrad and UniPDGrad (Yurtsever, Tran-Dinh, Cevher 2015) for min 1/2 ||p||^2 with
/// A(X) - p = y over X >= 0, tr X <= tau. They minimise the dual
///
///   g(l) = <l, y> + 1/2 ||l||^2 + tau max(0, -lambda_min(A*(l))),
///
/// whose gradient y + l - A(X*(l)) needs one lowest eigenvector v, X*(l) = tau v v^H, and average
/// those X*(l) into the answer. f(Xbar) + g(l) bounds f(Xbar) - f*.
///
/// The first l is A(X_0) - y, what the optimal l would be if X_0 were the answer, and the first M
/// is 1: 1/2 ||l||^2 makes g strongly convex with that modulus, so no smaller M can pass the test.
template <MeasurementOperator A, class Watcher>
class UniPdGradSolver {
 public:
  using F = typename A::Factor;
  using Real = RealOf<F>;

  UniPdGradSolver(const TraceProblem<A>& problem, const UniPdGradOptions& own,
                  const Options& options, Watcher& watcher)
      : problem_(problem),
        own_(own),
        accuracy_(own.accuracy * problem.y.squaredNorm() / 2),
        monitor_(options, watcher),
        lowest_(problem.op, options.seed) {
    recent_.fill(std::numeric_limits<double>::infinity());
  }

  Result<F> run(F start) {
    AtomSum<typename F::Scalar> mean(std::move(start));
    problem_.op.forward(mean.factor(), p_);
    l_ = p_ - problem_.y;
    ahead_ = l_;
    double value = l_.squaredNorm() / 2, weights = 0, t = 1;
    bool first = true;
    bool stop = monitor_.record(mean.factor(), value, std::numeric_limits<double>::infinity());
    while (!stop) {
      const double here = dual(ahead_);
      const F v = lowest_.vector();
      const double weight = lowest_.value() < 0 ? problem_.trace : 0;
      problem_.op.forward(v, image_);
      image_ *= Real(weight);  // A(X*(l))
      gradient_ = problem_.y + ahead_ - image_;
      if (!descend(here, t)) {
        stop = monitor_.stop(Status::converged, "no further decrease in this precision");
        break;
      }
      const double w = own_.accelerated ? t / curvature_ : 1 / curvature_;
      weights += w;
      const double published = w / weights;
      image_ -= p_;  // A(X*(l) - Xbar)
      const double c = own_.refined && !first ? segment_minimum() : published;
      first = false;
      // One short step is no sign of convergence: the longest of the last ones counts.
      recent_[monitor_.iterations() % recent_.size()] = c * mean.relative_distance(weight, v);
      const double change = *std::max_element(recent_.begin(), recent_.end());
      mean.step(c, weight, v);
      p_ += Real(c) * image_;
      value = (p_ - problem_.y).squaredNorm() / 2;
      const bool restart = own_.refined && rose();
      if (restart) {
        begin_round(value);
        t = 1;
      } else {
        extrapolate(t);
      }
      stop = monitor_.record(mean.factor(), value, change);
    }
    mean.compress();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    Result<F> out = monitor_.result(mean.factor(), value, nan);
    out.eigenproblems = lowest_.calls();
    out.gap = value + lowest_dual_;
    return out;
  }

 private:
  /// g(l); its lowest eigenvector stays in lowest_.
  double dual(const Vector<Real>& l) {
    lowest_.find(l, eigen_tolerance, 200);
    const double g =
        l.dot(problem_.y) + l.squaredNorm() / 2 + problem_.trace * std::max(0.0, -lowest_.value());
    lowest_dual_ = std::min(lowest_dual_, g);
    return g;
  }

  /// The a in [0, 1] that makes f(Xbar + a (X*(l) - Xbar)) smallest.
  double segment_minimum() const {
    const double square = image_.squaredNorm();
    return square > 0 ? std::clamp<double>((problem_.y - p_).dot(image_) / square, 0, 1) : 0;
  }

  /// l_+ = ahead - grad g / M with M doubled until the quadratic bound holds.
  bool descend(double here, double t) {
    if (!own_.accelerated) curvature_ = std::max(curvature_ / 2, 1.0);
    const double slack = accuracy_ / (own_.accelerated ? 2 * t : 2);
    const double square = gradient_.squaredNorm();
    for (; curvature_ < 1e15; curvature_ *= 2) {
      next_ = ahead_ - gradient_ / Real(curvature_);
      next_dual_ = dual(next_);
      if (next_dual_ <= here - square / (2 * curvature_) + slack) return true;
    }
    return false;
  }

  /// True when an accelerated step made g larger.
  bool rose() { return next_dual_ > std::exchange(dual_, next_dual_) && own_.accelerated; }

  /// Starts the acceleration afresh: from l = A(Xbar) - y if Xbar got better since the last time.
  void begin_round(double value) {
    const bool progress = value < 0.9 * round_value_;
    round_value_ = value;
    l_ = progress ? p_ - problem_.y : next_;
    ahead_ = l_;
    if (progress) {
      dual_ = std::numeric_limits<double>::infinity();
      curvature_ = std::max(curvature_ / 4, 1.0);
    }
  }

  void extrapolate(double& t) {
    const double next_t = (1 + std::sqrt(1 + 4 * t * t)) / 2;
    ahead_ = next_;
    if (own_.accelerated) ahead_ += Real((t - 1) / next_t) * (next_ - l_);
    std::swap(l_, next_);
    t = next_t;
  }

  static constexpr double eigen_tolerance = 1e-6;

  const TraceProblem<A>& problem_;
  const UniPdGradOptions own_;
  double accuracy_;
  Monitor<F, Watcher> monitor_;
  LowestEigenvector<A> lowest_;
  Vector<Real> p_, l_, ahead_, next_, gradient_, image_;
  std::array<double, 20> recent_;
  double round_value_ = std::numeric_limits<double>::infinity();
  double curvature_ = 1, next_dual_ = 0;
  double dual_ = std::numeric_limits<double>::infinity();
  double lowest_dual_ = std::numeric_limits<double>::infinity();
};

template <MeasurementOperator A, class Watcher = NoObserver>
Result<typename A::Factor> acc_uni_pd_grad(const TraceProblem<A>& problem, typename A::Factor start,
                                           const Options& options = {},
                                           const UniPdGradOptions& own = {}, Watcher watcher = {}) {
  validate(problem);
  validate(options);
  return UniPdGradSolver<A, Watcher>(problem, own, options, watcher).run(std::move(start));
}

}  // namespace projfgd
