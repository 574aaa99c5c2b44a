#include "projfgd/measures/goodness.hpp"

#include <algorithm>
#include <cmath>

#include "measures/count_weights.hpp"
#include "projfgd/measures/acceptance.hpp"
#include "projfgd/measures/noise.hpp"

namespace projfgd {
namespace {

constexpr double several_times = 3;    // the noise: worth a word of its own
constexpr double held_at_zero = 1e-4;  // of the trace, an eigenvalue

/// What the outcomes of one or more settings add up to.
struct CountSums {
  double square = 0;      ///< of the residuals
  double variance = 0;    ///< of the frequencies
  double spread = 0;      ///< variance of the sum of squares
  double chi_square = 0;  ///< Pearson's
  double expected = 0;    ///< its mean
  double excess = 0;      ///< its variance beside 2 a degree of freedom
  double cells = 0;       ///< outcomes that the state lets be seen

  void add(double predicted, double count, double shots) {
    const double difference = count / shots - predicted;
    square += difference * difference;
    const double of_cell = std::max(predicted * (1 - predicted), 0.0) / shots;
    variance += of_cell;
    spread += 2 * of_cell * of_cell;
    const double mean = shots * std::max(predicted, 0.0), unit = std::max(mean, least_expected);
    chi_square += std::pow(shots * difference, 2) / unit;
    expected += mean * std::max(1 - predicted, 0.0) / unit;
    // Rare counts are Poisson's, (x - mean)^2 has the variance mean + 2 mean^2.
    excess += (mean + 2 * mean * mean) / (unit * unit) - 2 * mean / unit;
    cells += mean / unit;
  }

  /// Haldane, Biometrika 29 (1937): the variance is 2 (n - 1) + (sum_k 1 / p_k - n^2 - 2 n + 2) / N
  /// for a setting of N shots. Where few counts are expected chance has more room than normal
  /// errors do.
  void end_setting(double shots) {
    excess -= (cells * (cells + 2) - 2) / shots;
    cells = 0;
  }
};

}  // namespace

Goodness goodness_of_values(const Vector<double>& predicted, const Vector<double>& measured,
                            const Vector<double>& errors, double independent) {
  const Vector<double> residual = predicted - measured;
  Goodness good;
  good.residual = residual.norm();
  good.chi_square = std::nan("");
  if (errors.size() == 0) return good;
  good.floor = errors.norm();
  good.residual_variance = 2 * errors.array().pow(4).sum();
  good.chi_square = residual.cwiseQuotient(errors).squaredNorm();
  good.expected = independent;
  return good;
}

Goodness goodness_of_counts(const Vector<double>& predicted, const Vector<double>& counts,
                            const Vector<double>& shots, bool shots_known) {
  const Index outcomes = counts.size() / shots.size();
  CountSums sums;
  for (Index s = 0; s < shots.size(); ++s) {
    for (Index i = s * outcomes; i < (s + 1) * outcomes; ++i) {
      sums.add(predicted[i], counts[i], shots[s]);
    }
    sums.end_setting(shots[s]);
  }
  // One count a setting is noise even where the state leaves no doubt of the outcome.
  const double least = shots.cwiseInverse().squaredNorm();
  Goodness good;
  good.residual = std::sqrt(sums.square);
  good.floor = shots_known ? std::sqrt(std::max(sums.variance, least)) : 0;
  good.chi_square = shots_known ? sums.chi_square : std::nan("");
  good.expected = sums.expected;
  good.residual_variance = sums.spread + std::pow(least, 2);
  good.excess_variance = std::max(sums.excess, 0.0);
  return good;
}

double fitted_parameters(double determined, Index n, const Vector<double>& eigenvalues) {
  const Index rank = (eigenvalues.array() > held_at_zero).count();
  return std::min(parameters(n, rank) - 1, determined);
}

double degrees_of_freedom(const Goodness& good, double data, double parameters) {
  const double expected = std::round(good.expected);
  const double free = expected - parameters * expected / data;
  // Parameters are an average over models. What rounds to none is too little to test by.
  return std::round(free) > 0 ? free : 0;
}

double GoodnessTest::times_noise() const {
  const double plain = good.ratio();
  return likelihood && freedom > 0 ? std::max(plain, std::sqrt(good.chi_square / freedom)) : plain;
}

double GoodnessTest::deviations() const {
  if (likelihood && freedom > 0) {
    return deviations_above({good.chi_square, freedom, 2 * freedom + good.excess_variance});
  }
  return deviations_above(
      {std::pow(good.residual, 2), std::pow(good.floor, 2), good.residual_variance});
}

double GoodnessTest::p_value() const { return chance_above(deviations()); }

bool GoodnessTest::fits() const { return deviations() <= beyond_chance; }

bool GoodnessTest::is_too_good() const {
  return likelihood && freedom > 0 && deviations() < -beyond_chance;
}

bool GoodnessTest::is_far() const { return !fits() && times_noise() > several_times; }

}  // namespace projfgd
