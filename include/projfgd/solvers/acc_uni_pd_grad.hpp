#pragma once

#include <algorithm>
#include <cmath>

#include "projfgd/solvers/atom_sum.hpp"
#include "projfgd/solvers/lowest_eigenvector.hpp"

namespace projfgd {

struct UniPdGradOptions {
  bool accelerated = true;  ///< AccUniPDGrad, else UniPDGrad
  double accuracy = 1e-2;   ///< eps, relative to 1/2 ||y||^2 in the units of l, > 0
  /// The scaling below, the best point of the segment towards X*(l) instead of the weight w / W,
  /// and acceleration afresh when g rises; else all as published. The bound holds either way.
  bool refined = true;
};

/// AccUniPDGrad and UniPDGrad (Yurtsever, Tran-Dinh, Cevher 2015) for min kappa/2 ||p||^2 with
/// A(X) - p = y over X >= 0, tr X <= tau. They minimise the dual
///
///   g(l) = <l, y> + ||l||^2 / (2 kappa) + tau max(0, -lambda_min(A*(l))),
///
/// whose gradient y + l / kappa - A(X*(l)) needs one lowest eigenvector v, X*(l) = tau v v^H, and
/// average those X*(l) into the answer. f(Xbar) + g(l) / kappa bounds f(Xbar) - f*.
///
/// The published method has kappa = 1. Where the data fit well the optimal l is then near 0, where
/// v jumps and g is not smooth, and the method crawls. Any kappa gives the same problem; the
/// optimal l is kappa (A(X) - y). So kappa grows as the residual shrinks, kappa = c ||y|| /
/// ||A(Xbar) - y||, which keeps l away from 0. The first l is A(X_0) - y, what the optimal one
/// would be if X_0 were the answer, with the length of y; the first M is 1 / kappa: the square in g
/// makes it strongly convex with that modulus, so no smaller M can pass the test.
template <MeasurementOperator A, class Watcher>
class UniPdGradSolver {
 public:
  using F = typename A::Factor;
  using Real = RealOf<F>;

  UniPdGradSolver(const TraceProblem<A>& problem, const UniPdGradOptions& own,
                  const Options& options, Watcher& watcher)
      : problem_(problem),
        own_(own),
        size_(problem.y.norm()),
        monitor_(options, watcher),
        lowest_(problem.op, options.seed) {}

  Result<F> run(F start) {
    AtomSum<typename F::Scalar> mean(std::move(start));
    problem_.op.forward(mean.factor(), p_);
    double residual = begin();
    double value = residual * residual / 2, weights = 0, t = 1;
    double change = std::numeric_limits<double>::infinity();
    bool stop = monitor_.record(mean.factor(), value, change);
    while (!stop) {
      const double here = dual(ahead_);
      const F v = lowest_.vector();
      const double weight = lowest_.value() < 0 ? problem_.trace : 0;
      problem_.op.forward(v, image_);
      image_ *= Real(weight);  // A(X*(l))
      gradient_ = problem_.y + ahead_ / Real(kappa_) - image_;
      if (!descend(here, t)) {
        stop = monitor_.stop(Status::converged, "no further decrease in this precision");
        break;
      }
      const double w = own_.accelerated ? t / curvature_ : 1 / curvature_;
      weights += w;
      image_ -= p_;  // A(X*(l) - Xbar)
      const double c = own_.refined ? segment_minimum() : w / weights;
      // A step of length 0 says that v was of no use, and nothing of convergence.
      if (c > 0) change = recent_.longest_with(c * mean.relative_distance(weight, v));
      mean.step(c, weight, v);
      p_ += Real(c) * image_;
      residual = (p_ - problem_.y).norm();
      value = residual * residual / 2;
      extrapolate(t);
      if (own_.refined && residual < scaled_at_ / 2) rescale(residual);
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
  /// Sets the first l; returns ||A(X_0) - y||.
  double begin() {
    l_ = p_ - problem_.y;
    const double residual = l_.norm();
    if (own_.refined && residual > 0) {
      rescale(residual);
      l_ *= Real(size_ / residual);
    }
    ahead_ = l_;
    curvature_ = 1 / kappa_;
    return residual;
  }

  /// A new kappa, and with it a new g.
  void rescale(double residual) {
    kappa_ = far_from_zero * size_ /
             std::max<double>(residual, size_ * Eigen::NumTraits<Real>::epsilon());
    scaled_at_ = residual;
    dual_ = std::numeric_limits<double>::infinity();
  }

  /// g(l); its lowest eigenvector stays in lowest_.
  double dual(const Vector<Real>& l) {
    lowest_.find(l, eigen_tolerance, 200);
    const double g = l.dot(problem_.y) + l.squaredNorm() / (2 * kappa_) +
                     problem_.trace * std::max(0.0, -lowest_.value());
    lowest_dual_ = std::min(lowest_dual_, g / kappa_);
    return g;
  }

  /// The a in [0, 1] that makes f(Xbar + a (X*(l) - Xbar)) smallest.
  double segment_minimum() const {
    const double square = image_.squaredNorm();
    return square > 0 ? std::clamp<double>((problem_.y - p_).dot(image_) / square, 0, 1) : 0;
  }

  /// l_+ = ahead - grad g / M with M doubled until the quadratic bound holds.
  bool descend(double here, double t) {
    if (!own_.accelerated) curvature_ = std::max(curvature_ / 2, 1 / kappa_);
    const double accuracy = own_.accuracy * size_ * size_ / 2;
    const double slack = accuracy / (own_.accelerated ? 2 * t : 2);
    const double square = gradient_.squaredNorm();
    for (int attempt = 0; attempt < 60; ++attempt, curvature_ *= 2) {
      next_ = ahead_ - gradient_ / Real(curvature_);
      next_dual_ = dual(next_);
      if (next_dual_ <= here - square / (2 * curvature_) + slack) return true;
    }
    return false;
  }

  void extrapolate(double& t) {
    const bool rose = next_dual_ > std::exchange(dual_, next_dual_);
    ahead_ = next_;
    if (rose && own_.refined) {
      t = 1;
    } else {
      const double next_t = (1 + std::sqrt(1 + 4 * t * t)) / 2;
      if (own_.accelerated) ahead_ += Real((t - 1) / next_t) * (next_ - l_);
      t = next_t;
    }
    std::swap(l_, next_);
  }

  static constexpr double eigen_tolerance = 1e-6;
  static constexpr double far_from_zero = 100;  ///< c of kappa

  const TraceProblem<A>& problem_;
  const UniPdGradOptions own_;
  double size_;  ///< ||y||
  Monitor<F, Watcher> monitor_;
  LowestEigenvector<A> lowest_;
  Vector<Real> p_, l_, ahead_, next_, gradient_, image_;
  RecentSteps recent_{20};
  double kappa_ = 1, scaled_at_ = 0, curvature_ = 1, next_dual_ = 0;
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
