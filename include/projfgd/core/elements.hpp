// Functions of one element that several places share; see core/values.hpp.
#pragma once

namespace projfgd::element {

/// a
template <class R>
struct Constant {
  R a;
  constexpr R operator()(R) const { return a; }
};

/// p q
struct Times {
  template <class R>
  constexpr R operator()(R p, R q) const {
    return p * q;
  }
};

/// p q, in double precision
struct Product {
  template <class R>
  constexpr double operator()(R p, R q) const {
    return static_cast<double>(p) * static_cast<double>(q);
  }
};

/// 1/2 (p - y)^2
struct HalfSquare {
  template <class R>
  constexpr double operator()(R p, R y) const {
    const double rest = static_cast<double>(p - y);
    return rest * rest / 2;
  }
};

/// 1 where x < 0 or is not a number, else 0
struct IsNotNonnegative {
  template <class R>
  constexpr double operator()(R x) const {
    return x >= 0 ? 0 : 1;
  }
};

/// w d for a real number d
struct TimesReal {
  template <class S>
  constexpr S operator()(const S& w, const S& d) const {
    return w * d.real();
  }
};

/// z / d for a real number d, and 0 where that is 0
struct OverReal {
  template <class S>
  constexpr S operator()(const S& z, const S& d) const {
    return d.real() == 0 ? d : S(z / d.real());
  }
};

}  // namespace projfgd::element
