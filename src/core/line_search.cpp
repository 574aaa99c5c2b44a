#include "projfgd/core/line_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace projfgd {
namespace {

struct Roots {
  std::array<double, 3> at{};
  int count = 0;
  void add(double t) {
    if (std::isfinite(t)) at[count++] = t;
  }
};

/// Real roots of a + b t + c t^2, without cancellation.
void add_quadratic_roots(double a, double b, double c, Roots& roots) {
  const double discriminant = b * b - 4 * a * c;
  if (discriminant < 0) return;
  const double q = -(b + std::copysign(std::sqrt(discriminant), b)) / 2;
  roots.add(q / c);
  roots.add(a / q);
}

/// Real roots of q'(t) = 0 by the trigonometric or Cardano formula, each polished by Newton steps.
Roots stationary_points(const Quartic& q) {
  const double d = 4 * q.c[4], c = 3 * q.c[3], b = 2 * q.c[2], a = q.c[1];
  Roots roots;
  if (std::abs(d) <= 1e-14 * std::max(std::abs(c), std::max(std::abs(b), std::abs(a)))) {
    add_quadratic_roots(a, b, c, roots);
    if (roots.count == 0) roots.add(-a / b);
    return roots;
  }
  const double shift = -c / (3 * d);
  const double p = b / d - 3 * shift * shift;
  const double s = (a + shift * (b + shift * (c + shift * d))) / d;  // t^3 + p t + s, t shifted
  const double discriminant = s * s / 4 + p * p * p / 27;
  if (discriminant > 0) {
    const double e = -s / 2 - std::copysign(std::sqrt(discriminant), s);
    const double u = std::cbrt(e);
    roots.add(shift + u - (u == 0 ? 0 : p / (3 * u)));
  } else {
    const double radius = 2 * std::sqrt(std::max(-p / 3, 0.0));
    const double cosine = radius == 0 ? 0 : std::clamp(3 * s / (p * radius), -1.0, 1.0);
    const double angle = std::acos(cosine) / 3;
    constexpr double third = 2 * std::numbers::pi / 3;
    for (const double turn : {0.0, third, -third}) {
      roots.add(shift + radius * std::cos(angle + turn));
    }
  }
  for (int k = 0; k < roots.count; ++k) {
    double& t = roots.at[k];
    for (int step = 0; step < 3; ++step) {
      const double slope = a + t * (b + t * (c + t * d)), curvature = b + t * (2 * c + t * 3 * d);
      const double next = t - slope / curvature;
      if (!std::isfinite(next)) break;
      t = next;
    }
  }
  return roots;
}

}  // namespace

double minimiser(const Quartic& q, double longest) {
  // In the variable t / scale all coefficients are comparable, whatever the units of the problem.
  double scale = 1;
  if (q.c[1] != 0) {
    double size = 0;
    for (int k = 2; k <= 4; ++k) {
      size = std::max(size, std::pow(std::abs(q.c[k] / q.c[1]), 1.0 / (k - 1)));
    }
    if (size > 0 && std::isfinite(size)) scale = 1 / size;
  }
  Quartic scaled;
  for (int k = 1; k <= 4; ++k) {
    scaled.c[k] = q.c[1] == 0 ? q.c[k] : q.c[k] / std::abs(q.c[1]) * std::pow(scale, k - 1);
  }
  const double bound = longest / scale;
  double best = 0, best_value = std::numeric_limits<double>::infinity();
  const auto consider = [&](double t) {
    if (!(t > 0) || t > bound) return;
    const double value = scaled(t);
    if (value < best_value) best = t, best_value = value;
  };
  const Roots roots = stationary_points(scaled);
  for (int k = 0; k < roots.count; ++k) consider(roots.at[k]);
  if (std::isfinite(bound)) consider(bound);
  return std::min(best * scale, longest);
}

}  // namespace projfgd
