// How far into the fine details an image agrees with another: Fourier ring correlation.
#pragma once

#include <complex>
#include <vector>

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// The correlation of two images in rings of equal spatial frequency, up to the highest frequency
/// that both sides of the image have.
struct RingCorrelation {
  std::vector<double> frequency = {};    ///< in cycles a pixel, the middle of each ring, up to 1/2
  std::vector<double> correlation = {};  ///< |sum a b*| / sqrt(sum |a|^2 sum |b|^2) over the ring

  /// The smallest detail that is seen, in pixels: half the period where the correlation first
  /// falls below one half, 1 where it never does. 0 without rings.
  double resolution() const;
};

/// Of two images of height x width pixels in row-major order, a column for each channel. Rings are
/// as wide as one frequency of the shorter side. A ring where one of the images is dark agrees with
/// nothing: its correlation is 0. Images with a side of fewer than 8 pixels have no rings.
RingCorrelation ring_correlation(const Matrix<std::complex<double>>& a,
                                 const Matrix<std::complex<double>>& b, Index height, Index width);

}  // namespace projfgd
