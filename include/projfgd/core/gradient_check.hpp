#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>

#include "projfgd/concepts.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/random.hpp"
#include "projfgd/core/require.hpp"

namespace projfgd {

/// Throws InputError unless gradient_times gave G V the shape of V.
template <Factor F>
void require_gradient(const F& v, const F& g) {
  require_size("rows of gradient_times", g.rows(), v.rows());
  require_size("columns of gradient_times", g.cols(), v.cols());
}

/// The rounding of f at U, with G = grad f(X) U: of its own value, and of predictions whose errors
/// weigh as <G, X>. Of the lengths of G and U.
template <std::floating_point Real>
double rounding_of(double value, Real g, Real u) {
  const double epsilon = std::numeric_limits<Real>::epsilon();
  return 20 * epsilon * (std::abs(value) + static_cast<double>(g) * u);
}
template <Factor F>
double rounding_of(double value, const F& g, const F& u) {
  return rounding_of<RealOf<F>>(value, norm(g), norm(u));
}

/// How far f and its gradient G = grad f(X) U disagree at U, from 0 to 2 for opposite signs: the
/// slope of t -> f at U + t D by a central difference against 2 Re <G, D>, relative to the larger,
/// for a D that is half gradient and half random. Nothing where the error of the difference hides a
/// hundredth of the slope, as at a stationary point. `value` is f at U. Costs two evaluations.
template <Objective O>
std::optional<double> gradient_mismatch(O& f, const typename O::Factor& u,
                                        const typename O::Factor& g, double value, double rounding,
                                        std::uint64_t seed = 1) {
  using F = typename O::Factor;
  using Real = RealOf<F>;
  F d;
  set_normal(RandomStream(seed, 0x6C), u.rows(), u.cols(), d);
  scale(1 / norm(d), d);
  if (norm(g) > 0) axpy(1 / norm(g), g, d);
  const Real size = norm(u) > 0 ? norm(u) : Real(1);
  scale(size / norm(d), d);

  const Real h = std::cbrt(std::numeric_limits<Real>::epsilon());
  F moved = u;
  axpy(h, d, moved);
  const double up = f.at(moved);
  axpy(-2 * h, d, moved);
  const double down = f.at(moved), step = h;
  const double slope = (up - down) / (2 * step);
  const double promised = 2 * static_cast<double>(dot(g, d));
  // A difference is off by h^2 / 6 of the third derivative, about as large as the second where D is
  // as long as U, and by the rounding of f over h.
  const double blur = std::abs(up - 2 * value + down) + rounding / step;
  const double larger = std::max(std::abs(slope), std::abs(promised));
  if (larger <= 100 * blur) return std::nullopt;
  return std::abs(slope - promised) / larger;
}

/// The same for those who write their own f: about 1e-9 in double precision where f and its
/// gradient are right. Throws InputError where the slope is hidden.
template <Objective O>
double gradient_mismatch(O& f, const typename O::Factor& u, std::uint64_t seed = 1) {
  require_size("rows of u", u.rows(), f.rows());
  typename O::Factor g;
  const double value = f.at(u);
  if (!std::isfinite(value)) {
    throw InputError("u: found a point where f is not finite, expected one in its domain");
  }
  f.gradient_times(u, g);
  const auto mismatch = gradient_mismatch(f, u, g, value, rounding_of(value, g, u), seed);
  f.at(u);
  if (mismatch) return *mismatch;
  throw InputError(
      "u: found a slope below the rounding of f, expected a point that is not stationary; try "
      "another u");
}

}  // namespace projfgd
