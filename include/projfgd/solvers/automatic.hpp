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

#include <limits>
#include <optional>

#include "projfgd/measures/distance.hpp"
#include "projfgd/solvers/lbfgs_memory.hpp"
#include "projfgd/solvers/monitor.hpp"
#include "projfgd/solvers/step_rules.hpp"

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
    value_ = f_.at(u_);
    f_.gradient_times(u_, g_);
    gamma_ = first_gamma(start.smoothness);
    residual(u_, g_, r_);
    const double first_residual = residual_norm();
    bool stop = monitor_.record(u_, value_, std::numeric_limits<double>::infinity());
    while (!stop) {
      if (residual_norm() <= options_.gradient_tolerance * first_residual) {
        stop = monitor_.stop(Status::converged, "the projected gradient fell below the tolerance");
      } else if (!step()) {
        stop = monitor_.stop(Status::converged, "no further decrease in this precision");
      } else {
        stop = monitor_.record(u_, value_, change_);
      }
    }
    return monitor_.result(std::move(u_), value_, residual_norm());
  }

 private:
  static constexpr Real armijo = Real(1e-4);
  static constexpr double epsilon = std::numeric_limits<Real>::epsilon();

  double residual_norm() const { return norm(r_) / gamma_; }

  /// out = U - P_C(U - gamma G U)
  void residual(const F& u, const F& g, F& out) {
    scratch_ = u;
    axpy(-gamma_, g, scratch_);
    set_.project(scratch_);
    subtract(u, scratch_, out);
  }

  Real first_gamma(double smoothness) const {
    const double size = product_spectral_norm(u_), slope = norm(g_);
    const double gamma = 1 / (2 * smoothness * size);
    if (gamma > 0 && std::isfinite(gamma)) return static_cast<Real>(gamma);
    return static_cast<Real>(slope > 0 ? std::max(norm(u_), Real(1)) / slope : 1);
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
    const double slope = 2 * static_cast<double>(dot(g_, d_));
    if (!(slope < 0)) return false;
    double value = f_.at(next_);
    if (is_rounding(value, slope)) return accept_by_gradient(value);
    if (value <= value_ + armijo * slope) return accept(value);
    if (!is_convex(set_)) return false;
    return search_segment(value, slope);
  }

  /// The full step was too long: the best point of the segment, or halving where f has no line.
  bool search_segment(double value, double slope) {
    if constexpr (LineObjective<O>) {
      if (std::isfinite(value)) {
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

  /// True when the decrease that is promised is lost in the rounding of f.
  bool is_rounding(double value, double slope) const {
    const double noise = 20 * epsilon * std::abs(value_);
    return std::abs(slope) <= noise && std::abs(value - value_) <= noise;
  }

  /// Below the rounding of f the gradient still tells progress.
  bool accept_by_gradient(double value) {
    f_.gradient_times(next_, next_g_);
    residual(next_, next_g_, next_r_);
    if (!(norm(next_r_) < norm(r_))) return false;
    return move(value);
  }

  bool accept(double value) {
    f_.gradient_times(next_, next_g_);
    residual(next_, next_g_, next_r_);
    return move(value);
  }

  bool move(double value) {
    mean_ = u_;
    axpy(Real(0.5), d_, mean_);
    change_ = symmetric_product_norm(mean_, d_) / product_norm(next_);
    subtract(next_r_, r_, r_);
    memory_.push(d_, r_);
    update_gamma();
    std::swap(u_, next_);
    std::swap(g_, next_g_);
    std::swap(r_, next_r_);
    value_ = value;
    return true;
  }

  /// Keeps gamma within reach of 1 / L, measured by the gradient's change along the step.
  void update_gamma() {
    subtract(next_g_, g_, g_);
    const Real curvature = dot(g_, g_), along = dot(d_, g_);
    if (!(along > 0) || !(curvature > 0)) return;
    const Real wanted = along / curvature;
    if (wanted > gamma_ / 8 && wanted < gamma_ * 8) return;
    memory_.rescale(wanted / gamma_);
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
  Real gamma_ = 1;
  double value_ = 0, change_ = 0;
};

}  // namespace projfgd
