// Whether data accept a fit: how far a sum of squares is from what noise alone would leave.
#pragma once

#include <algorithm>
#include <cmath>

namespace projfgd {

/// A deviance, or another sum of squares, with what it is on average under the noise of the data
/// and the variance that it has.
struct Deviance {
  double sum = 0, expected = 0, variance = 0;

  /// What a fit of k numbers to m data leaves of it: each number takes the share of one datum.
  Deviance after_fit(double numbers, double data) const {
    const double left = std::max(1 - numbers / data, 0.0);
    return {sum, left * expected, left * variance};
  }
};

/// Standard deviations above its mean of a sum that is taken as a multiple of a chi-square with as
/// many degrees of freedom as its variance asks for, whose cube root is all but normal (Wilson and
/// Hilferty, PNAS 17 (1931)).
inline double deviations_above(const Deviance& deviance) {
  const double unit = deviance.variance / (9 * deviance.expected * deviance.expected);
  return (std::cbrt(deviance.sum / deviance.expected) - (1 - unit)) / std::sqrt(unit);
}

/// The chance that a normal number is so many standard deviations above its mean, or more.
inline double chance_above(double deviations) { return std::erfc(deviations / std::sqrt(2.0)) / 2; }

/// One fit in 700 is refused that is right: the normal quantile of three deviations.
inline constexpr double most_deviations = 3;
/// Standard deviations that chance does not explain, in what every run looks at: one in 30,000.
inline constexpr double beyond_chance = 4;
/// A part of the expected deviance that a model may add and still be of use: it raises the error of
/// a fit by no more than 7%. Of many data noise alone varies far less than that.
inline constexpr double tolerated_excess = 0.15;

inline bool is_accepted(const Deviance& deviance) {
  return deviance.sum <= (1 + tolerated_excess) * deviance.expected ||
         deviations_above(deviance) <= most_deviations;
}

}  // namespace projfgd
