#include "projfgd/measures/model_choice.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "projfgd/core/small_matrix.hpp"

namespace projfgd {
namespace {

// Chosen by the mean infidelity of the average over that of the best fixed model, on eight families
// of states (tests/battery, table `models`).
constexpr double price_of_parameter = 2;   // nats
constexpr double rare_deviations = 3.29;   // of a normal number
constexpr double usual_white_noise = 0.2;  // devices seldom have more
constexpr double blur = 2;  // power of 1/(1-w) by which white noise widens a parameter

}  // namespace

double rank_penalty(Index rank, Index n) {
  const auto dimension = static_cast<double>(n), r = static_cast<double>(rank);
  if (rank < n) return price_of_parameter * (r - 1) * (2 * dimension - r - 1);
  return std::pow(std::sqrt(dimension * (dimension - 2)) + rare_deviations, 2) / 2;
}

double white_penalty(double weight, double gain, double parameters) {
  const double deviation = weight / std::sqrt(2 * gain);
  const double near_enough =
      std::log(deviation * std::sqrt(2 * std::numbers::pi) / usual_white_noise);
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
