// Whether what an image leaves of the data is noise.
#pragma once

#include <cmath>
#include <numbers>

#include "projfgd/core/factor.hpp"
#include "projfgd/measures/acceptance.hpp"

namespace projfgd {

/// What the errors of a fit say of their origin. A detector adds the same noise to all intensities,
/// E r^2 = const with r = y - p. An image that is wrong is as good as noise in the field A z, whose
/// errors in an intensity grow as the intensity does, E r^2 ~ p, and so do those of counts.
struct NoiseTest {
  Deviance photons = {};  ///< where the data are counts; else nothing is expected
  /// g of E r^2 ~ p^g: 0 for a detector, 1 for a wrong image. From the darker three quarters of the
  /// predictions, because a fit takes the errors of the brightest to itself.
  double growth = 1;
  double spread = 0;  ///< its standard deviation
  double range = 0;   ///< of log p over those

  /// The data are counts, and vary about the prediction as counts of that mean do.
  bool are_photons() const { return photons.expected > 0 && is_accepted(photons); }
  /// The errors are nearer to those of a detector than to those of a wrong image, not by chance.
  bool seem_detector() const {
    constexpr double halfway = 0.5;
    return growth + most_deviations * spread < halfway;
  }
  /// And they vary no more over the data than where a detector that counts from 0 cuts off half of
  /// the noise: so they do once the intensities are fitted.
  bool are_detector() const {
    constexpr double cut_off = std::numbers::ln2;
    return seem_detector() && (growth - most_deviations * spread) * range < cut_off;
  }
  bool may_accept() const { return are_photons() || seem_detector(); }
  bool accepts() const { return are_photons() || are_detector(); }
};

/// Real numbers of an image that a set does not hold at 0: those that a fit can choose.
template <class S>
double fitted_numbers(const Matrix<S>& z) {
  return static_cast<double>((z.array().real() != 0).count() + (z.array().imag() != 0).count());
}

/// The intensities y that were measured and those predicted by a fit of so many real numbers;
/// photon is the intensity of one where the data are counts, else 0. What is 0 in both was not
/// measured.
template <class R>
NoiseTest test_noise(const Vector<R>& y, const Vector<R>& predicted, double numbers, double photon);

}  // namespace projfgd
