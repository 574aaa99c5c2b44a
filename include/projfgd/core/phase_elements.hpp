// Functions of one entry v of A z that several methods of phase retrieval share. An operator calls
// them where its numbers live: f(v, data...) with the entries of further arrays at the same place.
// They may change v and what is not const; what they return is added up.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>

#include "projfgd/core/phase.hpp"
#include "projfgd/core/sums.hpp"

namespace projfgd::element {

/// Leaves v as it is.
struct Leave {
  template <class S>
  constexpr void operator()(const S&) const {}
};

/// x = v
struct Store {
  template <class S>
  constexpr void operator()(const S& v, S& x) const {
    x = v;
  }
};

/// v = x
struct Load {
  template <class S>
  constexpr void operator()(S& v, const S& x) const {
    v = x;
  }
};

/// y += |v|^2
struct AddIntensity {
  template <class S, class R>
  constexpr void operator()(const S& v, R& y) const {
    y += squared_modulus(v);
  }
};

/// y += Re conj(x) v
struct AddCrossIntensity {
  template <class S, class R>
  constexpr void operator()(const S& v, const S& x, R& y) const {
    y += v.real() * x.real() + v.imag() * x.imag();
  }
};

/// v = w v
struct Weigh {
  template <class S, class R>
  constexpr void operator()(S& v, const R& w) const {
    v *= w;
  }
};

/// v = b phase(v) - v, which leads to the nearest number of modulus b; 1/2 (|v| - b)^2.
struct AmplitudeStep {
  template <class S, class R>
  constexpr double operator()(S& v, const R& b) const {
    v = b * phase(v) - v;
    return static_cast<double>(squared_modulus(v)) / 2;
  }
};

/// 1/2 (|v| - b)^2
struct AmplitudeMisfit {
  template <class S, class R>
  constexpr double operator()(const S& v, const R& b) const {
    const double rest = static_cast<double>(std::sqrt(squared_modulus(v)) - b);
    return rest * rest / 2;
  }
};

/// The same, and p = |v|.
struct StoreModulus {
  template <class S, class R>
  constexpr double operator()(const S& v, const R& b, R& p) const {
    p = std::sqrt(squared_modulus(v));
    const double rest = static_cast<double>(p - b);
    return rest * rest / 2;
  }
};

/// A step of relaxed averaged alternating reflections (Luke 2005) to v = (A z)_i. With
/// m(x) = b phase(x), or x itself where nothing was measured:
///
///   x <- beta (x + v - m(x)) + (1 - beta) m(x),   v <- the change of 2 m(x) - x.
///
/// The first step takes v for x, and 0 for what 2 m(x) - x was. Returns 1/2 (|v| - b)^2 where there
/// is a measurement.
struct RelaxedReflection {
  double beta;
  bool first;
  template <class S, class R>
  constexpr double operator()(S& v, S& x, const R& b, const R& measured) const {
    const R share = static_cast<R>(beta);
    const auto nearest = [&](const S& to) { return measured != 0 ? b * phase(to) : to; };
    const double misfit = measured != 0 ? AmplitudeMisfit{}(v, b) : 0;
    const S last = first ? v : x, projected = nearest(last);
    x = share * (last + v - projected) + (1 - share) * projected;
    v = R(2) * nearest(x) - x - (first ? S(0) : R(2) * projected - last);
    return misfit;
  }
};

/// With q = 2 v - x, or v before there is an x: d = b phase(q) - q, x = v + d, v = d;
/// 1/2 (|v| - b)^2.
struct Reflection {
  bool searching;
  template <class S, class R>
  constexpr double operator()(S& v, S& x, const R& b) const {
    const double misfit = AmplitudeMisfit{}(v, b);
    const S q = searching ? R(2) * v - x : v, d = b * phase(q) - q;
    x = v + d;
    v = d;
    return misfit;
  }
};

/// x = v; h(|v|^2, y).
template <class Kernel>
struct StoreWithLoss {
  template <class S, class R>
  constexpr double operator()(const S& v, S& x, const R& y) const {
    x = v;
    return static_cast<double>(Kernel::value(R(squared_modulus(v)), y));
  }
};

/// v = 2 h'(|x|^2, y) x, half of whose adjoint is the gradient in the complex sense.
template <class Kernel>
struct TwiceLossGradient {
  template <class S, class R>
  constexpr void operator()(S& v, const S& x, const R& y) const {
    v = x * (2 * Kernel::slope(R(squared_modulus(x)), y));
  }
};

/// h(|u|^2, y) at u = x + t w, its slope and its curvature in t; the curvature without its negative
/// part is that of Gauss and Newton. On a parabola u = x + t w + t^2 c.
template <class Kernel>
struct LossAlong {
  double t;
  template <class S, class R>
  constexpr Sums operator()(const S& x, const S& w, const R& y) const {
    return at(S(x + static_cast<R>(t) * w), w, y);
  }
  template <class S, class R>
  constexpr Sums operator()(const S& x, const S& w, const S& c, const R& y) const {
    const R step = static_cast<R>(t);
    return at(S(x + step * (w + step * c)), S(w + 2 * step * c), y);
  }

 private:
  template <class S, class R>
  static constexpr Sums at(const S& u, const S& w, const R& y) {
    const R p = squared_modulus(u), cross = u.real() * w.real() + u.imag() * w.imag();
    const R slope = Kernel::slope(p, y);
    return {static_cast<double>(Kernel::value(p, y)), static_cast<double>(2 * slope * cross),
            static_cast<double>(2 * std::max(slope, R(0)) * squared_modulus(w) +
                                4 * Kernel::curvature(p, y) * cross * cross)};
  }
};

/// 1 - exp(-y / mean)
template <class R>
struct Saturation {
  R mean;
  constexpr R operator()(R y) const { return 1 - std::exp(-y / mean); }
};

}  // namespace projfgd::element
