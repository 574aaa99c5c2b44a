// What noise in the data costs, so that a run can stop where it hides the rest, and what kind it
// is.
#pragma once

#include <algorithm>
#include <cmath>

#include "projfgd/concepts.hpp"
#include "projfgd/losses/pointwise.hpp"

namespace projfgd {

/// Free real parameters of a Hermitian X of this rank.
inline double parameters(Index n, Index rank) {
  const auto r = static_cast<double>(rank);
  return 2.0 * static_cast<double>(n) * r - r * r;
}

/// What may be lost to the noise of a fit, in units of the likelihood that its error is worth.
inline constexpr double lost_in_noise = 1e-3;

/// Options::least_gain for a likelihood, of which noise is worth 1/2 a parameter.
inline double gain_under_noise(double parameters) { return lost_in_noise * parameters / 2; }

/// Options::objective_tolerance for least squares under noise. A fit of p parameters to m data of
/// variance sigma^2 leaves f = (m - p) sigma^2 / 2, and its error is worth p sigma^2 / 2: what is
/// lost_in_noise of that cannot be told from the noise. 0 where the data do not show their
/// noise.
inline double tolerance_under_noise(double parameters, double data) {
  return parameters < data ? std::min(lost_in_noise * parameters / (data - parameters), 0.1) : 0;
}

/// Whether the errors p - y grow with p, as those of counted photons do, or not, as those of a
/// detector's noise: compares their mean squares where p is small and where it is large.
template <LinearMeasurement A>
PointwiseLoss fitting_loss(const A& op, const Vector<RealOf<typename A::Factor>>& y,
                           const typename A::Factor& z) {
  using S = typename A::Factor::Scalar;
  Vector<RealOf<S>> p;
  op.forward(z, p);
  const double mean = y.mean();
  double square[2] = {0, 0}, size[2] = {0, 0};
  Index count[2] = {0, 0};
  for (Index i = 0; i < p.size(); ++i) {
    const int bright = p[i] > 2 * mean ? 1 : 0;
    if (bright == 0 && p[i] > mean / 2) continue;
    const double r = p[i] - y[i];
    square[bright] += r * r, size[bright] += p[i], ++count[bright];
  }
  if (count[0] == 0 || count[1] == 0) return PointwiseLoss::amplitude;
  const double growth = square[1] / count[1] / (square[0] / count[0]);
  const double brightness = size[1] / count[1] / (size[0] / count[0]);
  return growth < std::sqrt(brightness) ? PointwiseLoss::intensity : PointwiseLoss::poisson;
}

}  // namespace projfgd
