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

/// The slope of a straight line through points.
class Slope {
 public:
  explicit Slope(const std::vector<double>& x) : x_(x) {
    centre_ = std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
    for (const double at : x) squares_ += (at - centre_) * (at - centre_);
  }
  double squares() const { return squares_; }
  double of(const std::vector<double>& y) const {
    double products = 0;
    for (std::size_t k = 0; k < x_.size(); ++k) products += (x_[k] - centre_) * y[k];
    return products / squares_;
  }

 private:
  const std::vector<double>& x_;
  double centre_ = 0, squares_ = 0;
};

/// The variance of the field that a wrong image adds: half of it shows in the amplitudes.
double field_variance(const std::vector<double>& measured, const std::vector<double>& predicted) {
  double sum = 0;
  for (std::size_t k = 0; k < measured.size(); ++k) {
    const double error = std::sqrt(measured[k]) - std::sqrt(predicted[k]);
    sum += error * error;
  }
  return 2 * sum / static_cast<double>(measured.size());
}

/// The slope of log E r^2 against log p over groups of data that are alike in p, with its standard
/// deviation, and that of the errors of a wrong image.
void measure_growth(const std::vector<double>& measured, const std::vector<double>& predicted,
                    NoiseTest& test) {
  constexpr std::size_t groups = 8, darker = 6;
  std::vector<PredictionError> points(predicted.size());
  for (std::size_t k = 0; k < points.size(); ++k) {
    points[k] = {predicted[k], (measured[k] - predicted[k]) * (measured[k] - predicted[k])};
  }
  const std::size_t size = points.size() / groups;
  divide(points, 0, groups, size);
  const double field = field_variance(measured, predicted);
  std::vector<double> light, errors, of_wrong_image;  // logarithms
  for (std::size_t g = 0; g < darker && size > 0; ++g) {
    double sum = 0, square = 0;
    for (std::size_t k = g * size; k < (g + 1) * size; ++k) {
      sum += points[k].prediction;
      square += points[k].square;
    }
    if (!(sum > 0) || !(square > 0)) continue;
    const double mean = sum / static_cast<double>(size);
    light.push_back(std::log(mean));
    errors.push_back(std::log(square));
    of_wrong_image.push_back(std::log(mean * field + field * field));
  }
  if (light.size() < 3) return;
  const Slope slope(light);
  if (!(slope.squares() > 0)) return;
  test.growth = slope.of(errors);
  test.wrong_growth = slope.of(of_wrong_image);
  test.range = light.back() - light.front();
  test.spread = std::sqrt(2 / static_cast<double>(size) / slope.squares());
}

}  // namespace

template <class R>
NoiseTest test_noise(const Vector<R>& y, const Vector<R>& predicted, double numbers, double photon,
                     bool masks) {
  std::vector<double> measured, means;
  for (Index i = 0; i < y.size(); ++i) {
    if (y[i] == 0 && predicted[i] == 0) continue;
    measured.push_back(static_cast<double>(y[i]));
    means.push_back(static_cast<double>(predicted[i]));
  }
  NoiseTest test{.masks = masks};
  measure_growth(measured, means, test);
  if (photon > 0) {
    test.photons = photon_deviance(measured, means, photon)
                       .after_fit(numbers, static_cast<double>(measured.size()));
  }
  return test;
}

template NoiseTest test_noise(const Vector<float>&, const Vector<float>&, double, double, bool);
template NoiseTest test_noise(const Vector<double>&, const Vector<double>&, double, double, bool);

}  // namespace projfgd
