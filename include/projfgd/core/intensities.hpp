#pragma once

#include <cmath>

#include "projfgd/concepts.hpp"

namespace projfgd {
namespace element {

/// y
struct Itself {
  template <class R>
  constexpr R operator()(R y) const {
    return y;
  }
};

/// sqrt y
struct SquareRoot {
  template <class R>
  constexpr R operator()(R y) const {
    return std::sqrt(y);
  }
};

}  // namespace element

/// How many of the data were measured: all, unless the operator knows better.
template <LinearMeasurement A>
Index measured_by(const A& op) {
  if constexpr (requires { op.measured(); }) return op.measured();
  return op.measurements();
}

/// The mean of the data that were measured; the others are 0.
template <LinearMeasurement A>
double mean_intensity(const A& op, const typename A::Values& y) {
  return sum_values(element::Itself{}, y) / static_cast<double>(measured_by(op));
}

}  // namespace projfgd
