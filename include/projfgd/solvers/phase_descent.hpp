#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>

#include "projfgd/core/sums.hpp"
#include "projfgd/solvers/monitor.hpp"

namespace projfgd {

/// Conjugate gradients on sum_i h(|a_i^H z|^2, y_i), preconditioned by A^H A (Polak-Ribiere+).
///
/// A z and A d are kept, 2 m complex numbers, so the line search costs no product and an iteration
/// costs one with A and one with its adjoint. Near a solution the Hessian of the amplitude loss is
/// about half of A^H A and that of the Poisson loss twice of it, which is why the preconditioner
/// fits.
template <LinearMeasurement A, class Kernel, class Watcher>
class PhaseDescent {
 public:
  using F = typename A::Factor;
  using S = typename F::Scalar;
  using Real = RealOf<F>;

  PhaseDescent(const A& op, const Vector<Real>& y, const Options& options, Watcher& watcher)
      : op_(op), y_(y), monitor_(options, watcher) {
    validate(options);
  }

  Result<F> run(F z) {
    z_ = std::move(z);
    store(z_, image_);
    direction_image_ = Vector<S>::Zero(image_.size());
    value_ = along(0)[0];
    gradient();
    bool stop = monitor_.record(z_, value_, std::numeric_limits<double>::infinity());
    while (!stop) {
      direction();
      store(d_, direction_image_);
      const double t = line_search();
      if (!(t > 0)) {
        stop = monitor_.stop(Status::converged, "no further decrease in this precision");
        break;
      }
      axpy(static_cast<Real>(t), d_, z_);
      axpy(static_cast<Real>(t), direction_image_, image_);
      const double change = t * change_by_small_step(z_, d_);
      stop = monitor_.record(z_, value_, change);
      if (!stop) gradient();
    }
    return monitor_.result(std::move(z_), value_);
  }

 private:
  void store(const F& x, Vector<S>& image) {
    image.resize(op_.measurements());
    op_.apply(x, [&](Index begin, Index count, S* v) {
      std::copy_n(v, count, image.data() + begin);
      return 0.0;
    });
  }

  /// g = A^H (2 h'(p) A z), the gradient in the real vector space that holds z, and its
  /// preconditioned image.
  void gradient() {
    std::swap(g_, last_g_);
    op_.adjoint(
        [&](Index begin, Index count, S* v) {
          for (Index i = 0; i < count; ++i) {
            const S a = image_[begin + i];
            v[i] = a * (2 * Kernel::slope(Real(std::norm(a)), y_[begin + i]));
          }
          return 0.0;
        },
        g_);
    preconditioned_ = g_;
    op_.solve_normal(preconditioned_);
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

  /// f, its slope and its curvature at z + t d; the curvature without its negative part is that of
  /// Gauss and Newton.
  Sums along(double t) const {
    return sum_chunks(image_.size(), [&](Index begin, Index count) {
      Sums sums{};
      for (Index i = begin; i < begin + count; ++i) {
        const S w = direction_image_[i], u = image_[i] + static_cast<Real>(t) * w;
        const Real p = std::norm(u), y = y_[i];
        const Real cross = u.real() * w.real() + u.imag() * w.imag();
        const Real slope = Kernel::slope(p, y);
        sums[0] += static_cast<double>(Kernel::value(p, y));
        sums[1] += static_cast<double>(2 * slope * cross);
        sums[2] += static_cast<double>(2 * std::max(slope, Real(0)) * std::norm(w) +
                                       4 * Kernel::curvature(p, y) * cross * cross);
      }
      return sums;
    });
  }

  /// The step, 0 when none decreases f; value_ becomes f there.
  double line_search() {
    constexpr double steep = 0.1;
    const Sums start = along(0);
    if (!(start[1] < 0) || !(start[2] > 0)) return 0;
    double t = -start[1] / start[2], best = 0, best_value = value_;
    for (int k = 0; k < 12; ++k) {
      const Sums here = along(t);
      if (here[0] < best_value) {
        best = t, best_value = here[0];
        if (std::abs(here[1]) <= steep * std::abs(start[1]) || !(here[2] > 0)) break;
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

  const A& op_;
  const Vector<Real>& y_;
  Monitor<F, Watcher> monitor_;
  F z_, g_, last_g_, preconditioned_, d_;
  Vector<S> image_, direction_image_;
  double value_ = 0, last_size_ = 0;
};

template <class Kernel, LinearMeasurement A, class Watcher = NoObserver>
Result<typename A::Factor> phase_descent(const A& op, const Vector<RealOf<typename A::Factor>>& y,
                                         typename A::Factor start, const Options& options = {},
                                         Watcher watcher = {}) {
  return PhaseDescent<A, Kernel, Watcher>(op, y, options, watcher).run(std::move(start));
}

}  // namespace projfgd
