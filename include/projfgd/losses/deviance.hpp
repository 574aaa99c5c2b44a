#pragma once

#include <cmath>
#include <limits>

namespace projfgd {

/// (mean - count - count log(mean / count)) / count, a count's deviance for its own: x - log(1 + x)
/// of x = (mean - count) / count, by its series where the difference would cancel. A mean that is
/// nothing but rounding in R is as good as 0.
template <class R>
constexpr double deviance(double mean, double count) {
  if (!(mean > count * std::numeric_limits<R>::epsilon()))
    return std::numeric_limits<double>::infinity();
  const double x = (mean - count) / count;
  if (std::abs(x) > 0.1) return x - std::log(mean / count);
  // log(1 + x) = 2 artanh(s) with s = x / (2 + x), so that x - log(1 + x) is
  // x^2 / 2 - s (x^2 / 2 + 2 s^2 (1/3 + s^2 / 5 + s^4 / 7 + ...)), and s^2 < 0.003. Written
  // like this nothing cancels.
  const double s = x / (2 + x), s2 = s * s;
  double sum = 0;
  for (int k = 15; k >= 3; k -= 2) sum = 1.0 / k + s2 * sum;
  return x * x / 2 - s * (x * x / 2 + 2 * s2 * sum);
}

}  // namespace projfgd
