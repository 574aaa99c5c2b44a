#include "projfgd/measures/ring_correlation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "projfgd/operators/fourier.hpp"

namespace projfgd {
namespace {

using Complex = std::complex<double>;

/// Below this many pixels a ring has too few frequencies to tell of agreement.
constexpr Index shortest_side = 8;
/// Where half of the amplitude of one image is found in the other: the usual limit against a truth.
constexpr double seen = 0.5;

std::vector<Complex> spectrum(const FourierTransform<double>& transform,
                              const Matrix<Complex>& image, Index channel) {
  std::vector<Complex> v(static_cast<std::size_t>(image.rows()));
  const Index width = transform.width();
  transform.forward(
      [&](Index i, Complex* row) {
        for (Index j = 0; j < width; ++j) row[j] = image(i * width + j, channel);
      },
      v.data());
  return v;
}

/// The distance of frequency k of a transform of the given length from zero, in cycles a pixel.
double cycles(Index k, Index length) {
  return static_cast<double>(std::min(k, length - k)) / static_cast<double>(length);
}

}  // namespace

RingCorrelation ring_correlation(const Matrix<Complex>& a, const Matrix<Complex>& b, Index height,
                                 Index width) {
  const Index side = std::min(height, width);
  if (side < shortest_side) return {};
  const auto rings = static_cast<std::size_t>(side / 2);
  std::vector<Complex> cross(rings);
  std::vector<double> first(rings), second(rings);
  const FourierTransform<double> transform(height, width);
  for (Index c = 0; c < a.cols(); ++c) {
    const std::vector<Complex> x = spectrum(transform, a, c), y = spectrum(transform, b, c);
    for (Index k = 0; k < height; ++k) {
      for (Index l = 0; l < width; ++l) {
        const double radius = std::hypot(cycles(k, height), cycles(l, width));
        const auto ring = static_cast<std::size_t>(radius * static_cast<double>(side));
        if (ring >= rings) continue;
        const auto at = static_cast<std::size_t>(k * width + l);
        cross[ring] += x[at] * std::conj(y[at]);
        first[ring] += std::norm(x[at]);
        second[ring] += std::norm(y[at]);
      }
    }
  }
  RingCorrelation result;
  for (std::size_t ring = 0; ring < rings; ++ring) {
    const double sizes = std::sqrt(first[ring]) * std::sqrt(second[ring]);
    result.frequency.push_back((static_cast<double>(ring) + 0.5) / static_cast<double>(side));
    result.correlation.push_back(sizes > 0 ? std::min(std::abs(cross[ring]) / sizes, 1.0) : 0.0);
  }
  return result;
}

double RingCorrelation::resolution() const {
  if (correlation.empty()) return 0;
  const auto lost = std::find_if(correlation.begin(), correlation.end(),
                                 [](double value) { return !(value >= seen); });
  if (lost == correlation.end()) return 1;
  return 0.5 / frequency[static_cast<std::size_t>(lost - correlation.begin())];
}

}  // namespace projfgd
