#include "projfgd/measures/distance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "projfgd/core/eigenpairs.hpp"
#include "support/support.hpp"

namespace projfgd::test {
namespace {

using Z = std::complex<double>;
using LongZ = std::complex<long double>;

template <class S>
Matrix<S> unitary(Index n, std::uint64_t seed) {
  return orthonormal_basis(random_factor<S>(n, n, seed));
}

/// ||U U^H - V V^H||_F by dense matrices in long double.
long double dense_difference(const Matrix<Z>& u, const Matrix<Z>& v) {
  const Matrix<LongZ> a = u.cast<LongZ>(), b = v.cast<LongZ>();
  return (a * a.adjoint() - b * b.adjoint()).norm();
}

TEST(Dist, IsZeroForRotatedFactorsAndSymmetric) {
  const Matrix<Z> u = random_factor<Z>(20, 3, 1), v = random_factor<Z>(20, 3, 2);
  EXPECT_LE(dist<Matrix<Z>>(u, u * unitary<Z>(3, 3)), 1e-14 * u.norm());
  EXPECT_NEAR(dist(u, v), dist(v, u), 1e-13);
  EXPECT_NEAR(dist<Matrix<Z>>(u, v * unitary<Z>(3, 4)), dist(u, v), 1e-13);
}

TEST(Dist, IsTheSmallestOverRotations) {
  const Matrix<double> u = random_factor<double>(10, 2, 1), v = random_factor<double>(10, 2, 2);
  const double found = dist(u, v);
  double least = 1e300;
  for (int k = 0; k < 20000; ++k) {
    const double c = std::cos(k * 6.283185307179586 / 10000);
    const double s = std::sin(k * 6.283185307179586 / 10000), flip = k < 10000 ? 1 : -1;
    Matrix<double> r(2, 2);
    r << c, -s * flip, s, c * flip;
    least = std::min(least, (u - v * r).norm());
    ASSERT_GE((u - v * r).norm(), found - 1e-13);
  }
  EXPECT_NEAR(least, found, 1e-5);
}

TEST(RelativeError, IsRightDownToTheLastDigits) {
  const Matrix<Z> truth = random_factor<Z>(30, 3, 1), change = random_factor<Z>(30, 3, 2);
  const Matrix<LongZ> wide = truth.cast<LongZ>();
  const long double size = (wide * wide.adjoint()).norm();
  for (double error = 1; error > 1e-14; error /= 10) {
    const Matrix<Z> u = truth + error * change;  // as rounded: long double then sees the same u
    const double expected = static_cast<double>(dense_difference(u, truth) / size);
    EXPECT_NEAR(relative_error(u, truth) / expected, 1, 1e-2) << "error " << error;
  }
  // An exact rotation of the truth is rounded once: what is left is a few eps.
  EXPECT_LE(relative_error<Matrix<Z>>(truth * unitary<Z>(3, 5), truth), 2e-15);
}

TEST(RelativeError, SeesASingleFlippedLastBit) {
  Matrix<double> truth = Matrix<double>::Zero(8, 1);
  truth(0) = 1;
  Matrix<double> u = truth;
  u(0) = 1 + std::numeric_limits<double>::epsilon();
  EXPECT_NEAR(relative_error(u, truth), 2 * std::numeric_limits<double>::epsilon(), 1e-30);
  u(0) = 1, u(3) = 1e-15;
  EXPECT_NEAR(relative_error(u, truth), std::sqrt(2) * 1e-15, 1e-25);
}

TEST(RelativeError, ComparesFactorsOfDifferentRank) {
  const Matrix<Z> truth = random_factor<Z>(15, 2, 1);
  Matrix<Z> u = padded(truth, 4);
  EXPECT_LE(relative_error(u, truth), 2e-15);
  u.col(2) = random_factor<Z>(15, 1, 2) * 1e-4;
  const double expected = static_cast<double>(dense_difference(u, truth)) / product_norm(truth);
  EXPECT_NEAR(relative_error(u, truth) / expected, 1, 1e-6);
  EXPECT_NEAR(difference_norm(truth, u), difference_norm(u, truth), 1e-12 * product_norm(truth));
  EXPECT_NEAR(dist(u, truth), dist(truth, u), 1e-12);
}

TEST(RelativeChange, IsTheDenseOne) {
  const Matrix<Z> u = random_factor<Z>(15, 2, 1), v = u + 1e-9 * random_factor<Z>(15, 2, 2);
  const double expected = static_cast<double>(dense_difference(u, v)) / product_norm(u);
  EXPECT_NEAR(relative_change(u, v) / expected, 1, 1e-6);
}

}  // namespace
}  // namespace projfgd::test
