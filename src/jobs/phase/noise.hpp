// Whether what an image leaves of the data is noise.
#pragma once

#include <cmath>
#include <numbers>

#include "projfgd/core/factor.hpp"
#include "projfgd/measures/acceptance.hpp"

namespace projfgd {

/// What the errors of a fit say of their origin. A detector adds the same noise to all intensities,
/// E r^2 = const with r = y - p. Behind masks an image that is wrong is as good as noise of
/// variance v in the field A z, whose errors in an intensity grow as that does, E r^2 = 2 p v +
/// v^2, and so do those of counts. Of one open pattern a wrong image leaves errors of any kind, and
/// hardly more of them than the right one does.
struct NoiseTest {
  Deviance photons = {};  ///< where the data are counts; else nothing is expected
  /// g of E r^2 ~ p^g: 0 for a detector. From the darker three quarters of the predictions, because
  /// a fit takes the errors of the brightest to itself.
  double growth = 1;
  double wrong_growth = 1;  ///< the same of a wrong image that leaves as much
  double spread = 0;        ///< its standard deviation
  double range = 0;         ///< of log p over those
  bool masks = true;        ///< the pattern is not an open one

  /// The data are counts, and vary about the prediction as counts of that mean do: where they were
  /// fitted as such, to all but chance in an open pattern.
  bool may_be_photons() const { return photons.expected > 0 && is_accepted(photons); }
  bool are_photons() const {
    return may_be_photons() && (masks || deviations_above(photons) <= most_deviations);
  }
  /// The errors grow less than those of a wrong image, not by chance. Those of a fit of amplitudes
  /// do under the noise of a detector, which it spreads over all of them.
  bool may_be_detector() const { return masks && growth + most_deviations * spread < wrong_growth; }
  /// They are nearer to those of a detector, and vary no more over the data than where one that
  /// counts from 0 cuts off half of the noise: so they do once the intensities are fitted.
  bool are_detector() const {
    constexpr double halfway = 0.5, cut_off = std::numbers::ln2;
    return masks && growth + most_deviations * spread < halfway * wrong_growth &&
           (growth - most_deviations * spread) * range < cut_off;
  }

  /// The errors of a fit of amplitudes, which comes first, may be noise.
  bool may_be_noise() const { return may_be_photons() || may_be_detector(); }
  /// Those of a fit on the loss for the noise are.
  bool are_noise() const { return are_photons() || are_detector(); }
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
NoiseTest test_noise(const Vector<R>& y, const Vector<R>& predicted, double numbers, double photon,
                     bool masks = true);

}  // namespace projfgd
