#pragma once

#include <cmath>
#include <limits>

#include "projfgd/concepts.hpp"
#include "projfgd/core/archive.hpp"

namespace projfgd {

/// Tells when a gradient is small. It has to be small beside the first one, and beside what f does
/// at U itself, |f(X / 4) - f(X)| / ||U||: half of U is a step that matters, whatever the units of
/// f and U, so a start far away, whose gradient dwarfs all others, does not pass for the end.
template <Objective O>
class GradientGauge {
 public:
  using F = typename O::Factor;

  /// `first` is the projected gradient at the start.
  explicit GradientGauge(double first = 0) : first_(first) {}

  bool is_small_beside_first(double gradient, double tolerance) const {
    return gradient <= tolerance * first_;
  }

  /// At the point U that f remembers, where it has that value and projected gradient.
  bool is_small(O& f, const F& u, double value, double gradient, double tolerance) {
    if (!is_small_beside_first(gradient, tolerance)) return false;
    const double size = norm(u);
    if (!(size > size_ / 2 && size < size_ * 2)) {
      natural_ = std::abs(at_half(f, u) - value) / size;
      size_ = size;
    }
    // Nothing can be said by an f that is infinite or the same there.
    return !std::isfinite(natural_) || natural_ == 0 || gradient <= tolerance * natural_;
  }

  void keep(Archive& archive) { archive(first_, natural_, size_); }

 private:
  static double at_half(O& f, const F& u) {
    if constexpr (requires { f.on_ray(0.25); }) {
      return f.on_ray(0.25);
    } else {
      F half = u;
      scale(RealOf<F>(0.5), half);
      const double value = f.at(half);
      f.at(u);
      return value;
    }
  }

  double first_;
  double natural_ = std::numeric_limits<double>::infinity();
  double size_ = 0;  ///< of the U where that was measured
};

}  // namespace projfgd
