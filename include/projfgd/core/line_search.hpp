// Minimising along a segment.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace projfgd {

/// c[0] + c[1] t + c[2] t^2 + c[3] t^3 + c[4] t^4
struct Quartic {
  std::array<double, 5> c{};
  double operator()(double t) const {
    return c[0] + t * (c[1] + t * (c[2] + t * (c[3] + t * c[4])));
  }
};

/// The point of (0, longest] where q is smallest; `longest` may be infinite when c[4] > 0.
double minimiser(const Quartic& q, double longest);

/// Where a slope that starts negative first turns positive on (0, longest]; 0 where it does not
/// start negative. Doubling or quartering from `guess` brackets it, then the Illinois rule goes on
/// until the slope is a thousandth of the first. A slope that is not finite marks a point outside
/// the domain: at 0 that is its edge, elsewhere too far.
template <class Slope>
double first_zero(const Slope& slope, double guess, double longest) {
  constexpr int most_doublings = 200, most_steps = 40;
  double low = 0, low_slope = slope(0.0);
  double high = std::min(guess, longest), high_slope = slope(high);
  if (std::isfinite(low_slope) && !(low_slope < 0)) return 0;
  const auto falls = [](double s) { return std::isfinite(s) && s < 0; };
  for (int k = 0; !falls(low_slope) && k < most_doublings; ++k) {  // 0 is not in the domain
    low = high / 4, low_slope = slope(low);
    if (!falls(low_slope)) high = low, high_slope = low_slope;
  }
  if (!falls(low_slope)) return 0;
  for (int k = 0; high_slope < 0 && high < longest && k < most_doublings; ++k) {
    low = high, low_slope = high_slope;
    high = std::min(2 * high, longest), high_slope = slope(high);
  }
  if (high_slope <= 0) return high;
  const double small = 1e-3 * std::abs(low_slope);
  int side = 0;
  for (int k = 0; k < most_steps; ++k) {
    const bool inside = std::isfinite(high_slope);
    const double t = inside ? (low * high_slope - high * low_slope) / (high_slope - low_slope)
                            : (low + high) / 2;
    const double s = slope(t);
    if (std::abs(s) <= small) return t;
    if (s < 0) {
      low = t, low_slope = s;
      if (side == -1 && inside) high_slope /= 2;
      side = -1;
    } else {
      high = t, high_slope = s;
      if (side == 1) low_slope /= 2;
      side = 1;
    }
  }
  return low > 0 ? low : high;
}

}  // namespace projfgd
