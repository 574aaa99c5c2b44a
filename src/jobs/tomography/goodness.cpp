#include "jobs/tomography/goodness.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "projfgd/core/random.hpp"
#include "projfgd/measures/noise.hpp"
#include "projfgd/operators/pauli_string.hpp"

namespace projfgd {
namespace {

constexpr double several_times = 3;    // the noise: worth a word of its own
constexpr double held_at_zero = 1e-4;  // of the trace, an eigenvalue
constexpr double most_missed = 0.1;    // of an expectation, nothing said of the noise
constexpr double beyond_chance = 4;    // standard deviations: one in 30,000
/// Outcomes that the state all but forbids count as if so much of a shot were expected: a fit finds
/// a little of them where there is nothing, and divided by itself that would count as data.
constexpr double least_expected = 0.5;

/// Sorts them.
double count_different(std::vector<std::uint64_t>& values) {
  std::ranges::sort(values);
  return static_cast<double>(std::unique(values.begin(), values.end()) - values.begin());
}

/// Deviations from the mean of a sum of squares with this mean and variance, taken as a multiple of
/// a chi-square with as many degrees of freedom as that asks for, whose cube root is all but normal
/// (Wilson and Hilferty, PNAS 17 (1931)).
double deviations_of(double sum, double mean, double variance) {
  const double unit = variance / (9 * mean * mean);  // 2 / (9 degrees of freedom)
  return (std::cbrt(sum / mean) - (1 - unit)) / std::sqrt(unit);
}

}  // namespace

double scale_of(const PauliData& data) { return pauli_scale(data.qubits, data.strings.size()); }

bool noise_is_known(const PauliData& data) { return data.errors.size() > 0; }
bool noise_is_known(const CountsData& data) { return data.shots_known; }

Goodness goodness(const PauliData& data, const Vector<double>& p) {
  const Vector<double> residual = p / scale_of(data) - data.values;
  Goodness good;
  good.residual = residual.norm();
  good.chi_square = std::nan("");
  if (noise_is_known(data)) {
    good.floor = data.errors.norm();
    good.residual_variance = 2 * data.errors.array().pow(4).sum();
    good.chi_square = residual.cwiseQuotient(data.errors).squaredNorm();
    good.expected = count_data(data);
  }
  return good;
}

Goodness goodness(const CountsData& data, const Vector<double>& p) {
  const Index n = Index{1} << data.qubits;
  Goodness good;
  double square = 0, variance = 0, chi_square = 0, spread = 0, excess = 0;
  // One count a setting is noise even where the state leaves no doubt of the outcome.
  const double least = data.shots.cwiseInverse().squaredNorm();
  for (Index s = 0; s < data.shots.size(); ++s) {
    const double shots = data.shots[s];
    double cells = 0;  // that the state lets be seen
    for (Index i = s * n; i < (s + 1) * n; ++i) {
      const double difference = data.counts[i] / shots - p[i];
      square += difference * difference;
      const double of_cell = std::max(p[i] * (1 - p[i]), 0.0) / shots;
      variance += of_cell;
      spread += 2 * of_cell * of_cell;
      const double mean = shots * std::max(p[i], 0.0), unit = std::max(mean, least_expected);
      chi_square += std::pow(shots * difference, 2) / unit;
      good.expected += mean * std::max(1 - p[i], 0.0) / unit;
      // Rare counts are Poisson's, (x - mean)^2 has the variance mean + 2 mean^2.
      excess += (mean + 2 * mean * mean) / (unit * unit) - 2 * mean / unit;
      cells += mean / unit;
    }
    // Haldane, Biometrika 29 (1937): the variance is 2 (n - 1) + (sum_k 1 / p_k - n^2 - 2 n + 2) /
    // N for a setting of N shots. Where few counts are expected chance has more room than normal
    // errors do.
    excess -= (cells * (cells + 2) - 2) / shots;
  }
  good.residual = std::sqrt(square);
  good.floor = data.shots_known ? std::sqrt(std::max(variance, least)) : 0;
  good.chi_square = data.shots_known ? chi_square : std::nan("");
  good.residual_variance = spread + std::pow(least, 2);
  good.excess_variance = std::max(excess, 0.0);
  return good;
}

bool misses_values(const PauliData& data, const Goodness& good) {
  return !noise_is_known(data) &&
         good.residual > most_missed * std::sqrt(static_cast<double>(data.values.size()));
}
bool misses_values(const CountsData&, const Goodness&) { return false; }

Fit fit_of(const PauliData& data, const Vector<double>& p) {
  Fit fit{"expectation"};
  fit.all = static_cast<std::size_t>(p.size());
  const double scale = scale_of(data);
  for (Index i = 0; i < p.size(); i += selection_step(p.size())) {
    fit.measured.push_back(data.values[i]);
    fit.predicted.push_back(p[i] / scale);
    if (data.errors.size() > 0) fit.sigma.push_back(data.errors[i]);
  }
  return fit;
}

Fit fit_of(const CountsData& data, const Vector<double>& p) {
  const Index n = Index{1} << data.qubits;
  Fit fit{"probability"};
  fit.all = static_cast<std::size_t>(p.size());
  for (Index i = 0; i < p.size(); i += selection_step(p.size())) {
    const double shots = data.shots[i / n], q = p[i];
    fit.measured.push_back(data.counts[i] / shots);
    fit.predicted.push_back(q);
    if (data.shots_known)
      fit.sigma.push_back(std::sqrt(std::max(q * (1 - q), 0.1 / shots) / shots));
  }
  return fit;
}

double count_data(const PauliData& data) {
  return static_cast<double>(
      std::ranges::count_if(data.strings, [](const PauliString& p) { return (p.x | p.z) != 0; }));
}

double count_data(const CountsData& data) {
  return static_cast<double>(data.shots.size()) * (std::ldexp(1.0, data.qubits) - 1);
}

double count_determined(const PauliData& data) {
  std::vector<std::uint64_t> strings;
  strings.reserve(data.strings.size());
  for (const PauliString& p : data.strings) {
    if ((p.x | p.z) != 0) strings.push_back(std::uint64_t{p.x} << 32 | p.z);
  }
  return count_different(strings);
}

double count_determined(const CountsData& data) {
  const auto settings = static_cast<double>(data.settings.size());
  if (data.bases.size() == 3 && settings == std::pow(3.0, data.qubits)) {
    return std::pow(4.0, data.qubits) - 1;
  }
  // For each choice of qubits: how many different settings there are of them. Settings are told
  // apart by sums of random keys, and the choices follow one another with one qubit changed.
  const RandomStream random(1, 0x5E7);
  std::vector<std::uint64_t> keys(data.bases.size()), sums(data.settings.size()), sorted;
  std::uint64_t chosen = 0;
  double total = 0;
  for (std::uint64_t step = 1; step >> data.qubits == 0; ++step) {
    const auto qubit = static_cast<std::size_t>(std::countr_zero(step));
    chosen ^= std::uint64_t{1} << qubit;
    const bool added = (chosen >> qubit & 1) != 0;
    for (std::size_t b = 0; b < keys.size(); ++b) {
      const std::uint64_t key = random.bits(qubit * keys.size() + b);
      keys[b] = added ? key : 0 - key;
    }
    for (std::size_t s = 0; s < sums.size(); ++s) sums[s] += keys[data.settings[s][qubit]];
    sorted = sums;
    total += std::min(count_different(sorted), std::pow(3.0, std::popcount(chosen)));
  }
  return total;
}

double degrees_of_freedom(double data, double determined, Index n,
                          const std::vector<double>& eigenvalues) {
  const auto rank = std::ranges::count_if(eigenvalues, [](double x) { return x > held_at_zero; });
  return std::max(data - std::min(parameters(n, rank) - 1, determined), 0.0);
}

double Judged::times_noise() const {
  const double plain = good.ratio();
  return likelihood && freedom > 0 ? std::max(plain, std::sqrt(good.chi_square / freedom)) : plain;
}

double Judged::deviations() const {
  if (likelihood && freedom > 0) {
    return deviations_of(good.chi_square, freedom, 2 * freedom + good.excess_variance);
  }
  return deviations_of(std::pow(good.residual, 2), std::pow(good.floor, 2), good.residual_variance);
}

bool Judged::fits() const { return deviations() <= beyond_chance; }

bool Judged::is_too_good() const {
  return likelihood && freedom > 0 && deviations() < -beyond_chance;
}

bool Judged::is_far() const { return !fits() && times_noise() > several_times; }

}  // namespace projfgd
