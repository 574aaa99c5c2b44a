#include "jobs/phase/noise.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "projfgd/losses/deviance.hpp"

namespace projfgd {
namespace {

/// 2 (mean - count - count log(mean / count)).
double deviance_of(double mean, double count) {
  return 2 * (count > 0 ? count * deviance<double>(mean, count) : mean);
}

/// Mean and variance of the deviance of a count of that mean: 1 and 2 for large ones.
struct Moments {
  double mean, variance;
};

Moments moments(double mean) {
  constexpr double large = 20;
  if (!(mean > 0)) return {0, 0};
  if (mean > large) return {1 + 1 / (6 * mean), 2};
  double first = 0, second = 0, chance = std::exp(-mean);
  for (double count = 0; count < 3 * large; ++count) {
    const double d = deviance_of(mean, count);
    first += chance * d;
    second += chance * d * d;
    chance *= mean / (count + 1);
  }
  return {first, second - first * first};
}

/// The moments on a grid of means, with straight lines between: they vary slowly.
class MomentTable {
 public:
  MomentTable() {
    for (double x = 0; x <= top + step; x += step) table_.push_back(moments(x));
  }
  Moments at(double mean) const {
    if (mean >= top) return moments(mean);
    const double x = mean / step;
    const auto k = static_cast<std::size_t>(x);
    const double t = x - static_cast<double>(k);
    return {(1 - t) * table_[k].mean + t * table_[k + 1].mean,
            (1 - t) * table_[k].variance + t * table_[k + 1].variance};
  }

 private:
  static constexpr double top = 20, step = 0.02;
  std::vector<Moments> table_;
};

Deviance photon_deviance(const std::vector<double>& measured, const std::vector<double>& predicted,
                         double photon) {
  static const MomentTable table;
  Deviance all;
  for (std::size_t k = 0; k < measured.size(); ++k) {
    const double mean = predicted[k] / photon;
    const Moments expected = table.at(mean);
    all.sum += deviance_of(mean, std::round(measured[k] / photon));
    all.expected += expected.mean;
    all.variance += expected.variance;
  }
  return all;
}

struct PredictionError {
  double prediction, square;
};

/// Puts the points into groups of that size by their predictions, the lowest first. That takes a
/// few passes over millions of points, where sorting them takes twenty.
void divide(std::vector<PredictionError>& points, std::size_t first, std::size_t groups,
            std::size_t size) {
  if (groups < 2 || size == 0) return;
  const auto at = [&](std::size_t k) { return points.begin() + static_cast<std::ptrdiff_t>(k); };
  const std::size_t middle = first + groups / 2 * size;
  const bool last = first + (groups + 1) * size > points.size();
  std::ranges::nth_element(at(first), at(middle), last ? points.end() : at(first + groups * size),
                           {}, &PredictionError::prediction);
  divide(points, first, groups / 2, size);
  divide(points, middle, groups - groups / 2, size);
}

/// The slope of log E r^2 against log p over groups of data that are alike in p, with its standard
/// deviation.
void measure_growth(const std::vector<double>& measured, const std::vector<double>& predicted,
                    NoiseTest& test) {
  constexpr std::size_t groups = 8, darker = 6;
  std::vector<PredictionError> points(predicted.size());
  for (std::size_t k = 0; k < points.size(); ++k) {
    points[k] = {predicted[k], (measured[k] - predicted[k]) * (measured[k] - predicted[k])};
  }
  const std::size_t size = points.size() / groups;
  divide(points, 0, groups, size);
  std::vector<double> x, y;
  for (std::size_t g = 0; g < darker && size > 0; ++g) {
    double mean = 0, square = 0;
    for (std::size_t k = g * size; k < (g + 1) * size; ++k) {
      mean += points[k].prediction;
      square += points[k].square;
    }
    if (!(mean > 0) || !(square > 0)) continue;
    x.push_back(std::log(mean));
    y.push_back(std::log(square));
  }
  const auto count = static_cast<double>(x.size());
  const double centre = std::accumulate(x.begin(), x.end(), 0.0) / count;
  double across = 0, along = 0;
  for (std::size_t g = 0; g < x.size(); ++g) {
    along += (x[g] - centre) * (x[g] - centre);
    across += (x[g] - centre) * y[g];
  }
  if (x.size() < 3 || !(along > 0)) return;
  test.growth = across / along;
  test.range = x.back() - x.front();
  test.spread = std::sqrt(2 / static_cast<double>(size) / along);
}

}  // namespace

template <class R>
NoiseTest test_noise(const Vector<R>& y, const Vector<R>& predicted, double numbers,
                     double photon) {
  std::vector<double> measured, means;
  for (Index i = 0; i < y.size(); ++i) {
    if (y[i] == 0 && predicted[i] == 0) continue;
    measured.push_back(static_cast<double>(y[i]));
    means.push_back(static_cast<double>(predicted[i]));
  }
  NoiseTest test;
  measure_growth(measured, means, test);
  if (photon > 0) {
    test.photons = photon_deviance(measured, means, photon)
                       .after_fit(numbers, static_cast<double>(measured.size()));
  }
  return test;
}

template NoiseTest test_noise(const Vector<float>&, const Vector<float>&, double, double);
template NoiseTest test_noise(const Vector<double>&, const Vector<double>&, double, double);

}  // namespace projfgd
