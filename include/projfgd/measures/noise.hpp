// The misfit that noise causes, so that a run can stop when further improvement is lost in it.
#pragma once

#include <algorithm>
#include <cmath>

#include "projfgd/concepts.hpp"

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

/// What noise alone lowers twice the objective by with one more column, in units of its variance,
/// at three standard deviations: one rank in a thousand is one too many. Noise is a random
/// Hermitian matrix on the n - r dimensions that X leaves, with eigenvalues up to 2 sqrt(n - r);
/// the best column gains the square of the largest, 4 (n - r), which is twice the 2 (n - r) - 1
/// parameters that are added.
inline double gain_by_noise(Index n, Index rank) {
  constexpr double deviations = 3;
  const double added = parameters(n, rank + 1) - parameters(n, rank);
  return 2 * added + deviations * std::sqrt(2 * added);
}

}  // namespace projfgd
