#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>

#include "projfgd/core/parts.hpp"
#include "projfgd/core/phase_elements.hpp"
#include "projfgd/measures/distance.hpp"
#include "projfgd/solvers/monitor.hpp"

namespace projfgd {

/// Conjugate gradients on sum_i h(|a_i^H z|^2, y_i), preconditioned by A^H A, or by what the
/// operator knows better (Polak-Ribiere+).
///
/// A z and A d are kept, 2 m complex numbers, so the line search costs no product and an iteration
/// costs one with A and one with its adjoint. Near a solution the Hessian of the amplitude loss is
/// about half of A^H A and that of the Poisson loss twice of it, which is why the preconditioner
/// fits.
///
/// A may be quadratic in z, as the frames of a scan are in object and probe together. Its operator
/// is then its derivative A' at the point it was moved to, A z = A'(z / 2) z, and along d it is
/// A z + t A'(z) d + t^2 A d: one more product an iteration.
template <LinearMeasurement A, class Kernel, class Watcher>
class PhaseDescent {
 public:
  using F = typename A::Factor;
  using Real = RealOf<F>;
  using Values = typename A::Values;

  /// A line search ends where the slope along it is that part of what it was.
  PhaseDescent(A& op, const Values& y, const Options& options, Watcher& watcher, double slope_left)
      : op_(op), y_(y), monitor_(options, watcher), slope_left_(slope_left) {
    validate(options);
  }

  Result<F> run(F z) {
    z_ = std::move(z);
    set_zero(op_.measurements(), image_);
    set_zero(op_.measurements(), direction_image_);
    value_ = apply_at_itself(z_, element::StoreWithLoss<Kernel>{}, image_, y_);
    bool stop = monitor_.record(z_, value_, std::numeric_limits<double>::infinity());
    KeptRows<A, typename A::ComplexValues> image{op_, image_};
    while (monitor_.goes_on(stop, z_, g_, d_, image, value_, last_size_)) {
      if constexpr (is_quadratic) op_.move_to(z_);
      gradient();
      direction();
      op_.apply(d_, element::Store{}, direction_image_);
      if constexpr (is_quadratic) {
        set_zero(op_.measurements(), bend_);
        apply_at_itself(d_, element::Store{}, bend_);
      }
      const double t = line_search();
      if (!(t > 0)) {
        monitor_.stop(Status::converged, "no further decrease in this precision");
        break;
      }
      axpy(static_cast<Real>(t), d_, z_);
      axpy(static_cast<Real>(t), direction_image_, image_);
      if constexpr (is_quadratic) axpy(static_cast<Real>(t * t), bend_, image_);
      const double change = t * change_by_small_step(z_, d_);
      stop = monitor_.record(z_, value_, change);
    }
    return monitor_.result(std::move(z_), value_);
  }

 private:
  static constexpr bool is_quadratic = requires(A & op, const F& z) { op.move_to(z); };

  /// f of the entries of A z.
  template <class Function, class... Arrays>
  double apply_at_itself(const F& z, const Function& f, Arrays&... data) {
    if constexpr (is_quadratic) {
      F half = z;
      scale(Real(0.5), half);
      op_.move_to(half);
    }
    return op_.apply(z, f, data...);
  }

  /// g = A^H (2 h'(p) A z), the gradient in the real vector space that holds z, and its
  /// preconditioned image.
  void gradient() {
    std::swap(g_, last_g_);
    op_.adjoint(element::TwiceLossGradient<Kernel>{}, g_, image_, y_);
    preconditioned_ = g_;
    if constexpr (requires { op_.precondition(z_, image_, preconditioned_); }) {
      complete_rows(op_, image_);
      op_.precondition(z_, image_, preconditioned_);
    } else {
      op_.solve_normal(preconditioned_);
    }
  }

  void direction() {
    const double size = dot(g_, preconditioned_);
    double beta = 0;
    if (last_size_ > 0) {
      beta = std::max(0.0, (size - dot(last_g_, preconditioned_)) / last_size_);
    }
    last_size_ = size;
    if (beta > 0) {
      scale(static_cast<Real>(beta), d_);
      axpy(-1, preconditioned_, d_);
      if (dot(d_, g_) < 0) return;
    }
    d_ = preconditioned_;
    scale(-1, d_);
  }

  /// f, its slope and its curvature at z + t d.
  Sums along(double t) const {
    const element::LossAlong<Kernel> loss{t};
    if constexpr (is_quadratic) {
      return sum_rows(op_, loss, image_, direction_image_, bend_, y_);
    } else {
      return sum_rows(op_, loss, image_, direction_image_, y_);
    }
  }

  /// The step, 0 when none decreases f; value_ becomes f there.
  double line_search() {
    const Sums start = along(0);
    if (!(start[1] < 0) || !(start[2] > 0)) return 0;
    double t = -start[1] / start[2], best = 0, best_value = value_;
    for (int k = 0; k < 12; ++k) {
      const Sums here = along(t);
      if (here[0] < best_value) {
        best = t, best_value = here[0];
        if (std::abs(here[1]) <= slope_left_ * std::abs(start[1]) || !(here[2] > 0)) break;
        t = std::clamp(t - here[1] / here[2], t / 4, t * 4);
      } else if (best > 0) {
        break;
      } else {
        t /= 4;
      }
    }
    value_ = best_value;
    return best;
  }

  A& op_;
  const Values& y_;
  Monitor<F, Watcher> monitor_;
  F z_, g_, last_g_, preconditioned_, d_;
  typename A::ComplexValues image_, direction_image_, bend_;
  double slope_left_;
  double value_ = 0, last_size_ = 0;
};

template <class Kernel, LinearMeasurement A, class Watcher = NoObserver>
Result<typename A::Factor> phase_descent(A& op, const typename A::Values& y,
                                         typename A::Factor start, const Options& options = {},
                                         Watcher watcher = {}, double slope_left = 0.1) {
  return PhaseDescent<A, Kernel, Watcher>(op, y, options, watcher, slope_left)
      .run(std::move(start));
}

}  // namespace projfgd
