#include "projfgd/measures/projector_counts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "measures/count_weights.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/core/small_matrix.hpp"

namespace projfgd {
namespace {

constexpr double not_seen = 1e-10;  // of the largest eigenvalue of T^T T, beside rounding
constexpr double outside = 1e-6;    // of an observable, in what no projector shows

/// d/ds of the log-likelihood: sum_i e p (k / (s e p + a) - 1), which falls with s.
double slope(const ProjectorCounts& data, const Vector<double>& p, double s) {
  double sum = 0;
  for (Index i = 0; i < data.size(); ++i) {
    const double unit = data.exposures[i] * std::max(p[i], 0.0);
    if (unit > 0) sum += unit * (data.counts[i] / (s * unit + data.accidentals[i]) - 1);
  }
  return sum;
}

HermitianEigen<double> normal_spectrum(const Matrix<double>& t) {
  const Matrix<double> normal = t.transpose() * t;
  return hermitian_eigen(normal);
}

Index count_seen(const Vector<double>& eigenvalues) {
  return (eigenvalues.array() > not_seen * eigenvalues.maxCoeff()).count();
}

}  // namespace

double likeliest_intensity(const ProjectorCounts& data, const Vector<double>& p) {
  const Vector<double> units = data.exposures.cwiseProduct(p.cwiseMax(0.0));
  double high = data.counts.sum() / units.sum();  // exact without accidentals
  if (!(high > 0) || !std::isfinite(high)) return 0;
  if (data.accidentals.maxCoeff() == 0) return high;
  double low = 0;
  while (slope(data, p, high) > 0) low = high, high *= 2;
  for (int halving = 0; halving < std::numeric_limits<double>::digits + 3; ++halving) {
    const double middle = (low + high) / 2;
    (slope(data, p, middle) > 0 ? low : high) = middle;
  }
  return (low + high) / 2;
}

Goodness goodness_of_projectors(const ProjectorCounts& data, const Vector<double>& p) {
  require_size("predictions", p.size(), data.size());
  const double s = likeliest_intensity(data, p);
  Goodness good;
  double square = 0, floor = 0;
  for (Index i = 0; i < data.size(); ++i) {
    const double unit = s * data.exposures[i];  // counts of a projector that is certain
    const double mean = unit * std::max(p[i], 0.0) + data.accidentals[i];
    const double difference = data.counts[i] - mean, expected = std::max(mean, least_expected);
    const double variance = std::max(mean, 1.0) / (unit * unit);  // one count is noise at least
    square += difference * difference / (unit * unit);
    floor += variance;
    good.residual_variance += 2 * variance * variance;
    good.chi_square += difference * difference / expected;
    good.expected += mean / expected;
    good.excess_variance += (mean + 2 * mean * mean) / (expected * expected) - 2 * mean / expected;
  }
  good.residual = std::sqrt(square);
  good.floor = std::sqrt(floor);
  good.expected = std::max(good.expected - 1, 0.0);
  good.excess_variance = std::max(good.excess_variance, 0.0);
  return good;
}

double count_determined(const Matrix<double>& coordinates) {
  return static_cast<double>(count_seen(normal_spectrum(coordinates).values));
}

ProjectorEstimate::ProjectorEstimate(const Matrix<double>& coordinates, const ProjectorCounts& data,
                                     const Vector<double>& fitted)
    : counts_(data.counts), exposures_(data.exposures), accidentals_(data.accidentals) {
  require_size("projectors", coordinates.rows(), data.size());
  require_size("fitted probabilities", fitted.size(), data.size());
  const double s = likeliest_intensity(data, fitted);
  Vector<double> means = s * exposures_.cwiseProduct(fitted.cwiseMax(0.0)) + accidentals_;
  means = (1 - uniform_share) * means.array() + uniform_share * means.mean();
  // The roots of the weights of rates, 1 / sqrt(variance) = e / sqrt(mean).
  const Vector<double> roots = exposures_.cwiseQuotient(means.cwiseSqrt());
  const Matrix<double> weighted = roots.asDiagonal() * coordinates;
  const HermitianEigen<double> eigen = normal_spectrum(weighted);
  const Index seen = count_seen(eigen.values);
  const auto axes = eigen.vectors.rightCols(seen);
  unseen_ = eigen.vectors.leftCols(eigen.values.size() - seen);
  inverse_ = axes * eigen.values.tail(seen).cwiseInverse().asDiagonal() * axes.transpose() *
             weighted.transpose() * roots.asDiagonal();
}

Vector<double> ProjectorEstimate::rates(double pseudo) const {
  const double unit = pseudo / exposures_.mean();
  return (counts_ - accidentals_).cwiseQuotient(exposures_).array() + unit;
}

Vector<double> ProjectorEstimate::variances(double pseudo) const {
  const double unit = pseudo / exposures_.mean();
  return (counts_.array() + unit * exposures_.array()) / exposures_.array().square();
}

bool ProjectorEstimate::sees(const Vector<double>& observable) const {
  return (unseen_.transpose() * observable).norm() <= outside * observable.norm();
}

std::optional<Interval> ProjectorEstimate::expectation(const Vector<double>& observable) const {
  require_size("coordinates of the observable", observable.size(), inverse_.rows());
  const Vector<double> trace = Vector<double>::Unit(inverse_.rows(), 0);
  if (!sees(observable) || !sees(trace)) return std::nullopt;
  const Vector<double> h = inverse_.transpose() * observable, size = inverse_.transpose() * trace;
  const double plain = h.dot(rates(0)) / size.dot(rates(0));
  const Vector<double> shares =
      (h - plain * size).cwiseQuotient(exposures_).cwiseAbs2() * exposures_.mean();
  if (!(shares.sum() > 0)) return Interval{plain, plain};
  const double effective = shares.sum() * shares.sum() / shares.squaredNorm();
  const double pseudo = normal_quantile * normal_quantile / (2 * effective);
  const Vector<double> y = rates(pseudo);
  const double total = size.dot(y), centre = h.dot(y) / total;
  const double variance = variances(pseudo).dot((h - centre * size).cwiseAbs2());
  if (!(total > 0)) return std::nullopt;
  const double half = normal_quantile * std::sqrt(variance) / total;
  return Interval{centre - half, centre + half};
}

/// From x^ without the bias of its square, over the square of the trace in the same way.
std::optional<Interval> ProjectorEstimate::purity() const {
  if (unseen_.cols() > 0) return std::nullopt;
  const Vector<double> x = inverse_ * rates(0);
  const Matrix<double> covariance = inverse_ * variances(0).asDiagonal() * inverse_.transpose();
  const auto n = std::sqrt(static_cast<double>(x.size()));
  const double square = x.squaredNorm() - covariance.trace();
  const double trace = x[0] * x[0] - covariance(0, 0);
  if (!(trace > 0)) return std::nullopt;
  const double centre = square / trace;
  Vector<double> gradient = 2 * x;
  gradient[0] -= 2 * centre * x[0];
  const double variance = gradient.dot(covariance * gradient) + 2 * covariance.squaredNorm();
  const double half = normal_quantile * std::sqrt(variance) / (trace * n);
  return clipped({centre / n - half, centre / n + half}, 1 / n, 1);
}

}  // namespace projfgd
