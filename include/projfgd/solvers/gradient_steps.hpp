// The step rules of the paper: `theory`, `theory-adaptive` and a number.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "projfgd/core/gradient_check.hpp"
#include "projfgd/solvers/gradient_gauge.hpp"
#include "projfgd/solvers/monitor.hpp"
#include "projfgd/solvers/step_rules.hpp"

namespace projfgd {

/// Lines 4 to 9 of Algorithm 1.
template <Objective O, Constraint<typename O::Factor> C, class Watcher>
class GradientSteps {
 public:
  using F = typename O::Factor;
  using Real = RealOf<F>;

  GradientSteps(O& f, const C& set, const Options& options, Watcher& watcher)
      : f_(f), set_(set), options_(options), monitor_(options, watcher) {}

  /// From line 3's U in C.
  Result<F> run(Start<F> start) {
    bool stop = begin(std::move(start));
    while (monitor_.goes_on(stop, u_, before_, Remembered<O>{f_, u_}, value_, eta_, best_, first_,
                            gauge_) &&
           differentiate()) {
      before_ = u_;
      axpy(-static_cast<Real>(eta_), g_, u_);  // U - eta grad f(U U^H) U
      set_.project(u_);                        // P_C
      stop = judge(f_.at(u_));
    }
    return finish();
  }

 private:
  bool begin(Start<F> start) {
    u_ = std::move(start.factor);
    smoothness_ = start.smoothness;
    start_size_ = norm(u_);
    if (options_.step == StepRule::constant) eta_ = options_.step_size;
    value_ = f_.at(u_);
    const bool stop = monitor_.record(u_, value_, std::numeric_limits<double>::infinity());
    if (std::isfinite(value_)) return stop;
    return monitor_.stop(Status::diverged, "f is not finite at the start");
  }

  /// g = grad f(U U^H) U and the step eta; false where g is not finite.
  bool differentiate() {
    const bool adapts = options_.step == StepRule::theory_adaptive && norm(u_) > 0;
    if constexpr (KnowsGradientMap<O>) {
      if (adapts) eta_ = adaptive_theory_step(f_, u_, smoothness_, options_.step_constant, g_);
    }
    if (!adapts) f_.gradient_times(u_, g_);
    require_gradient(u_, g_);
    if (!all_finite(g_)) {
      monitor_.stop(Status::diverged, what_went_wrong());
      return false;
    }
    if constexpr (KnowsGradientMap<O>) {
      if (options_.step == StepRule::theory && !(eta_ > 0)) {
        eta_ = theory_step(f_, u_, smoothness_, options_.step_constant,
                           [this] { return monitor_.in_time(); });
      }
    }
    return true;
  }

  /// Enters the step to U, where f is `value`; true when it is the last.
  bool judge(double value) {
    const bool finite = std::isfinite(value);
    if (!(finite && value <= value_)) best_.keep(before_, value_, monitor_.iterations());
    if (!finite) {
      monitor_.stop(Status::diverged, what_went_wrong());
      u_ = before_;
      return true;
    }
    subtract(u_, before_, step_);
    if (!std::isfinite(norm(step_))) {  // where f does not look
      u_ = before_;
      return monitor_.stop(Status::diverged, broken_projection);
    }
    value_ = value;
    const double stationarity = norm(step_) / eta_;  // of the point before
    if (monitor_.iterations() == 0) {
      first_ = stationarity;
      gauge_ = GradientGauge<O>(stationarity);
    }
    const bool stop = monitor_.record(u_, value_, change_by_step(u_, step_));
    if (stop && !monitor_.is_cut_short()) return true;
    if (norm(u_) == 0) {
      return monitor_.stop(Status::stalled, "U is 0, where every gradient step is 0");
    }
    if (!gauge_.is_small(f_, u_, value_, stationarity, options_.gradient_tolerance)) return stop;
    return monitor_.stop(Status::converged, "the projected gradient fell below the tolerance");
  }

  Result<F> finish() {
    const bool finite = monitor_.status() != Status::diverged && differentiate();
    const bool ended = monitor_.status() == Status::converged;
    if (!ended && best_.value < value_) return monitor_.earlier_result(std::move(best_));
    if (!finite) return monitor_.result(std::move(u_), value_);
    const double stationarity = projected_gradient();
    if (!std::isfinite(stationarity)) {
      monitor_.stop(Status::diverged, broken_projection);
      return monitor_.result(std::move(u_), value_);
    }
    if (ended && has_hardly_fallen(stationarity) && falls_far()) {
      monitor_.stop(Status::stalled,
                    "the steps are shorter than the tolerance, but f decreases along longer ones");
    }
    return monitor_.result(std::move(u_), value_, stationarity);
  }

  double projected_gradient() {
    if (norm(g_) == 0) return 0;
    before_ = u_;
    axpy(-static_cast<Real>(eta_), g_, before_);
    set_.project(before_);
    subtract(u_, before_, step_);
    return norm(step_) / eta_;
  }

  /// Since the start. Far from the answer the gradient falls with the cube of U: that much says
  /// nothing. Both are 0 where the steps are so short that they are lost in rounding.
  bool has_hardly_fallen(double stationarity) const {
    const double smaller = std::min(1.0, norm(u_) / start_size_);
    return stationarity >= 0.5 * first_ * smaller * smaller * smaller;
  }

  /// Whether f is lower a good way along the gradient.
  bool falls_far() {
    const double rounding = rounding_of(value_, g_, u_);
    return is_lower_far_along(u_, g_, 1e-4, before_, [&] {
      set_.project(before_);
      return f_.at(before_) < value_ - rounding;
    });
  }

  /// Why f or its gradient is not finite at U; value_ is the last that was.
  const char* what_went_wrong() {
    if (falls_without_bound(value_, norm(u_), start_size_)) return "f decreases without bound";
    constexpr double much = 10;  // as steps do that are too long
    const bool grew = !(norm(u_) < much * std::max<double>(norm(before_), start_size_));
    if (!grew && !all_finite(g_)) return "the gradient of f is not finite";
    step_ = before_;
    axpy(-static_cast<Real>(eta_), g_, step_);
    if (all_finite(step_) && !all_finite(u_)) return broken_projection;
    if (!grew) return "f is no longer finite";
    return "the objective became infinite: the step size is too large";
  }

  O& f_;
  const C& set_;
  const Options& options_;
  Monitor<F, Watcher> monitor_;
  F u_, g_, before_, step_;
  BestPoint<F> best_;
  double value_ = 0;
  double eta_ = 0, smoothness_ = 0, start_size_ = 0;
  double first_ = 0;  ///< projected gradient
  GradientGauge<O> gauge_;
};

}  // namespace projfgd
