// Which kind of noise the data have.
#pragma once

#include <algorithm>
#include <cmath>

#include "projfgd/core/intensities.hpp"
#include "projfgd/losses/pointwise.hpp"

namespace projfgd {

/// The loss for the noise that shows in the errors sqrt p - sqrt y of an amplitude fit z, p = |A
/// z|^2.
///
/// Their variance is the same for all p where photons are counted, and falls as 1 / p where a
/// detector adds the same noise everywhere: it is compared where p is large and where it is small.
/// A fit of k numbers to m data takes the share h = k / m of all errors to itself and spreads it
/// evenly over the data, so of the mean square s_g seen in a group
///
///   v_g = (s_g - h s) / (1 - h)^2
///
/// is its own, s being the mean square of all.
template <LinearMeasurement A>
PointwiseLoss fitting_loss(const A& op, const typename A::Values& data,
                           const typename A::Factor& image) {
  using Real = RealOf<typename A::Factor>;
  constexpr double most_taken = 0.9;
  typename A::Values predicted;
  op.forward(image, predicted);
  const double mean = mean_intensity(op, data);
  const Vector<Real>&p = copy_to_host(predicted), &y = copy_to_host(data);
  const Matrix<typename A::Factor::Scalar>& z = copy_to_host(image);
  double all = 0, square[2] = {0, 0}, size[2] = {0, 0};
  Index count[2] = {0, 0}, seen = 0;
  for (Index i = 0; i < p.size(); ++i) {
    if (p[i] == 0 && y[i] == 0) continue;  // a row of zeros tells nothing of noise
    ++seen;
    const double error =
        std::sqrt(static_cast<double>(p[i])) - std::sqrt(static_cast<double>(y[i]));
    all += error * error;
    const int bright = p[i] > 2 * mean ? 1 : 0;
    if (bright == 0 && p[i] > mean / 2) continue;
    square[bright] += error * error, size[bright] += p[i], ++count[bright];
  }
  if (count[0] == 0 || count[1] == 0) return PointwiseLoss::amplitude;
  const auto m = static_cast<double>(seen);
  const Index numbers = (z.array().real() != 0).count() + (z.array().imag() != 0).count();
  const double taken = std::min(static_cast<double>(numbers) / m, most_taken) * all / m;
  const double dark = square[0] / static_cast<double>(count[0]) - taken;
  const double bright = square[1] / static_cast<double>(count[1]) - taken;
  const double brightness =
      size[1] / static_cast<double>(count[1]) / (size[0] / static_cast<double>(count[0]));
  return bright * std::sqrt(brightness) < dark ? PointwiseLoss::intensity : PointwiseLoss::poisson;
}

}  // namespace projfgd
