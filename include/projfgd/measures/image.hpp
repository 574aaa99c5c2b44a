// How near an image is to the truth. Intensities do not see a global phase, so each column (each
// channel) is compared after the best turn of its own.
#pragma once

#include <cmath>

#include "projfgd/core/phase.hpp"
#include "projfgd/measures/distance.hpp"

namespace projfgd {

/// min over phases of ||z e^{i phi} - x||_F.
template <class S>
double aligned_distance(const Matrix<S>& z, const Matrix<S>& truth) {
  double square = 0;
  for (Index c = 0; c < z.cols(); ++c) {
    const S turn = phase(S(z.col(c).dot(truth.col(c))));
    square += static_cast<double>((z.col(c) * turn - truth.col(c)).squaredNorm());
  }
  return std::sqrt(square);
}

/// That distance over ||x||_F.
template <class S>
double aligned_error(const Matrix<S>& z, const Matrix<S>& truth) {
  return aligned_distance(z, truth) / static_cast<double>(truth.norm());
}

/// Peak signal to noise ratio in decibel: 20 log10(max |x| / root mean square distance).
template <class S>
double psnr(const Matrix<S>& z, const Matrix<S>& truth) {
  return 20 * std::log10(static_cast<double>(truth.cwiseAbs().maxCoeff()) *
                         std::sqrt(static_cast<double>(truth.size())) / aligned_distance(z, truth));
}

}  // namespace projfgd
