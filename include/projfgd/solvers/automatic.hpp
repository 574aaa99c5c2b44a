// The step rule `auto`: projected quasi-Newton steps with nothing to tune, a start that they can
// leave, and a second look at every end. Every iterate is feasible and f never rises beyond
// rounding.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "projfgd/core/small_matrix.hpp"
#include "projfgd/solvers/gradient_gauge.hpp"
#include "projfgd/solvers/monitor.hpp"
#include "projfgd/solvers/quasi_newton.hpp"
#include "projfgd/solvers/start_repair.hpp"

namespace projfgd {

template <Objective O, Constraint<typename O::Factor> C, class Watcher>
class AutomaticSolver {
 public:
  using F = typename O::Factor;
  using S = typename F::Scalar;
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
    bool stop = record();
    while (monitor_.goes_on(stop, steps_, gauge_, looks_)) {
      if (!steps_.is_finite()) {
        stop = monitor_.stop(Status::diverged, what_is_not_finite());
      } else if (is_stationary()) {
        stop = end("the projected gradient fell below the tolerance");
      } else if (steps_.step()) {
        stop = record();
      } else if (steps_.is_blind()) {
        stop = monitor_.stop(Status::diverged, "f is not finite at any point near U");
      } else {
        stop = end("no further decrease in this precision");
      }
      if (stop && may_look_again() && look_again()) stop = record();
    }
    return finish();
  }

 private:
  static constexpr double epsilon = std::numeric_limits<Real>::epsilon();

  /// A reason why steps may have ended too early, with a way to go on from there. The look is true
  /// when it has moved to a lower point.
  struct SecondLook {
    const char* reason;
    Index budget;  ///< looks a run
    bool (AutomaticSolver::*applies)() const;
    bool (AutomaticSolver::*look)();
    void keep(Archive& archive) { archive(budget); }
  };

  /// In this order: the cheapest first.
  std::array<SecondLook, 3> looks_{{
      {"the steps became short after one had to be cut: the curvature estimate may mislead", 20,
       &AutomaticSolver::is_misled, &AutomaticSolver::learn_anew},
      {"U has lost rank, which gradient steps do not restore", 0, &AutomaticSolver::has_lost_rank,
       &AutomaticSolver::escape},
      {"the steps became short: f may curve much more in some directions than in others", 20,
       &AutomaticSolver::is_short, &AutomaticSolver::look_farther},
  }};

  bool look_again() {
    for (SecondLook& second : looks_) {
      if (second.budget == 0 || !(this->*second.applies)()) continue;
      --second.budget;
      if ((this->*second.look)()) return true;
    }
    return false;
  }

  bool may_look_again() const {
    return monitor_.status() == Status::converged &&
           monitor_.iterations() < options_.max_iterations;
  }

  void begin(Start<F> start) {
    F& u = start.factor;
    looks_[1].budget = u.cols();
    const StartRepair<O, C> repair(f_, set_, options_.seed, go_on());
    repair.fill_rank(u);
    start_size_ = norm(u);
    const double value = repair.enter_domain(u);
    steps_.start(std::move(u), value, start.smoothness, monitor_.in_time());
    gauge_ = GradientGauge<O>(steps_.projected_gradient());
  }

  std::function<bool()> go_on() const {
    return [this] { return monitor_.in_time(); };
  }

  bool record() { return monitor_.record(steps_.point(), steps_.value(), steps_.change()); }
  bool end(const char* why) { return monitor_.stop(Status::converged, why); }

  bool is_stationary() {
    if (!gauge_.is_small_beside_first(steps_.least_gradient(), options_.gradient_tolerance)) {
      return false;
    }
    return gauge_.is_small(f_, steps_.point(), steps_.value(), steps_.last_gradient(),
                           options_.gradient_tolerance);
  }

  const char* what_is_not_finite() const {
    if (falls_without_bound(steps_.value(), norm(steps_.point()), start_size_)) {
      return "f decreases without bound";
    }
    if (std::isfinite(steps_.value())) return "the gradient of f is not finite";
    if (monitor_.iterations() > 0) return "f is no longer finite";
    return "f is not finite at the start, nor at any point tried near it";
  }

  /// The last step was below the tolerance.
  bool is_short() const { return steps_.change() <= options_.tolerance; }

  bool is_misled() const { return is_short() && steps_.change() > 0 && steps_.is_troubled(); }

  bool learn_anew() {
    steps_.forget();
    return steps_.step();
  }

  /// The size of a column at the start.
  Real unit() const { return start_size_ / std::sqrt(static_cast<Real>(steps_.point().cols())); }

  bool has_lost_rank() const {
    if constexpr (!KnowsGradientMap<O>) return false;
    const F& u = steps_.point();
    return !(hermitian_eigenvalues<S>(gram(u, u))[0] > Real(1e-4) * unit() * unit());
  }

  /// Moves the weakest column along the lowest eigenvector of grad f(X), if its eigenvalue is
  /// negative.
  bool escape() {
    if constexpr (KnowsGradientMap<O>) {
      const F& u = steps_.point();
      f_.at(u);
      EigenOptions eigen;
      eigen.seed = options_.seed;
      eigen.max_products = 30;
      eigen.go_on = go_on();
      const GradientMap<O> gradient{f_};
      const auto lowest = largest_eigenpairs(Negated<GradientMap<O>>{gradient}, 1, eigen);
      SmallOf<F> weakest = SmallOf<F>::Zero(1, u.cols());
      Index column = 0;
      SmallOf<F>(gram(u, u)).diagonal().real().minCoeff(&column);
      weakest(0, column) = 1;
      F along;
      multiply(lowest.vectors, weakest, along);
      const double least = 5 * steps_.rounding();
      for (double length = unit(); lowest.values[0] * length * length > least; length /= 4) {
        steps_.next() = u;
        axpy(static_cast<Real>(length), along, steps_.next());
        if (went_lower()) return true;
      }
    }
    return false;
  }

  /// Looks along the gradient much farther than the tolerance.
  bool look_farther() {
    if (!(norm(steps_.residual()) > 0)) return false;
    const double shortest = std::max(10 * options_.tolerance, std::sqrt(epsilon));
    return is_lower_far_along(steps_.point(), steps_.residual(), shortest, steps_.next(),
                              [&] { return went_lower(); });
  }

  /// Goes to the steps' next() if f is lower there.
  bool went_lower() {
    const double value = steps_.try_next();
    if (!(value < steps_.value() - steps_.rounding())) return false;
    steps_.take_next(value);
    return true;
  }

  Result<F> finish() {
    // A gradient that is wrong does not get far without a step that has to be cut.
    const bool suspect = is_short() && steps_.is_troubled();
    if (monitor_.status() == Status::converged && suspect && steps_.gradient_is_wrong()) {
      monitor_.stop(Status::stalled,
                    "f does not decrease along its negative gradient: f or its gradient is wrong");
    }
    const double stationarity = steps_.last_gradient();
    if (monitor_.status() == Status::converged && !std::isfinite(stationarity)) {
      monitor_.stop(Status::diverged, broken_projection);
    }
    return monitor_.result(steps_.take_point(), steps_.value(), stationarity);
  }

  O& f_;
  const C& set_;
  const Options& options_;
  Monitor<F, Watcher> monitor_;
  QuasiNewton<O, C> steps_;
  GradientGauge<O> gauge_;
  Real start_size_ = 0;
};

}  // namespace projfgd
