#include "jobs/phase/errors.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "projfgd/losses/deviance.hpp"

namespace projfgd {
namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// 2 (mean - count - count log(mean / count)).
double deviance_of(double mean, double count) {
  return 2 * (count > 0 ? count * deviance<double>(mean, count) : mean);
}

/// Its expectation for a count of that mean: 1 for large ones, at most 1.2, and far less below 1/2.
double expected_deviance(double mean) {
  constexpr double large = 20;
  if (!(mean > 0)) return 0;
  if (mean > large) return 1 + 1 / (6 * mean);
  double sum = 0, chance = std::exp(-mean);
  for (double count = 0; count < 3 * large; ++count) {
    sum += chance * deviance_of(mean, count);
    chance *= mean / (count + 1);
  }
  return sum;
}

}  // namespace

double growth_of_errors(const std::vector<double>& measured, const std::vector<double>& predicted) {
  const double middle = median(predicted);
  double square[2] = {0, 0}, count[2] = {0, 0};
  for (std::size_t k = 0; k < predicted.size(); ++k) {
    const int bright = predicted[k] > middle ? 1 : 0;
    square[bright] += (measured[k] - predicted[k]) * (measured[k] - predicted[k]);
    ++count[bright];
  }
  return square[1] / count[1] / (square[0] / count[0]);
}

bool seem_amplitudes(const Eigen::Ref<const Vector<double>>& y, Index measured) {
  constexpr double of_amplitudes = 4 / std::numbers::pi, nearness = 0.12;
  const double sum = y.sum();
  return std::abs(static_cast<double>(measured) * y.squaredNorm() / (sum * sum) - of_amplitudes) <
         nearness;
}

Index blind_pixels(const PhaseData& data, const ConstAmplitudes& measured,
                   const ConstAmplitudes& predicted) {
  constexpr double more_than_likely = 10, much_light = 0.3;
  if (data.patterns < 2) return 0;
  const Index n = data.height * data.width;
  std::vector<Index> seen(static_cast<std::size_t>(n)),
      none(seen);  // how often, and how often as 0
  for (Index i = 0; i < measured.size(); ++i) {
    if (data.is_left_out(i)) continue;
    ++seen[i % n];
    if (measured[i] == 0) ++none[i % n];
  }
  std::vector<Index> dark;
  Index zeros = 0, others = 0;  // of the other pixels
  for (Index k = 0; k < n; ++k) {
    if (seen[k] > 0 && none[k] == seen[k]) {
      dark.push_back(k);
    } else {
      zeros += none[k], others += seen[k];
    }
  }
  const double share = others > 0 ? static_cast<double>(zeros) / static_cast<double>(others) : 1;
  const double likely =
      static_cast<double>(n) * std::pow(share, static_cast<double>(data.patterns));
  if (dark.empty() || static_cast<double>(dark.size()) <= more_than_likely * likely) return 0;
  double light = 0;
  Index count = 0;
  for (const Index k : dark) {
    for (Index i = k; i < predicted.size(); i += n) {
      light += predicted[i] * predicted[i];
      ++count;
    }
  }
  const double all = predicted.squaredNorm() / static_cast<double>(predicted.size());
  const bool lit = light / static_cast<double>(count) > much_light * all;
  return lit ? static_cast<Index>(dark.size()) : 0;
}

std::vector<double> pattern_misfits(const ConstAmplitudes& measured,
                                    const ConstAmplitudes& predicted, Index patterns) {
  const Index n = measured.size() / patterns;
  std::vector<double> misfits;
  for (Index first = 0; first < measured.size(); first += n) {
    const double left = (measured.segment(first, n) - predicted.segment(first, n)).norm();
    const double size = measured.segment(first, n).norm();
    misfits.push_back(size > 0 ? left / size : left > 0 ? 1 : 0);
  }
  return misfits;
}

std::vector<double> differing_exposures(const ConstAmplitudes& measured,
                                        const ConstAmplitudes& predicted, Index patterns) {
  constexpr double most_left = 0.5, hardly = 0.05;
  const Index n = measured.size() / patterns;
  std::vector<double> factors;
  double left = 0;
  for (Index first = 0; first < measured.size(); first += n) {
    const auto b = measured.segment(first, n), p = predicted.segment(first, n);
    const double size = p.squaredNorm(), factor = size > 0 ? p.dot(b) / size : 0;
    left += (b - factor * p).squaredNorm();
    factors.push_back(factor * factor);
  }
  const auto is_dark = [](double factor) {
    return !(factor > 0);
  };  // nothing measured, or no light
  std::vector<double> lit = factors;
  std::erase_if(lit, is_dark);
  if (lit.empty()) return {};
  const double usual = median(lit);
  std::ranges::replace_if(factors, is_dark, usual);
  if (!(left < most_left * (measured - predicted).squaredNorm())) return {};
  for (double& factor : factors) factor /= usual;
  const auto differs = [](double factor) { return std::abs(factor - 1) > hardly; };
  return std::ranges::any_of(factors, differs) ? factors : std::vector<double>{};
}

double photon_unit(const std::vector<double>& intensities) {
  constexpr double rounding = 1e-6;  // data may be in single precision
  double unit = 0;
  for (const double y : intensities) {
    if (y > 0 && (unit == 0 || y < unit)) unit = y;
  }
  const auto whole = [&](double y) {
    const double count = y / unit;
    return std::abs(count - std::round(count)) <= rounding * count;
  };
  return unit > 0 && std::ranges::all_of(intensities, whole) ? unit : 0;
}

bool photons_explain(const std::vector<double>& counts, const std::vector<double>& means,
                     double taken) {
  double found = 0, expected = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    found += deviance_of(means[k], counts[k]);
    expected += expected_deviance(means[k]);
  }
  constexpr double nearness = 1.15;
  return found <= nearness * (1 - taken) * expected;
}

}  // namespace projfgd
