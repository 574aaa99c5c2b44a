// The step rule `auto`: projected quasi-Newton steps with nothing to tune, a start that they can
// leave, and a second look at every end. Every iterate is feasible and f never rises beyond
// rounding.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "projfgd/core/small_matrix.hpp"
#include "projfgd/solvers/monitor.hpp"
#include "projfgd/solvers/quasi_newton.hpp"
#include "projfgd/starts/random.hpp"

namespace projfgd {

template <Objective O, Constraint<typename O::Factor> C, class Watcher>
class AutomaticSolver {
 public:
  using F = typename O::Factor;
  using Real = RealOf<F>;

  AutomaticSolver(O& f, const C& set, const Options& options, Watcher& watcher)
      : f_(f),
        set_(set),
        options_(options),
        monitor_(options, watcher),
        steps_(f, set, options.memory) {}

  /// From a U in C.
  Result<F> run(Start<F> start) {
    begin(std::move(start));
    GradientScale scale(steps_.projected_gradient(), norm(steps_.point()));
    bool stop = record();
    while (!stop) {
      const double goal = options_.gradient_tolerance * scale.gradient();
      if (!steps_.is_finite()) {
        stop = monitor_.stop(Status::diverged, what_is_not_finite());
      } else if (steps_.is_stationary(goal)) {
        if (scale.follow(steps_.projected_gradient(), norm(steps_.point()))) continue;
        if (has_fallen_far() && is_steep_beside_zero(scale)) continue;
        stop = end("the projected gradient fell below the tolerance");
      } else if (!steps_.step()) {
        stop = steps_.is_blind() ? monitor_.stop(Status::diverged, "f is not finite beside U")
                                 : end("no further decrease in this precision");
      } else {
        stop = record();
      }
      const bool may_go_on = monitor_.iterations() < options_.max_iterations;
      if (stop && may_go_on && monitor_.status() == Status::converged) {
        if (learn_anew()) {
          stop = false;
        } else if (escape() || stretch()) {
          // What was small beside the gradient of a start far away is not small here.
          if (is_far_from_start()) scale = {steps_.projected_gradient(), norm(steps_.point())};
          stop = record();
        }
      }
    }
    // A gradient that is wrong does not get far without a step that has to be cut.
    const bool suspect = is_short() && steps_.is_troubled();
    if (monitor_.status() == Status::converged && suspect && steps_.gradient_is_wrong()) {
      monitor_.stop(Status::stalled, "f does not fall along its gradient: one of them is wrong");
    }
    const double stationarity = steps_.last_gradient();
    if (monitor_.status() == Status::converged && !std::isfinite(stationarity)) {
      monitor_.stop(Status::diverged, broken_projection);
    }
    return monitor_.result(steps_.take_point(), steps_.value(), stationarity);
  }

 private:
  static constexpr int most_stretches = 20, most_restarts = 20;
  static constexpr double epsilon = std::numeric_limits<Real>::epsilon();

  bool record() { return monitor_.record(steps_.point(), steps_.value(), steps_.change()); }

  const char* what_is_not_finite() const {
    if (falls_without_bound(steps_.value(), norm(steps_.point()), start_size_)) {
      return "f falls without bound";
    }
    if (std::isfinite(steps_.value())) return "the gradient of f is not finite";
    if (monitor_.iterations() > 0) return "f is no longer finite";
    return "f is not finite at the start, nor at any point that was tried beside it";
  }

  bool end(const char* why) { return monitor_.stop(Status::converged, why); }

  void begin(Start<F> start) {
    F& u = start.factor;
    fill_rank(u);
    start_size_ = norm(u);
    const double value = enter_domain(u);
    start_value_ = value;
    steps_.start(std::move(u), value, start.smoothness);
  }

  static Vector<Real> gram_eigenvalues(const F& u) { return hermitian_eigenvalues(gram(u, u)); }

  void add_noise(Real share, F& u) {
    F noise(u.rows(), u.cols());
    fill_normal(RandomStream(options_.seed, 0xF111), noise);
    axpy(share * norm(u) / norm(noise), noise, u);
  }

  /// Where f is infinite, as a likelihood is when something was counted that the start rules out,
  /// there is no gradient: the start gets a random part until it is not, and where that will not do
  /// it gets the moduli of its entries, whose products are all above 0. Returns f there.
  double enter_domain(F& u) {
    double value = f_.at(u);
    for (Real share = Real(0.1); !std::isfinite(value) && share < 10; share *= 2) {
      add_noise(share, u);
      set_.project(u);
      value = f_.at(u);
    }
    if (!std::isfinite(value)) {
      add_noise(1, u);
      u = u.cwiseAbs().template cast<typename F::Scalar>();
      go_to_best_of_ray(u);
      set_.project(u);
      value = f_.at(u);
    }
    return value;
  }

  std::function<bool()> go_on() const {
    return [this] { return monitor_.in_time(); };
  }

  /// From where nothing is lost or infinite because U is tiny.
  void go_to_best_of_ray(F& u) {
    scale(1 / norm(u), u);
    const double best = ray_minimum(f_, u, go_on());
    if (best > 0 && std::isfinite(best)) scale(static_cast<Real>(std::sqrt(best)), u);
  }

  /// The gradient G U of a zero column is zero, so it would never move: a start of lower rank than
  /// its columns gets a small random part.
  void fill_rank(F& u) {
    const Real size = norm(u);
    if (size > 0 && size * size * size * size < std::numeric_limits<Real>::min()) {
      go_to_best_of_ray(u);  // the squares of X are lost here
      set_.project(u);
    }
    if (size == 0) {
      u = random_start(f_, u.cols(), options_.seed, go_on()).factor;
    } else {
      const Vector<Real> values = gram_eigenvalues(u);
      if (values[0] > std::max(Real(1e-12), 10 * Real(epsilon)) * values[values.size() - 1]) return;
      add_noise(Real(1e-3), u);
    }
    set_.project(u);
  }

  /// Where U has lost rank, a negative eigenvalue of grad f(X) is a descent that no gradient step
  /// sees. Moves there; false when U has full rank or there is no such descent.
  bool escape() {
    if constexpr (!KnowsGradientMap<O>) return false;
    const F& u = steps_.point();
    const Real unit = start_size_ / std::sqrt(static_cast<Real>(u.cols()));
    if (escapes_ == u.cols() || gram_eigenvalues(u)[0] > Real(1e-4) * unit * unit) return false;
    ++escapes_;
    f_.at(u);
    EigenOptions eigen;
    eigen.seed = options_.seed;
    eigen.max_products = 30;
    eigen.go_on = go_on();
    const GradientMap<O> gradient{f_};
    const auto lowest = largest_eigenpairs(Negated<GradientMap<O>>{gradient}, 1, eigen);
    Index weakest = 0;
    u.colwise().squaredNorm().minCoeff(&weakest);
    const double least = 5 * steps_.rounding();
    for (double length = unit; lowest.values[0] * length * length > least; length /= 4) {
      steps_.next() = u;
      steps_.next().col(weakest) += static_cast<Real>(length) * lowest.vectors.col(0);
      if (went_lower()) return true;
    }
    return false;
  }

  /// Where f curves much more in some directions than in others, steps may be short long before
  /// the end. When they are, looks along the gradient much farther than the tolerance; moves there
  /// and returns true if f is lower.
  bool stretch() {
    if (!is_short() && !is_far_from_start()) return false;
    if (!(norm(steps_.residual()) > 0)) return false;
    if (++stretches_ > most_stretches) return false;
    const double shortest = std::max(10 * options_.tolerance, std::sqrt(epsilon));
    return is_lower_far_along(steps_.point(), steps_.residual(), shortest, steps_.next(),
                              [&] { return went_lower(); });
  }

  /// U is of another order than at the start: small beside that start says little.
  bool is_far_from_start() const {
    constexpr double far = 1e4;
    const double size = norm(steps_.point());
    return size > far * start_size_ || far * size < start_size_;
  }

  /// The same of f; it holds of every exact fit too.
  bool has_fallen_far() const {
    constexpr double far = 1e8;
    return std::abs(start_value_) > far * std::abs(steps_.value());
  }

  /// Whether the gradient is still large by what f is at 0, once a run; if so, measures by that
  /// from now on.
  bool is_steep_beside_zero(GradientScale& scale) {
    constexpr double small = 1e-6;
    const F& u = steps_.point();
    if (std::exchange(looked_at_zero_, true)) return false;
    const double natural = std::abs(f_.at(F::Zero(u.rows(), u.cols()))) / norm(u);
    f_.at(u);
    if (!std::isfinite(natural) || steps_.last_gradient() <= small * natural) return false;
    scale = {natural, norm(u)};
    return true;
  }

  /// Goes to the steps' next() if f is lower there.
  bool went_lower() {
    const double value = steps_.try_next();
    if (!(value < steps_.value() - steps_.rounding())) return false;
    steps_.take_next(value);
    return true;
  }

  /// Short steps say little of the distance to go where others had to be cut: what was learnt of
  /// f's curvature does not describe it there, and is learnt anew.
  bool learn_anew() {
    const bool moved = is_short() && steps_.change() > 0;
    if (!moved || !steps_.is_troubled() || restarts_ == most_restarts) return false;
    ++restarts_;
    steps_.forget();
    return true;
  }

  /// The last step was below the tolerance.
  bool is_short() const { return steps_.change() <= options_.tolerance; }

  O& f_;
  const C& set_;
  const Options& options_;
  Monitor<F, Watcher> monitor_;
  QuasiNewton<O, C> steps_;
  Real start_size_ = 0;
  double start_value_ = 0;
  Index escapes_ = 0;
  int stretches_ = 0, restarts_ = 0;
  bool looked_at_zero_ = false;
};

}  // namespace projfgd
