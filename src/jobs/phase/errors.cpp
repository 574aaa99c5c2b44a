#include "jobs/phase/errors.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>

namespace projfgd {
namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

constexpr double count_rounding = 1e-6;  // data may be in single precision

/// The least difference of two of these numbers, or of one from 0, that is not rounding; `most`
/// where there is none.
double least_difference(std::vector<double> numbers, double most) {
  numbers.push_back(0);
  std::ranges::sort(numbers);
  double least = most;
  for (std::size_t k = 1; k < numbers.size(); ++k) {
    const double difference = numbers[k] - numbers[k - 1];
    if (difference > count_rounding * numbers[k] && difference < least) least = difference;
  }
  return least;
}

/// Whether all numbers are multiples of the unit, where there are enough to tell: numbers so large
/// that rounding hides one unit are multiples of any.
enum class Multiples { all, not_all, not_known };
Multiples multiples_of(double unit, const std::vector<double>& numbers) {
  constexpr double hidden = 0.1 / count_rounding, enough = 0.1;
  std::size_t lit = 0, resolved = 0;
  bool all = true;
  for (const double y : numbers) {
    const double count = y / unit;
    if (!(count > 0)) continue;
    ++lit;
    if (count > hidden) continue;
    ++resolved;
    all = all && std::abs(count - std::round(count)) <= count_rounding * std::max(count, 1.0);
  }
  if (static_cast<double>(resolved) <= enough * static_cast<double>(lit)) {
    return Multiples::not_known;
  }
  return all ? Multiples::all : Multiples::not_all;
}

}  // namespace

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

bool has_background(const std::vector<double>& intensities) {
  constexpr std::size_t fewest = 1000;  // of fewer it may be chance
  constexpr double near_zero = 0.02, hardly = 0.002;
  const auto all = static_cast<double>(intensities.size());
  const double mean = std::accumulate(intensities.begin(), intensities.end(), 0.0) / all;
  const auto dim = static_cast<double>(
      std::ranges::count_if(intensities, [&](double y) { return y < near_zero * mean; }));
  return intensities.size() >= fewest && dim < hardly * all;
}

double photon_unit(const std::vector<double>& intensities) {
  const double most = intensities.empty() ? 0 : std::ranges::max(intensities);
  // An even selection tells nearly always: what it resolves all may be multiples of, and what it
  // does not resolve is not resolved by more data.
  constexpr std::size_t enough = 10'000;
  for (std::size_t step = intensities.size() / enough + 1;; step = 1) {
    std::vector<double> some;
    for (std::size_t k = 0; k < intensities.size(); k += step) some.push_back(intensities[k]);
    const double unit = least_difference(std::move(some), most);
    if (!(unit > 0)) return 0;
    const Multiples multiples = multiples_of(unit, intensities);
    if (multiples == Multiples::all) return unit;
    if (multiples == Multiples::not_known || step == 1) return 0;
  }
}

}  // namespace projfgd
