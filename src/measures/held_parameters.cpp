#include "projfgd/measures/held_parameters.hpp"

#include <algorithm>
#include <cmath>

#include "projfgd/measures/noise.hpp"

namespace projfgd {
namespace {

/// The mean of y >= 0 whose log-density is -slope y^2 - curvature (y^2 - value)^2 / 2.
double mean_root(double value, double slope, double curvature) {
  constexpr int places = 400;
  constexpr double deviations = 8;  // beyond them the density is below rounding
  constexpr double fall = deviations * deviations / 2;
  // Of x = y^2: the peak, the slope there where it is at 0, and how far from it the density falls.
  const double peak = std::max(value - slope / curvature, 0.0);
  const double steep = std::max(slope - curvature * value, 0.0);
  const double reach = 2 * fall / (steep + std::sqrt(steep * steep + 2 * fall * curvature));
  const double low = std::sqrt(std::max(peak - reach, 0.0)), high = std::sqrt(peak + reach);
  double sum = 0, mass = 0;
  for (int k = 0; k < places; ++k) {
    const double y = low + (k + 0.5) * (high - low) / places;
    const double step = y * y - peak;
    const double density = std::exp(-steep * step - curvature * step * step / 2);
    mass += density;
    sum += density * y;
  }
  return sum / mass;
}

}  // namespace

double held_parameters(const Vector<double>& eigenvalues, const Vector<double>& slopes,
                       double curvature) {
  const Index n = eigenvalues.size();
  double sum = 0;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const double free = curvature * (eigenvalues[i] + eigenvalues[j]);
      if (free > 0) sum += free / (free + slopes[i] + slopes[j]);
    }
  }
  return std::max(sum, parameters(n, 1)) - 1;
}

Vector<double> expected_eigenvalues(const Vector<double>& eigenvalues, const Vector<double>& slopes,
                                    double curvature) {
  Vector<double> out(eigenvalues.size());
  for (Index i = 0; i < out.size(); ++i) {
    out[i] = std::pow(mean_root(eigenvalues[i], slopes[i], curvature), 2);
  }
  return out;
}

}  // namespace projfgd
