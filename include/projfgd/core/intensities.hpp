#pragma once

#include "projfgd/concepts.hpp"

namespace projfgd {

/// How many of the data were measured: all, unless the operator knows better.
template <LinearMeasurement A>
Index measured_by(const A& op) {
  if constexpr (requires { op.measured(); }) return op.measured();
  return op.measurements();
}

/// The mean of the data that were measured; the others are 0.
template <LinearMeasurement A>
double mean_intensity(const A& op, const Vector<RealOf<typename A::Factor>>& y) {
  return static_cast<double>(y.sum()) / static_cast<double>(measured_by(op));
}

}  // namespace projfgd
