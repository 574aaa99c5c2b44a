#include "projfgd/measures/model_choice.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "projfgd/core/small_matrix.hpp"

namespace projfgd {
namespace {

constexpr double rare_deviations = 3.29;  // of a normal number: 1 case in 2000
// Of the largest eigenvalue of a random Hermitian matrix, less 2 sqrt m, in units of m^(-1/6).
constexpr double mean_at_edge = -1.771, deviation_at_edge = 0.902;
constexpr double blur = 2;  // power of 1/(1-w) by which white noise widens a parameter

/// Integrals over the part of the semicircle of radius 1 above t, of 1, y and y^2.
struct AboveCut {
  explicit AboveCut(double t) {
    const double cut = std::clamp(t, -1.0, 1.0), angle = std::asin(cut);
    const double height = std::sqrt(1 - cut * cut);
    constexpr double pi = std::numbers::pi;
    count = 0.5 - (cut * height + angle) / pi;
    sum = 2 * std::pow(height, 3) / (3 * pi);
    squares = (pi / 2 - angle + std::sin(4 * angle) / 4) / (4 * pi);
  }
  double count, sum, squares;
};

}  // namespace

double gain_in_few_cases(const LengthOfNoise& length) {
  return std::pow(length.mean + rare_deviations * length.deviation, 2) / 2;
}

LengthOfNoise noise_of_column(Index rank, Index n) {
  const double others = static_cast<double>(n - rank), unit = std::pow(others, -1.0 / 6);
  return {2 * std::sqrt(others) + mean_at_edge * unit, deviation_at_edge * unit};
}

LengthOfNoise noise_of_full_rank(Index rank, Index n, double level) {
  const auto others = static_cast<double>(n - rank), columns = static_cast<double>(rank);
  const double radius = 2 * std::sqrt(others);
  // The height at which the eigenvalues x + level are cut: what is above it has the trace of the
  // level and of what the cut takes from the columns.
  const auto excess = [&](double height) {
    const double cut = height - level;
    const AboveCut above(cut / radius);
    return others * (radius * above.sum - cut * above.count) - others * level - columns * height;
  };
  double low = -radius, high = radius + level;
  for (double middle = (low + high) / 2; low < middle && middle < high; middle = (low + high) / 2) {
    (excess(middle) > 0 ? low : high) = middle;
  }
  const AboveCut above((low - level) / radius);
  const double gain = others * (radius * radius * above.squares + 2 * level * radius * above.sum -
                                low * low * above.count - level * level * (1 - above.count)) -
                      columns * low * low;
  return {std::sqrt(std::max(gain, 0.0)), of_many_squares};
}

double white_penalty(double weight, double gain, double parameters) {
  const double near_enough = std::log(std::numbers::pi * weight / gain) / 2 - std::log(2);
  return std::max(-near_enough + blur * parameters * std::log1p(-weight), 0.0);
}

std::vector<double> model_weights(const std::vector<double>& scores) {
  const double best = *std::ranges::max_element(scores);
  std::vector<double> weights;
  double sum = 0;
  for (const double score : scores) {
    const double weight = std::exp(score - best);
    weights.push_back(weight < negligible_weight ? 0 : weight);
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

template <class S>
void RootMean<S>::add(double weight, const Matrix<S>& u, double white) {
  using Real = RealOf<S>;
  const Real floor = static_cast<Real>(white / static_cast<double>(n_)), root = std::sqrt(floor);
  const HermitianEigen<S> eigen = hermitian_eigen(gram(u, u));
  const Real least = eigen.values.tail(1)[0] * std::numeric_limits<Real>::epsilon() * Real(n_);
  const Index count = (eigen.values.array() > least).count();
  const Vector<Real> values = eigen.values.tail(count);
  // u times an eigenvector is an axis of the state, sqrt(value) long.
  const Vector<Real> lengths =
      (((values.array() + floor).sqrt() - root) * static_cast<Real>(weight) / values.array())
          .sqrt();
  Matrix<S> axes;
  multiply(u, Matrix<S>(eigen.vectors.rightCols(count) * lengths.asDiagonal()), axes);
  const Index before = columns_.cols();
  columns_.conservativeResize(n_, before + count);
  columns_.rightCols(count) = axes;
  shift_ += weight * static_cast<double>(root);
}

template <class S>
Matrix<S> RootMean<S>::factor() const {
  using Real = RealOf<S>;
  const HermitianEigen<S> eigen = hermitian_eigen(gram(columns_, columns_));
  const Vector<Real> roots =
      (eigen.values.cwiseMax(Real(0)).array() + static_cast<Real>(2 * shift_)).sqrt();
  Matrix<S> out;
  multiply(columns_, Matrix<S>(eigen.vectors * roots.asDiagonal()), out);
  return out;
}

template class RootMean<std::complex<float>>;
template class RootMean<std::complex<double>>;

}  // namespace projfgd
