#pragma once

#include <algorithm>
#include <limits>
#include <utility>

#include "projfgd/solvers/atom_sum.hpp"
#include "projfgd/solvers/lowest_eigenvector.hpp"
#include "projfgd/solvers/momentum.hpp"
#include "projfgd/solvers/spectral_bundle.hpp"

namespace projfgd {

struct UniPdGradOptions {
  bool accelerated = true;  ///< AccUniPDGrad, else UniPDGrad
  double accuracy = 1e-6;   ///< eps of the published form, relative to f(0) = 1/2 ||y||^2, > 0
  bool refined = true;      ///< with the refinements below, else as published
};

/// AccUniPDGrad and UniPDGrad (Yurtsever, Tran-Dinh, Cevher 2015) for min kappa/2 ||p||^2 with
/// A(X) - p = y over X >= 0, tr X <= tau. They minimise the dual
///
///   g(l) = <l, y> + ||l||^2 / (2 kappa) + tau max(0, -lambda_min(A*(l))),
///
/// whose gradient y + l / kappa - A(X*(l)) needs one lowest eigenvector v, X*(l) = tau v v^H, and
/// average those X*(l) into the answer. f(Xbar) + g(l) / kappa bounds f(Xbar) - f*.
///
/// The published average takes 1 / eps^2 steps where g has kinks. Refined are:
/// 1. The scale. With the published kappa = 1 the optimal l = kappa (A(X) - y) is near 0 where the
///    data fit well, and v jumps there. Here kappa = c ||y|| / ||A(Xbar) - y||, and eps a constant
///    part of 1/2 ||y||^2 in the scaled problem: in the units of f it falls with the residual.
/// 2. The average: Xbar goes to the best point of the segment towards X*(l).
/// 3. Its correction: where f has not fallen to a quarter in as many products as it costs, Xbar
///    goes to the best point of a spectral bundle, which takes back the weight of early atoms.
/// 4. Restarts: when g rises, and at l = kappa (A(Xbar) - y), the dual point that belongs to Xbar,
///    when g is smaller there.
/// 5. Eigenvectors only as accurate as the residual asks for.
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
        tolerance_(options.tolerance),
        monitor_(options, watcher),
        lowest_(problem.op, options.seed, [this] { return monitor_.in_time(); }),
        bundle_(problem, bundle_width) {}

  UniPdGradSolver(const UniPdGradSolver&) = delete;
  UniPdGradSolver& operator=(const UniPdGradSolver&) = delete;

  Result<F> run(F start) {
    AtomSum<typename F::Scalar> mean(std::move(start));
    problem_.op.forward(mean.factor(), p_);
    begin();
    double weights = 0;
    double change = std::numeric_limits<double>::infinity();
    bool stop = monitor_.record(mean.factor(), value(), change);
    while (monitor_.goes_on(stop, *this, mean, weights, change)) {
      const double here = ahead_is_known_ ? dual(ahead_, lowest_.value()) : find_dual(ahead_);
      v_ = lowest_.vectors().leftCols(1);
      const double weight = lowest_.value() < 0 ? problem_.trace : 0;
      problem_.op.forward(v_, image_);
      image_ *= Real(weight);  // A(X*(l))
      gradient_ = problem_.y + ahead_ / Real(kappa_) - image_;
      if (!descend(here)) {
        if (!monitor_.in_time()) {
          monitor_.stop_early();
          break;
        }
        const double failed_at = std::exchange(failed_at_, value());
        if (!own_.refined || !(value() < failed_at)) {
          monitor_.stop(Status::converged, "no further decrease in this precision");
          break;
        }
        // The eigenvector was not the lowest one; another point finds its way out.
        const double moved = correct(mean, true);
        change = recent_.longest_with(moved);
        stop = monitor_.record(mean.factor(), value(), moved, change);
        continue;
      }
      const double w = own_.accelerated ? t_.now() / curvature_ : 1 / curvature_;
      weights += w;
      image_ -= p_;  // A(X*(l) - Xbar)
      const double c = own_.refined ? segment_minimum<Real>(p_ - problem_.y, image_) : w / weights;
      double step = mean.step(c, weight, v_);
      // A step of length 0 says that v was of no use, and nothing of convergence.
      if (c > 0) change = recent_.longest_with(step);
      p_ += Real(c) * image_;
      extrapolate();
      if (own_.refined) {
        if (residual() < scaled_at_ / 2) rescale();
        // Steps may be short only because the eigenvectors were rough: a correction will tell.
        if (correction_is_due() || change <= tolerance_) {
          const double moved = correct(mean, false);
          change = recent_.longest_with(moved);
          step += moved;  // at most that far in all
        }
      }
      stop = monitor_.record(mean.factor(), value(), step, change);
    }
    mean.compress();
    if (own_.refined && monitor_.in_time()) bound(Real(kappa_) * (p_ - problem_.y));
    Result<F> out = monitor_.result(mean.factor(), value());
    out.eigenproblems = lowest_.calls();
    out.gap = value() + lowest_dual_;
    return out;
  }

  /// All but the point and what run() has of its own.
  void keep(Archive& archive) {
    archive(lowest_, p_, l_, ahead_, t_, recent_, ahead_is_known_, kappa_, scaled_at_, curvature_,
            dual_, lowest_dual_, failed_at_, checked_, next_check_);
  }

 private:
  double residual() const { return (p_ - problem_.y).norm(); }
  double value() const { return problem_.value(p_); }

  /// Sets the first l: what the optimal one would be if X_0 were the answer.
  void begin() {
    l_ = p_ - problem_.y;
    const double size = residual();
    if (own_.refined && size > 0) {
      rescale();
      l_ *= Real(size_ / size);
    }
    ahead_ = l_;
    curvature_ = 1 / kappa_;  // the square in g has that modulus, so no smaller M can pass
    wait_for_correction();
  }

  /// A new kappa, and with it a new g.
  void rescale() {
    scaled_at_ = residual();
    kappa_ = far_from_zero * size_ /
             std::max<double>(scaled_at_, size_ * Eigen::NumTraits<Real>::epsilon());
    dual_ = std::numeric_limits<double>::infinity();
  }

  /// g(l), if lambda is the lowest eigenvalue of A*(l).
  double dual(const Vector<Real>& l, double lambda) const {
    return l.dot(problem_.y) + l.squaredNorm() / (2 * kappa_) +
           problem_.trace * std::max(0.0, -lambda);
  }

  /// g(l) as well as the step needs it; the lowest eigenpair of A*(l) stays in lowest_.
  double find_dual(const Vector<Real>& l) {
    if (!own_.refined) return bound(l);
    lowest_.find(l, wanted_accuracy(), most_products);
    return dual(l, lowest_.value());
  }

  /// g(l) with accurate pairs, `count` of them, and what it says of f*. A rough pair says nothing:
  /// it need not be the lowest one.
  double bound(const Vector<Real>& l, Index count = 1) {
    lowest_.find(l, finest_eigenvector, most_products, count);
    if (!monitor_.in_time()) return dual(l, lowest_.value());
    lowest_dual_ = std::min(lowest_dual_, dual(l, lowest_.value() - lowest_.residual()) / kappa_);
    return dual(l, lowest_.value());
  }

  /// Of an eigenvector: far from the answer a rough one leads the way as well, for a fraction of
  /// the products. It falls with the residual and, where noise keeps that from falling, with the
  /// gap and with the number of steps.
  double wanted_accuracy() const {
    const double open = std::min((value() + lowest_dual_) / value(), 1.0);
    const double rough =
        std::min(residual() / size_ * open * open, 1.0 / static_cast<double>(lowest_.calls() + 2));
    return std::clamp(rough, finest_eigenvector, roughest_eigenvector);
  }

  /// l_+ = ahead - grad g / M with M doubled until the quadratic bound holds.
  bool descend(double here) {
    if (!own_.accelerated) curvature_ = std::max(curvature_ / 2, 1 / kappa_);
    const double accuracy = (own_.refined ? scaled_accuracy : own_.accuracy) * size_ * size_ / 2;
    const double slack = accuracy / (own_.accelerated ? 2 * t_.now() : 2);
    const double square = gradient_.squaredNorm(), blur = lowest_.residual();
    for (int attempt = 0; attempt < 60 && monitor_.in_time(); ++attempt, curvature_ *= 2) {
      next_ = ahead_ - gradient_ / Real(curvature_);
      if (next_ == ahead_) break;  // lost in rounding
      next_dual_ = find_dual(next_);
      const double unsure = problem_.trace * (blur + lowest_.residual());
      if (next_dual_ <= here - square / (2 * curvature_) + slack + unsure) return true;
    }
    return false;
  }

  void extrapolate() {
    const bool rose = next_dual_ > std::exchange(dual_, next_dual_);
    ahead_ = next_;
    ahead_is_known_ = true;
    if (rose && own_.refined) {
      t_.restart();
    } else {
      const double momentum = t_.advance();
      if (own_.accelerated && momentum > 0) {
        ahead_ += static_cast<Real>(momentum) * (next_ - l_);
        ahead_is_known_ = false;
      }
    }
    std::swap(l_, next_);
  }

  bool correction_is_due() {
    if (lowest_.products() < next_check_) return false;
    const bool slow = value() > checked_ / 4;
    wait_for_correction();
    return slow;
  }

  void wait_for_correction() {
    checked_ = value();
    next_check_ = lowest_.products() + bundle_.cost(most_vectors);
  }

  /// Refinements 3 and 4, the restart in any case or if it lowers g; returns how far Xbar went.
  double correct(AtomSum<typename F::Scalar>& mean, bool restart) {
    mean.compress();
    F u = mean.factor();
    next_ = Real(kappa_) * (p_ - problem_.y);
    LowestPairs<F> earlier = lowest_.found();
    const double g = bound(next_, std::min(u.cols() + 1, most_vectors));
    const double moved = bundle_.step(lowest_.vectors(), u, p_);
    if (restart || g < dual_) {
      std::swap(l_, next_);
      ahead_ = l_;
      ahead_is_known_ = true;
      dual_ = g;
      curvature_ = restart ? 1 / kappa_ : std::max(curvature_ / 4, 1 / kappa_);
      t_.restart();
    } else {
      lowest_.put_back(std::move(earlier));
    }
    mean.assign(std::move(u));
    if (residual() < scaled_at_ / 2) rescale();
    wait_for_correction();
    return moved > 0 ? moved / mean.size() : 0;
  }

  static constexpr double finest_eigenvector = 1e-6, roughest_eigenvector = 1e-2;
  static constexpr Index most_products = 200;      ///< for an eigenvector
  static constexpr double far_from_zero = 100;     ///< c of kappa
  static constexpr double scaled_accuracy = 1e-2;  ///< eps of the refined form
  static constexpr Index bundle_width = 8, most_vectors = 4;

  const TraceProblem<A>& problem_;
  const UniPdGradOptions own_;
  double size_;       ///< ||y||
  double tolerance_;  ///< of the run
  Monitor<F, Watcher> monitor_;
  LowestEigenvector<A> lowest_;
  SpectralBundle<A> bundle_;
  F v_;  ///< of X*(l)
  Vector<Real> p_, l_, ahead_, next_, gradient_, image_;
  NesterovWeights t_;
  RecentSteps recent_{StopWindow::uni_pd_grad};
  bool ahead_is_known_ = false;  ///< lowest_ has the pairs of A*(ahead)
  double kappa_ = 1, scaled_at_ = 0, curvature_ = 1, next_dual_ = 0;
  double dual_ = std::numeric_limits<double>::infinity();
  double lowest_dual_ = std::numeric_limits<double>::infinity();
  double failed_at_ = std::numeric_limits<double>::infinity();
  double checked_ = 0;  ///< f when a correction was last thought of
  Index next_check_ = 0;
};

template <MeasurementOperator A, class Watcher = NoObserver>
Result<typename A::Factor> acc_uni_pd_grad(const TraceProblem<A>& problem, typename A::Factor start,
                                           const Options& options = {},
                                           const UniPdGradOptions& own = {}, Watcher watcher = {}) {
  return solve_trace_problem<UniPdGradSolver>(problem, std::move(start), options, own, watcher);
}

}  // namespace projfgd
