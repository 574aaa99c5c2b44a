#include "projfgd/measures/held_parameters.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

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

}  // namespace
}  // namespace projfgd
