#include "jobs/phase/readings.hpp"

#include "jobs/phase/errors.hpp"

namespace projfgd {
namespace {

/// y'(i, j) = y(from(i, height), from(j, width)) in every pattern.
template <class R, class From>
Vector<R> rearranged(const Vector<R>& y, const PatternLayout& layout, const From& from) {
  const Index height = layout.height, width = layout.width;
  Vector<R> out(y.size());
  for (Index first = 0; first < y.size(); first += height * width) {
    for (Index i = 0; i < height; ++i) {
      for (Index j = 0; j < width; ++j) {
        out[first + i * width + j] = y[first + from(i, height) * width + from(j, width)];
      }
    }
  }
  return out;
}

}  // namespace

template <class R>
std::vector<Reading<R>> other_readings(const Vector<R>& y, const PatternLayout& layout) {
  std::vector<Reading<R>> readings;
  if (layout.masks) {
    readings.push_back(
        {layout.conjugated ? "the masks should not be conjugated: leave out --conjugate-masks"
                           : "the masks should be complex-conjugated: use --conjugate-masks",
         rearranged(y, layout, [](Index k, Index length) { return (length - k) % length; })});
  }
  if (layout.signs_matter && !layout.centred) {
    readings.push_back(
        {"the zero frequency is in the middle of the patterns: use --centred",
         rearranged(y, layout, [](Index k, Index length) { return (k + length / 2) % length; })});
  }
  if (layout.signs_matter && layout.centred) {
    readings.push_back({"the patterns begin with the zero frequency: leave out --centred",
                        rearranged(y, layout, [](Index k, Index length) {
                          return (k + length - length / 2) % length;
                        })});
  }
  // The likeliest first: there is more contrast in speckle than in its amplitudes.
  const bool amplitudes = seem_amplitudes(y.template cast<double>(), y.size());
  readings.insert(amplitudes ? readings.begin() : readings.end(),
                  {"the data are amplitudes, not intensities: use --amplitudes", y.cwiseAbs2()});
  return readings;
}

template std::vector<Reading<float>> other_readings(const Vector<float>&, const PatternLayout&);
template std::vector<Reading<double>> other_readings(const Vector<double>&, const PatternLayout&);

}  // namespace projfgd
