#include "projfgd/measures/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "measures/count_weights.hpp"
#include "projfgd/core/random.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/core/threads.hpp"

namespace projfgd {
namespace {

constexpr double small_part = 1e-3;       // of a standard deviation
constexpr double solved = 1e-7;           // residual of a linear system, relative
constexpr double not_solvable = 1e-6;     // a residual that is stuck there: no solution
constexpr Index most_unit_probes = 64;    // coordinates up to which traces are exact
constexpr Index most_weighted = 1 << 10;  // coordinates up to which the purity is weighted by a fit
// Of traces: the error that they leave is part of the interval. The more coordinates there are, the
// less the signs vary in what they show, and the more each of them costs.
constexpr Index random_probes = 24, probes_of_many = 8;
constexpr Index size_worth_threads = Index{1} << 17;  // numbers: some 50 us of one core

Interval around(double centre, double variance) {
  const double half = normal_quantile * std::sqrt(std::max(variance, 0.0));
  return {centre - half, centre + half};
}

/// The unit vectors of few coordinates, random signs on many; none touches the trace.
std::vector<Vector<double>> probes(Index coordinates) {
  std::vector<Vector<double>> out;
  if (coordinates <= most_unit_probes) {
    for (Index k = 1; k < coordinates; ++k) out.push_back(Vector<double>::Unit(coordinates, k));
    return out;
  }
  const RandomStream random(1, 0x7ACE);
  const Index count = coordinates <= most_weighted ? random_probes : probes_of_many;
  for (Index probe = 0; probe < count; ++probe) {
    Vector<double> z(coordinates);
    for (Index k = 0; k < coordinates; ++k) {
      z[k] = (random.bits(probe * coordinates + k) & 1) != 0 ? 1 : -1;
    }
    z[0] = 0;
    out.push_back(std::move(z));
  }
  return out;
}

/// From the estimate of the coordinates and two traces of their covariance.
Interval purity_around(const Vector<double>& x, double trace, double square_trace, double along) {
  const auto n = std::sqrt(static_cast<double>(x.size()));
  const double centre = (1 + x.squaredNorm() - trace) / n;
  const Interval plain = around(centre, (4 * along + 2 * square_trace) / (n * n));
  return clipped(plain, 1 / n, 1);
}

}  // namespace

Interval clipped(const Interval& interval, double low, double high) {
  return {std::clamp(interval.low, low, high), std::clamp(interval.high, low, high)};
}

Interval widened(const Interval& interval, double times) {
  const double centre = (interval.low + interval.high) / 2;
  const double half = times * (interval.high - interval.low) / 2;
  return {centre - half, centre + half};
}

Interval including(const Interval& interval, double value) {
  return {std::min(interval.low, value), std::max(interval.high, value)};
}

Interval largest_eigenvalue_interval(const Interval& of_leading, const Vector<double>& eigenvalues,
                                     Index n) {
  const double noise = (of_leading.high - of_leading.low) / (2 * normal_quantile);
  const double most = 2 * noise * std::sqrt(static_cast<double>(n));
  const auto raised = [&](double largest) {
    double sum = 0;
    for (Index k = 1; k < n; ++k) {
      const double next = k < eigenvalues.size() ? eigenvalues[k] : 0.0;
      const double gap = std::max(largest - next, 0.0);
      sum += (std::hypot(gap, 2 * noise) - gap) / 2;
    }
    return std::min(sum, most);
  };
  // The smaller the eigenvalue, the smaller its gaps: this descends to where both agree.
  double low = of_leading.low;
  for (double next = low - raised(low); low - next > small_part * noise;
       next = of_leading.low - raised(low)) {
    low = next;
  }
  return {low, of_leading.high};
}

Interval refitted_interval(const std::vector<double>& refits, double estimate) {
  const auto count = static_cast<double>(refits.size());
  double sum = 0, squares = 0;
  for (const double value : refits) sum += value;
  const double mean = sum / count;
  for (const double value : refits) squares += (value - mean) * (value - mean);
  return around(2 * estimate - mean, squares / (count - 1));
}

Vector<double> pauli_observable(const PauliString& pauli, int qubits) {
  return Vector<double>::Unit(Index{1} << 2 * qubits, pauli_position(pauli, qubits));
}

Vector<double> projector_observable(const StateFactor& psi) {
  require_size("columns of a pure state", psi.cols(), 1);
  return pauli_coordinates(psi, psi) / static_cast<double>(psi.rows());
}

Vector<double> hermitian_observable(const StateFactor& matrix) {
  const Index n = matrix.rows();
  return pauli_coordinates(matrix, StateFactor::Identity(n, n)) / static_cast<double>(n);
}

CountsEstimate::CountsEstimate(const OutcomeMap& map, const Vector<double>& counts,
                               const Vector<double>& shots, const Vector<double>& fitted)
    : map_(map), shots_(shots), frequencies_(counts) {
  require_size("counts", counts.size(), map.measurements());
  require_size("shots", shots.size(), map.settings());
  require_size("fitted probabilities", fitted.size(), map.measurements());
  for (Index s = 0; s < shots.size(); ++s) {
    frequencies_.segment(s * map.outcomes(), map.outcomes()) /= shots[s];
  }
  map.forward(Vector<double>::Unit(map.coordinates(), 0), white_);
  weights_ = weights(fitted);
}

CountsEstimate::Weights CountsEstimate::weights(const Vector<double>& probabilities) const {
  const Index n = map_.outcomes();
  Vector<double> w(probabilities.size());
  for (Index i = 0; i < w.size(); ++i) {
    const double p = (1 - uniform_share) * std::max(probabilities[i], 0.0) +
                     uniform_share / static_cast<double>(n);
    w[i] = shots_[i / n] / p;
  }
  Vector<double> diagonal = map_.normal_diagonal(w);
  return {std::move(w), std::move(diagonal)};
}

std::optional<Vector<double>> CountsEstimate::solve(const Weights& weights,
                                                    Vector<double> residual) const {
  residual[0] = 0;
  const double size = residual.norm();
  const double least = weights.diagonal.maxCoeff() * std::numeric_limits<double>::epsilon();
  Vector<double> inverse = Vector<double>::Zero(residual.size());
  for (Index k = 1; k < residual.size(); ++k) {
    if (weights.diagonal[k] > least) {
      inverse[k] = 1 / weights.diagonal[k];
    } else if (std::abs(residual[k]) > not_solvable * size) {
      return std::nullopt;
    } else {
      residual[k] = 0;
    }
  }
  Vector<double> x = Vector<double>::Zero(residual.size()), image, p;
  Vector<double> z = inverse.cwiseProduct(residual), direction = z;
  double rz = residual.dot(z);
  for (Index step = 0; step < residual.size() && residual.norm() > solved * size; ++step) {
    map_.forward(direction, p);
    p.array() *= weights.w.array();
    map_.adjoint(p, image);
    image.array() *= (inverse.array() > 0).cast<double>();
    const double length = rz / direction.dot(image);
    if (!std::isfinite(length)) break;
    x += length * direction;
    residual -= length * image;
    z = inverse.cwiseProduct(residual);
    const double next = residual.dot(z);
    direction = z + next / rz * direction;
    rz = next;
  }
  if (residual.norm() > not_solvable * size) return std::nullopt;
  return x;
}

std::optional<Interval> CountsEstimate::expectation(const Vector<double>& observable) const {
  const auto x = solve(weights_, observable);
  if (!x) return std::nullopt;
  Vector<double> h;
  map_.forward(*x, h);
  h.array() *= weights_.w.array();
  const Index n = map_.outcomes();
  const auto outcomes = static_cast<double>(n);
  Vector<double> spread(shots_.size());  // of the estimate, that each setting adds
  for (Index s = 0; s < shots_.size(); ++s) {
    const auto of_setting = h.segment(s * n, n);
    spread[s] = (of_setting.array() - of_setting.mean()).square().mean() / shots_[s];
  }
  if (!(spread.sum() > 0)) return Interval{observable[0], observable[0]};
  const double settings = spread.sum() * spread.sum() / spread.squaredNorm();
  const double pseudo = normal_quantile * normal_quantile / settings;
  double centre = observable[0] - h.dot(white_), variance = 0;
  for (Index s = 0; s < shots_.size(); ++s) {
    const double total = shots_[s] + pseudo;
    const auto of_setting = h.segment(s * n, n);
    const Vector<double> f =
        (shots_[s] * frequencies_.segment(s * n, n).array() + pseudo / outcomes) / total;
    const double mean = f.dot(of_setting);
    centre += mean;
    variance += (f.dot(of_setting.cwiseAbs2()) - mean * mean) / total;
  }
  return around(centre, variance);
}

Vector<double> CountsEstimate::covariance_times(const Vector<double>& h) const {
  const Index n = map_.outcomes();
  Vector<double> out(h.size());
  parallel_for_if(h.size() > size_worth_threads, shots_.size(), [&](Index s) {
    const auto f = frequencies_.segment(s * n, n), of_setting = h.segment(s * n, n);
    // Over N - 1 the covariance is unbiased.
    out.segment(s * n, n) = f.cwiseProduct((of_setting.array() - f.dot(of_setting)).matrix()) /
                            std::max(shots_[s] - 1, 1.0);
  });
  return out;
}

std::optional<Interval> CountsEstimate::purity() const {
  const Index coordinates = map_.coordinates();
  // With equal weights T^T W T is diagonal for settings of X, Y and Z, and many qubits are quick.
  const Weights used = coordinates <= most_weighted
                           ? weights_
                           : weights(Vector<double>::Constant(
                                 map_.measurements(), 1.0 / static_cast<double>(map_.outcomes())));
  if (!(used.diagonal.minCoeff() > 0)) return std::nullopt;
  Vector<double> seen, back;
  map_.adjoint(used.w.cwiseProduct(frequencies_ - white_), seen);
  // Noise has a part in every direction: a matrix that is diagonal for it is so for all.
  seen[0] = 0;
  map_.forward(seen.cwiseQuotient(used.diagonal), back);
  map_.adjoint(used.w.cwiseProduct(back), back);
  back[0] = 0;
  const double size = seen.norm();
  const bool diagonal = size > 0 && (back - seen).norm() <= solved * size;
  const auto solution = [&](Vector<double> b) -> std::optional<Vector<double>> {
    if (!diagonal) return solve(used, std::move(b));
    b[0] = 0;
    return b.cwiseQuotient(used.diagonal);
  };
  Vector<double> h, b;  // work space
  /// C z, and z^T C z.
  const auto covariance = [&](const Vector<double>& z,
                              double& form) -> std::optional<Vector<double>> {
    const auto of_data = solution(z);
    if (!of_data) return std::nullopt;
    map_.forward(*of_data, h);
    h.array() *= used.w.array();
    const Vector<double> spread = covariance_times(h);
    form = h.dot(spread);
    map_.adjoint(used.w.cwiseProduct(spread), b);
    return solution(b);
  };
  const auto x = solution(seen);
  if (!x) return std::nullopt;
  double along, trace = 0, square_trace = 0, form;
  if (!covariance(*x, along)) return std::nullopt;
  const std::vector<Vector<double>> all = probes(coordinates);
  const double share = coordinates <= most_unit_probes ? 1 : 1.0 / static_cast<double>(all.size());
  for (const Vector<double>& z : all) {
    const auto image = covariance(z, form);
    if (!image) return std::nullopt;
    trace += share * form;
    square_trace += share * image->squaredNorm();
  }
  // Random signs find tr C with a variance of 2 tr C^2 over their number at most.
  const double inexact = coordinates <= most_unit_probes ? 0 : share;
  return purity_around(*x, trace, (1 + inexact) * square_trace, along);
}

PauliEstimate::PauliEstimate(int qubits, const std::vector<PauliString>& strings,
                             const Vector<double>& values, const Vector<double>& errors) {
  require_size("values", values.size(), static_cast<Index>(strings.size()));
  require_size("standard errors", errors.size(), values.size());
  const Index coordinates = Index{1} << 2 * qubits;
  Vector<double> sums = Vector<double>::Zero(coordinates), precision = sums;
  for (Index i = 0; i < values.size(); ++i) {
    const Index position = pauli_position(strings[static_cast<std::size_t>(i)], qubits);
    precision[position] += 1 / (errors[i] * errors[i]);
    sums[position] += values[i] / (errors[i] * errors[i]);
  }
  variances_ = precision.cwiseInverse();
  means_ = sums.cwiseProduct(variances_);
  means_[0] = 1;
  variances_[0] = 0;
}

std::optional<Interval> PauliEstimate::expectation(const Vector<double>& observable) const {
  require_size("coordinates of the observable", observable.size(), means_.size());
  double centre = 0, variance = 0;
  for (Index k = 0; k < means_.size(); ++k) {
    if (observable[k] == 0) continue;
    if (!std::isfinite(variances_[k])) return std::nullopt;
    centre += observable[k] * means_[k];
    variance += observable[k] * observable[k] * variances_[k];
  }
  return around(centre, variance);
}

std::optional<Interval> PauliEstimate::purity() const {
  if (!variances_.allFinite()) return std::nullopt;
  Vector<double> x = means_;
  x[0] = 0;
  return purity_around(x, variances_.sum(), variances_.squaredNorm(),
                       variances_.dot(x.cwiseAbs2()));
}

Interval entropy_interval(const Interval& purity, Index n) {
  const auto dimension = static_cast<double>(n);
  // The largest eigenvalue a of one large and n - 1 equal ones: a^2 + (1-a)^2 / (n-1) = purity.
  const double excess = std::max(purity.low - 1 / dimension, 0.0);
  const double a = 1 / dimension + std::sqrt(excess * (dimension - 1) / dimension);
  Vector<double> spectrum = Vector<double>::Constant(n, (1 - std::min(a, 1.0)) / (dimension - 1));
  spectrum[0] = std::min(a, 1.0);
  return {std::max(0.0, -std::log2(purity.high)), entropy(spectrum)};
}

}  // namespace projfgd
