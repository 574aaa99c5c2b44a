// The step rule `auto`: projected quasi-Newton steps with nothing to tune.
//
// A point is stationary exactly when r(U) = U - P_C(U - gamma G U) vanishes, for any gamma > 0. The
// method drives r to zero by L-BFGS, projects what comes out, and asks for a decrease of f:
//
//   D = P_C(U - H r) - U;   U + D if f decreases enough, else the best point of the segment,
//                           else the projected gradient step D = -r with a smaller gamma.
//
// Without a set r is gamma G U and this is L-BFGS; where a set is active, r lives on its face and
// so do the steps. Every iterate is feasible, f never rises beyond rounding, and a step that is
// accepted at once costs one product with A and one with its adjoint.
#pragma once

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "projfgd/core/small_matrix.hpp"
#include "projfgd/measures/distance.hpp"
#include "projfgd/solvers/lbfgs_memory.hpp"
#include "projfgd/solvers/monitor.hpp"
#include "projfgd/solvers/step_rules.hpp"
#include "projfgd/starts/random.hpp"

namespace projfgd {

template <Objective O, Constraint<typename O::Factor> C, class Watcher>
class AutomaticSolver {
 public:
  using F = typename O::Factor;
  using Real = RealOf<F>;

  AutomaticSolver(O& f, const C& set, const Options& options, Watcher& watcher)
      : f_(f), set_(set), options_(options), monitor_(options, watcher), memory_(options.memory) {}

  Result<F> run(Start<F> start) {
    u_ = std::move(start.factor);
    set_.project(u_);
    fill_rank();
    start_size_ = norm(u_);
    enter_domain();
    f_.gradient_times(u_, g_);
    gamma_ = reference_gamma_ = first_gamma(start.smoothness);
    residual(u_, g_, r_);
    const double goal = options_.gradient_tolerance * norm(r_) / gamma_;
    bool stop = monitor_.record(u_, value_, std::numeric_limits<double>::infinity());
    while (!stop) {
      if (stationary(goal)) {
        stop = monitor_.stop(Status::converged, "the projected gradient fell below the tolerance");
      } else if (!step()) {
        change_ = 0;
        stop = monitor_.stop(Status::converged, "no further decrease in this precision");
      } else {
        stop = monitor_.record(u_, value_, change_);
      }
      if (stop && monitor_.status() == Status::converged && (escape() || stretch())) {
        stop = monitor_.record(u_, value_, change_);
      }
    }
    if (monitor_.status() == Status::converged && is_short() && gradient_is_wrong()) {
      monitor_.stop(Status::stalled, "f does not fall along its gradient: one of them is wrong");
    }
    const double stationarity = projected_gradient();
    return monitor_.result(std::move(u_), value_, stationarity);
  }

 private:
  static constexpr Real armijo = Real(1e-4);
  static constexpr int most_idle = 30, most_stretches = 20;
  static constexpr double epsilon = std::numeric_limits<Real>::epsilon();

  /// ||U - P_C(U - gamma G U)||_F / gamma with the gamma of the start, so that it can be compared
  /// with the start's.
  double projected_gradient() {
    if (gamma_ == reference_gamma_) return norm(r_) / gamma_;
    residual(u_, g_, reference_gamma_, next_r_);
    return norm(next_r_) / reference_gamma_;
  }

  /// The left side is a lower bound of the projected gradient, whatever gamma is now.
  bool stationary(double goal) {
    return norm(r_) / std::max(gamma_, reference_gamma_) <= goal && projected_gradient() <= goal;
  }

  void residual(const F& u, const F& g, F& out) { residual(u, g, gamma_, out); }

  /// out = U - P_C(U - gamma G U)
  void residual(const F& u, const F& g, Real gamma, F& out) {
    scratch_ = u;
    axpy(-gamma, g, scratch_);
    set_.project(scratch_);
    subtract(u, scratch_, out);
  }

  /// 1 / (2 L ||X||_2), but no step longer than U itself: a longer one would only measure the set.
  Real first_gamma(double smoothness) const {
    const double size = product_spectral_norm(u_), slope = norm(g_);
    const double gamma = 1 / (2 * smoothness * size);
    const double longest = slope > 0 ? norm(u_) / slope : 1;
    return static_cast<Real>(gamma > 0 && gamma < longest ? gamma : longest);
  }

  Vector<Real> gram_eigenvalues() const { return hermitian_eigen(gram(u_, u_)).values; }

  void add_noise(Real share) {
    F noise(u_.rows(), u_.cols());
    fill_normal(RandomStream(options_.seed, 0xF111), noise);
    axpy(share * norm(u_) / norm(noise), noise, u_);
  }

  /// Where f is infinite, as a likelihood is when something was counted that the start rules out,
  /// there is no gradient: the start gets a random part until it is not.
  void enter_domain() {
    value_ = f_.at(u_);
    for (Real share = Real(0.1); !std::isfinite(value_) && share < 10; share *= 2) {
      add_noise(share);
      set_.project(u_);
      value_ = f_.at(u_);
    }
  }

  /// The gradient G U of a zero column is zero, so it would never move: a start of lower rank than
  /// its columns gets a small random part.
  void fill_rank() {
    if (norm(u_) == 0) {
      u_ = random_start(f_, u_.cols(), options_.seed).factor;
    } else {
      const Vector<Real> values = gram_eigenvalues();
      if (values[0] > std::max(Real(1e-12), 10 * Real(epsilon)) * values[values.size() - 1]) return;
      add_noise(Real(1e-3));
    }
    set_.project(u_);
  }

  /// Where U has lost rank, a negative eigenvalue of grad f(X) is a descent that no gradient step
  /// sees. Moves there; false when U has full rank or there is no such descent.
  bool escape() {
    const Real unit = start_size_ / std::sqrt(static_cast<Real>(u_.cols()));
    if (escapes_ == u_.cols() || gram_eigenvalues()[0] > Real(1e-4) * unit * unit) return false;
    ++escapes_;
    f_.at(u_);
    EigenOptions eigen;
    eigen.seed = options_.seed;
    eigen.max_products = 30;
    const GradientMap<O> gradient{f_};
    const auto lowest = largest_eigenpairs(Negated<GradientMap<O>>{gradient}, 1, eigen);
    Index weakest = 0;
    u_.colwise().squaredNorm().minCoeff(&weakest);
    double length = unit;
    while (lowest.values[0] * length * length > 100 * epsilon * std::abs(value_)) {
      next_ = u_;
      next_.col(weakest) += static_cast<Real>(length) * lowest.vectors.col(0);
      set_.project(next_);
      const double value = f_.at(next_);
      if (value < value_ - 10 * epsilon * std::abs(value_)) {
        subtract(next_, u_, d_);
        memory_.clear();
        return accept(value);
      }
      length /= 4;
    }
    return false;
  }

  /// Where f curves much more in some directions than in others, steps may be short long before
  /// the end. When they are, looks along the gradient much farther than the tolerance; moves there
  /// and returns true if f is lower.
  bool stretch() {
    const double steepest = norm(r_);
    if (!is_short() || !(steepest > 0) || ++stretches_ > most_stretches) return false;
    for (double length = 0.1; length > 10 * options_.tolerance; length /= 10) {
      next_ = u_;
      axpy(static_cast<Real>(-length * norm(u_) / steepest), r_, next_);
      set_.project(next_);
      const double value = f_.at(next_);
      if (value < value_ - noise()) {
        subtract(next_, u_, d_);
        memory_.clear();
        return accept(value);
      }
    }
    return false;
  }

  /// The last step was below the tolerance.
  bool is_short() const { return change_ <= options_.tolerance; }

  /// Compares a two-sided difference of f along the gradient, short but well above rounding, with
  /// what the gradient says. Only inside the set, and far from a minimum, where gamma G U is not
  /// small beside U: near one, rounding has the last word.
  bool gradient_is_wrong() {
    if (2 * reference_gamma_ * norm(g_) < Real(1e-3) * norm(u_)) return false;
    scratch_ = r_;
    axpy(-gamma_, g_, scratch_);
    if (norm(scratch_) > std::sqrt(epsilon) * norm(r_)) return false;
    const double slope = 2 * static_cast<double>(norm(g_)), length = 1e4 * noise() / slope;
    if (!(length < 1e-3 * norm(u_))) return false;
    const auto at = [&](double t) {
      next_ = u_;
      axpy(static_cast<Real>(t / norm(g_)), g_, next_);
      return f_.at(next_);
    };
    const double ratio = (at(length) - at(-length)) / (2 * length * slope);
    return ratio < 0.5 || ratio > 1.5;
  }

  /// One accepted step, or false when f cannot be decreased any more.
  bool step() {
    const auto right = preconditioner();
    memory_.direction(r_, right ? &*right : nullptr, d_);
    if (try_direction()) return true;
    for (int attempt = 0; attempt < 60; ++attempt) {  // projected gradient, ever shorter
      if (!memory_.empty()) {
        memory_.clear();
      } else {
        gamma_ /= attempt == 0 ? 1 : 4;
        residual(u_, g_, r_);
      }
      d_ = r_;
      scale(-1, d_);
      if (try_direction()) return true;
      if (norm(d_) <= epsilon * norm(u_)) break;
    }
    return false;
  }

  /// Moves along the projected d_ if that decreases f; d_ becomes the step to the projected point.
  bool try_direction() {
    next_ = u_;
    axpy(1, d_, next_);
    set_.project(next_);
    subtract(next_, u_, d_);
    // On a curved boundary the chord d_ may rise at first and still end lower, and its slope drowns
    // in the rounding of g_, which does not vanish there. r_ has neither fault.
    const double slope = 2 * static_cast<double>(dot(g_, d_));
    const double along_residual = 2 * static_cast<double>(dot(r_, d_)) / gamma_;
    const double promised = slope < 0 ? std::max(slope, along_residual) : along_residual;
    if (!(promised < 0)) return false;
    line_ready_ = at_u_;  // the objective's line starts at the point before the last
    at_u_ = false;
    const double value = f_.at(next_);
    if (is_rounding(value, promised)) return accept_by_gradient(value);
    if (value <= value_ + armijo * promised) return accept(value);
    if (!is_convex(set_) || !(slope < 0)) return false;
    return search_segment(value, slope);
  }

  /// The full step was too long: the best point of the segment, or halving where f has no line.
  bool search_segment(double value, double slope) {
    if constexpr (LineObjective<O>) {
      if (std::isfinite(value)) {
        if (!line_ready_) {
          f_.at(u_);
          f_.at(next_);
        }
        f_.line(u_, d_);
        const double t = f_.line_minimum(1);
        if (!(t > 0)) return false;
        value = f_.move_on_line(t);
        return finish_segment(t, value, slope);
      }
    }
    for (double t = 0.5; t > 1e-10; t /= 2) {
      place_on_segment(t);
      value = f_.at(next_);
      if (value <= value_ + armijo * t * slope) return finish_segment(t, value, slope);
    }
    return false;
  }

  void place_on_segment(double t) {
    next_ = u_;
    axpy(static_cast<Real>(t), d_, next_);
  }

  bool finish_segment(double t, double value, double slope) {
    place_on_segment(t);
    scale(static_cast<Real>(t), d_);
    if (is_rounding(value, t * slope)) return accept_by_gradient(value);
    return value <= value_ + armijo * t * slope && accept(value);
  }

  /// The rounding of f: of its own value, and of predictions whose errors weigh as <G, X>.
  double noise() const {
    return 20 * epsilon * (std::abs(value_) + static_cast<double>(norm(g_)) * norm(u_));
  }
  /// True when the decrease that is promised is lost in the rounding of f.
  bool is_rounding(double value, double slope) const {
    return std::abs(slope) <= noise() && std::abs(value - value_) <= noise();
  }

  /// Below the rounding of f the gradient still tells progress.
  bool accept_by_gradient(double value) {
    f_.gradient_times(next_, next_g_);
    residual(next_, next_g_, next_r_);
    // The slopes at both ends of the step, up to a factor: a step that ends before the far wall of
    // its valley is kept even where the residual grows for a while.
    const Real before = dot(r_, d_), after = dot(next_r_, d_);
    const bool overshoots = after > Real(0.9) * std::abs(before) || norm(next_r_) > 2 * norm(r_);
    if (overshoots && !(norm(next_r_) < norm(r_))) return false;
    const bool progress = norm(next_r_) < Real(0.9) * least_residual_;
    idle_ = progress ? 0 : idle_ + 1;
    if (idle_ % 10 == 9) memory_.clear();  // projected gradients may still contract
    return idle_ <= most_idle && move(value);
  }

  bool accept(double value) {
    f_.gradient_times(next_, next_g_);
    residual(next_, next_g_, next_r_);
    return move(value);
  }

  bool move(double value) {
    least_residual_ = std::min(least_residual_, norm(next_r_));
    mean_ = u_;
    axpy(Real(0.5), d_, mean_);
    change_ = symmetric_product_norm(mean_, d_) / product_norm(next_);
    subtract(next_r_, r_, r_);
    // Negative curvature: old pairs know only short steps, and the way out of a saddle is long.
    if (!memory_.push(d_, r_)) memory_.clear();
    update_gamma();
    std::swap(u_, next_);
    std::swap(g_, next_g_);
    std::swap(r_, next_r_);
    value_ = value;
    at_u_ = true;
    return true;
  }

  /// Keeps gamma within reach of 1 / L, measured by the gradient's change along the step.
  void update_gamma() {
    subtract(next_g_, g_, g_);
    const Real curvature = dot(g_, g_), along = dot(d_, g_);
    if (!(curvature > 0)) return;
    // A negative curvature bounds no step: it grows until it could double U.
    const Real longest = norm(next_) / norm(next_g_);
    const Real wanted = along > 0 ? along / curvature : std::max(gamma_, longest);
    if (wanted > gamma_ / 8 && wanted < gamma_ * 8) return;
    memory_.rescale(wanted / gamma_);
    least_residual_ *= wanted / gamma_;
    gamma_ = wanted;
    residual(next_, next_g_, next_r_);
  }

  /// K = (U^H U + lambda I)^{-1} for rank above one, lambda shrinking with the residual.
  std::optional<Matrix<typename F::Scalar>> preconditioner() const {
    const Index rank = u_.cols();
    if (rank == 1 || memory_.empty() || !is_rotation_invariant(set_)) return std::nullopt;
    auto k = gram(u_, u_);
    const Real size = std::real(k.trace());
    const Real lambda = std::max(norm(r_) * std::sqrt(size), Real(1e-6) * size);
    k.diagonal().array() += lambda;
    return k.llt().solve(Matrix<typename F::Scalar>::Identity(rank, rank));
  }

  O& f_;
  const C& set_;
  const Options& options_;
  Monitor<F, Watcher> monitor_;
  LbfgsMemory<F> memory_;
  F u_, g_, r_, d_, next_, next_g_, next_r_, scratch_, mean_;
  Real gamma_ = 1, reference_gamma_ = 1;
  Real least_residual_ = std::numeric_limits<Real>::infinity();
  int idle_ = 0;  ///< steps since the residual was last smaller, once f is lost in rounding
  Real start_size_ = 0;
  Index escapes_ = 0;
  int stretches_ = 0;
  double value_ = 0, change_ = 0;
  bool at_u_ = true, line_ready_ = true;
};

}  // namespace projfgd
