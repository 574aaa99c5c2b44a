// Functions of one entry v of A z that several methods of phase retrieval share. An operator calls
// them where its numbers live: f(v, data...) with the entries of further arrays at the same place.
// They may change v and what is not const; what they return is added up.
#pragma once

#include <complex>

#include "projfgd/core/phase.hpp"

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
    y += std::norm(v);
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
    return static_cast<double>(std::norm(v)) / 2;
  }
};

/// 1/2 (|v| - b)^2
struct AmplitudeMisfit {
  template <class S, class R>
  constexpr double operator()(const S& v, const R& b) const {
    const double rest = static_cast<double>(std::sqrt(std::norm(v)) - b);
    return rest * rest / 2;
  }
};

/// The same, and p = |v|.
struct StoreModulus {
  template <class S, class R>
  constexpr double operator()(const S& v, const R& b, R& p) const {
    p = std::sqrt(std::norm(v));
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

}  // namespace projfgd::element
