#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "projfgd/concepts.hpp"
#include "projfgd/core/random.hpp"

namespace projfgd {

/// How far f and its gradient disagree at U, from 0 to 2 for opposite signs: the slope of t -> f at
/// U + t D by a central difference against 2 Re <grad f(X) U, D>, relative to the larger, for a D
/// that is half gradient and half random. About 1e-9 in double precision where both are right; not
/// below what the rounding of f lets one see. For those who write their own f; costs four
/// evaluations.
template <Objective O>
double gradient_mismatch(O& f, const typename O::Factor& u, std::uint64_t seed = 1) {
  using F = typename O::Factor;
  using Real = RealOf<F>;
  F g, d(u.rows(), u.cols());
  const double value = f.at(u);
  f.gradient_times(u, g);
  fill_normal(RandomStream(seed, 0x6C), d);
  scale(1 / norm(d), d);
  if (norm(g) > 0) axpy(1 / norm(g), g, d);
  const Real size = norm(u) > 0 ? norm(u) : Real(1);
  scale(size / norm(d), d);

  const Real h = std::cbrt(std::numeric_limits<Real>::epsilon());
  F moved = u;
  axpy(h, d, moved);
  const double up = f.at(moved);
  axpy(-2 * h, d, moved);
  const double slope = (up - f.at(moved)) / (2 * static_cast<double>(h));
  f.at(u);
  const double promised = 2 * static_cast<double>(dot(g, d));
  const double rounding = std::numeric_limits<Real>::epsilon() * std::abs(value) / h;
  return std::abs(slope - promised) / std::max({std::abs(slope), std::abs(promised), rounding});
}

}  // namespace projfgd
