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

}  // namespace projfgd::element
