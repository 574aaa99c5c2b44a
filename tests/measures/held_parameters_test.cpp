#include "projfgd/measures/held_parameters.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "projfgd/core/random.hpp"
#include "projfgd/core/small_matrix.hpp"

namespace projfgd {
namespace {

using C = std::complex<double>;

/// Independent normal entries: unit variance along every direction of unit length.
Matrix<C> hermitian_noise(Index n, std::uint64_t seed) {
  Matrix<C> noise(n, n);
  fill_normal(RandomStream(seed, 1), noise);
  return (noise + noise.adjoint()).eval() / 2;
}

TEST(HeldParameters, AreAllOfAStateWhereNothingIsHeld) {
  EXPECT_NEAR(held_parameters(Vector<double>::Constant(8, 0.125), Vector<double>::Zero(8), 100), 63,
              1e-12);
}

TEST(HeldParameters, AreNoFewerThanThoseOfAPureState) {
  Vector<double> eigenvalues = Vector<double>::Unit(8, 0);
  const Vector<double> slopes = 1e6 * (Vector<double>::Ones(8) - eigenvalues);
  EXPECT_NEAR(held_parameters(eigenvalues, slopes, 1), 14, 1e-12);
}

TEST(HeldParameters, AreWhatAProjectionOntoPositiveMatricesAdaptsToNoise) {
  // Of Y = X + noise / sqrt(h) the nearest X^ >= 0 adapts sum <noise, X^> sqrt(h) parameters, by
  // definition; its loss h/2 |X - Y|^2 has the gradient h (X^ - Y). Means over simulations.
  constexpr Index n = 12;
  constexpr int simulations = 400;
  for (const double h : {30.0, 1e3, 1e5}) {
    for (const Index rank : {1, 4, 12}) {
      Matrix<C> truth = Matrix<C>::Zero(n, n);
      truth.diagonal().head(rank).setConstant(1.0 / static_cast<double>(rank));
      double adapted = 0, squares = 0, counted = 0;
      for (int run = 0; run < simulations; ++run) {
        const Matrix<C> noise = hermitian_noise(n, 100 + static_cast<std::uint64_t>(run));
        const HermitianEigen<C> eigen = hermitian_eigen<C>(truth + noise / std::sqrt(h));
        const Vector<double> values = eigen.values.cwiseMax(0.0);
        const Matrix<C> nearest = eigen.vectors * values.asDiagonal() * eigen.vectors.adjoint();
        const double here =
            std::sqrt(h) * (noise.conjugate().cwiseProduct(nearest - truth)).sum().real();
        adapted += here;
        squares += here * here;
        counted += held_parameters(values, h * (values - eigen.values), h) + 1;
      }
      const double mean = adapted / simulations;
      const double error = std::sqrt((squares / simulations - mean * mean) / simulations);
      EXPECT_NEAR(counted / simulations, mean, 5 * error) << "h " << h << ", rank " << rank;
    }
  }
}

double expected_eigenvalue(double value, double slope, double curvature) {
  return expected_eigenvalues(Vector<double>::Constant(1, value),
                              Vector<double>::Constant(1, slope), curvature)[0];
}

TEST(ExpectedEigenvalues, AreMeansOverWhatTheLikelihoodLeavesOpen) {
  EXPECT_NEAR(expected_eigenvalue(0.5, 0, 1e8), 0.5, 1e-6);
  // With the density exp(-h y^4 / 2) the mean of y is Gamma(1/2) / Gamma(1/4) (2 / h)^(1/4), with
  // exp(-m y^2) it is 1 / sqrt(pi m).
  const double mean = std::tgamma(0.5) / std::tgamma(0.25) * std::pow(2 / 1e4, 0.25);
  EXPECT_NEAR(expected_eigenvalue(0, 0, 1e4), mean * mean, 1e-4 * mean * mean);
  EXPECT_NEAR(expected_eigenvalue(0, 1e4, 1), 1 / (1e4 * std::numbers::pi), 1e-7);
}

TEST(ExpectedEigenvalues, AreCloserToTheTruthThanThoseOfTheLikeliestState) {
  constexpr Index n = 8;
  constexpr double curvature = 1e4;
  double likeliest = 0, expected = 0;  // squares of the distance between roots
  const Vector<double> truth = Vector<double>::LinSpaced(n, 0, -7).array().exp().matrix() / 1.6;
  const Matrix<C> root = truth.cwiseSqrt().cast<C>().asDiagonal();
  for (std::uint64_t run = 0; run < 100; ++run) {
    const Matrix<C> data = root * root + hermitian_noise(n, 900 + run) / std::sqrt(curvature);
    const HermitianEigen<C> eigen = hermitian_eigen<C>(data);
    const Vector<double> values = eigen.values.cwiseMax(0.0);
    const Vector<double> slopes = curvature * (values - eigen.values);
    const auto distance = [&](const Vector<double>& found) {
      const Matrix<C> roots =
          eigen.vectors * found.cwiseSqrt().asDiagonal() * eigen.vectors.adjoint();
      return (roots - root).squaredNorm();
    };
    likeliest += distance(values);
    expected += distance(expected_eigenvalues(values, slopes, curvature));
  }
  EXPECT_LT(expected, 0.95 * likeliest);
}

}  // namespace
}  // namespace projfgd
