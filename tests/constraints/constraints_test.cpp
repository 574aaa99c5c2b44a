// Every set: feasible, idempotent, and nearest by the variational inequality
// Re <P(V) - W, V - P(V)> >= 0 for every W in the set.
#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>

#include "projfgd/constraints/entrywise.hpp"
#include "projfgd/constraints/frobenius.hpp"
#include "projfgd/constraints/l1.hpp"
#include "projfgd/constraints/none.hpp"
#include "projfgd/constraints/schatten.hpp"
#include "projfgd/constraints/within.hpp"
#include "projfgd/core/any.hpp"
#include "projfgd/core/eigenpairs.hpp"
#include "projfgd/core/error.hpp"
#include "support/support.hpp"

namespace projfgd::test {
namespace {

constexpr Index rows = 17, columns = 3;

template <class S>
Vector<double> values_of(const Matrix<S>& u) {
  using Wide = Matrix<std::complex<double>>;
  return Eigen::JacobiSVD<Wide>(u.template cast<std::complex<double>>()).singularValues();
}
template <class S>
double l1_norm(const Matrix<S>& u) {
  return u.cwiseAbs().template cast<double>().sum();
}

std::vector<bool> every_third() {
  std::vector<bool> inside(rows);
  for (Index i = 0; i < rows; ++i) inside[i] = i % 3 != 0;
  return inside;
}

/// By how much u misses the set, in the units of u.
template <class S>
using Excess = std::function<double(const Matrix<S>&)>;

template <class S>
struct Case {
  const char* name;
  AnyConstraint<S> set;
  Excess<S> excess;
};

template <class S>
double negative_part(const Matrix<S>& u) {
  return std::max<double>(-u.real().minCoeff(), u.imag().cwiseAbs().maxCoeff());
}
template <class S>
double outside_support(const Matrix<S>& u) {
  double sum = 0;
  for (Index i = 0; i < rows; i += 3) sum += u.row(i).norm();
  return sum;
}

template <class S>
std::vector<Case<S>> cases(double scale) {
  const double radius = 2 * scale;
  return {
      {"none", Unconstrained(), [](const Matrix<S>&) { return 0.0; }},
      {"Frobenius ball", FrobeniusBall(radius),
       [=](const Matrix<S>& u) { return u.norm() - radius; }},
      {"l1 ball", L1Ball(radius), [=](const Matrix<S>& u) { return l1_norm(u) - radius; }},
      {"nonnegative", Nonnegative(), [](const Matrix<S>& u) { return negative_part(u); }},
      {"nonnegative l1 ball", NonnegativeL1Ball(radius),
       [=](const Matrix<S>& u) { return std::max(negative_part(u), l1_norm(u) - radius); }},
      {"nuclear ball", NuclearBall(radius),
       [=](const Matrix<S>& u) { return values_of(u).sum() - radius; }},
      {"spectral ball", SpectralBall(radius),
       [=](const Matrix<S>& u) { return values_of(u)[0] - radius; }},
      {"row-norm ball", RowNormBall(radius / 4),
       [=](const Matrix<S>& u) { return u.rowwise().norm().maxCoeff() - radius / 4; }},
      {"support", Support(every_third()), [](const Matrix<S>& u) { return outside_support(u); }},
      {"real", RealValued(), [](const Matrix<S>& u) { return u.imag().cwiseAbs().maxCoeff(); }},
      {"nonnegative on a support", Within(Support(every_third()), Nonnegative()),
       [](const Matrix<S>& u) { return std::max(negative_part(u), outside_support(u)); }},
      {"l1 ball on a support", Within(Support(every_third()), L1Ball(radius)),
       [=](const Matrix<S>& u) { return std::max(outside_support(u), l1_norm(u) - radius); }},
      {"real nuclear ball", Within(RealValued(), NuclearBall(radius)),
       [=](const Matrix<S>& u) { return values_of(u).sum() - radius; }},
  };
}

template <class S>
class Projections : public ::testing::Test {};
using Scalars = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Projections, Scalars);

TYPED_TEST(Projections, AreFeasibleIdempotentAndNearestAtEveryScale) {
  using S = TypeParam;
  using Real = RealOf<S>;
  // A projection adds up at most rows * columns numbers.
  const double rounding = 4 * rows * columns * std::numeric_limits<Real>::epsilon();
  std::uint64_t seed = 0;
  for (const double scale : {1e-12, 1e-6, 1.0, 1e6, 1e12}) {
    for (const auto& [name, set, excess] : cases<S>(scale)) {
      for (const double spread : {0.01, 0.3, 1.0, 30.0}) {
        const Real size = static_cast<Real>(scale * spread);
        const Matrix<S> v = random_factor<S>(rows, columns, ++seed) * size;
        Matrix<S> p = v;
        set.project(p);
        SCOPED_TRACE(::testing::Message()
                     << name << " at scale " << scale << ", spread " << spread);
        const double unit = std::max<double>(p.norm(), scale) * rounding;
        EXPECT_LE(excess(p), unit);
        Matrix<S> again = p;
        set.project(again);
        EXPECT_LE((again - p).norm(), unit);
        EXPECT_LE((v - p).norm() - (v - again).norm(), unit);
        for (const double other : {0.1, 1.0, 10.0}) {  // members inside and on the boundary
          Matrix<S> w = random_factor<S>(rows, columns, ++seed) * static_cast<Real>(scale * other);
          set.project(w);
          const double product = dot(Matrix<S>(p - w), Matrix<S>(v - p));
          EXPECT_GE(product, -2 * rounding * double(v.norm() + w.norm()) * double(v.norm()));
        }
      }
    }
  }
}

TYPED_TEST(Projections, LeaveMembersAlone) {
  using S = TypeParam;
  Matrix<S> u = Matrix<S>::Zero(rows, columns);
  u(1, 0) = S(0.25), u(2, 1) = S(0.125);
  for (const auto& [name, set, excess] : cases<S>(1)) {
    Matrix<S> p = u;
    set.project(p);
    EXPECT_TRUE(p == u) << name;
  }
}

/// The textbook l1 projection: sort, find the threshold, lower.
std::vector<double> sorted_l1(const std::vector<double>& v, double radius) {
  std::vector<double> moduli(v.size());
  std::transform(v.begin(), v.end(), moduli.begin(), [](double x) { return std::abs(x); });
  std::sort(moduli.begin(), moduli.end(), std::greater<>());
  double sum = 0, threshold = 0;
  for (std::size_t k = 0; k < moduli.size(); ++k) {
    sum += moduli[k];
    const double t = (sum - radius) / static_cast<double>(k + 1);
    if (moduli[k] > t) threshold = t;
  }
  std::vector<double> out(v.size());
  for (std::size_t k = 0; k < v.size(); ++k) {
    out[k] = std::copysign(std::max(std::abs(v[k]) - std::max(threshold, 0.0), 0.0), v[k]);
  }
  return out;
}

TEST(L1, AgreesWithSorting) {
  const RandomStream random(5, 5);
  for (std::uint64_t k = 0; k < 500; ++k) {
    const auto size = static_cast<Index>(1 + random.below(200, 4 * k));
    const double radius = std::pow(10.0, 4 * random.uniform(4 * k + 1) - 2);
    Matrix<double> v = random_factor<double>(size, 1, k);
    if (k % 3 == 0) v = (v * 4).array().round() / 4;  // many ties
    const auto expected = sorted_l1({v.data(), v.data() + size}, radius);
    L1Ball(radius).project(v);
    for (Index i = 0; i < size; ++i) ASSERT_NEAR(v(i), expected[i], 1e-13) << "case " << k;
  }
}

TEST(L1, TakesLinearTimeOnOrderedData) {
  // A pivot that is always the first or the last entry would need n^2 / 2 = 5e11 steps here.
  Matrix<double> v(1000000, 1);
  for (Index i = 0; i < v.size(); ++i) v(i) = static_cast<double>(i);
  L1Ball(1e11).project(v);
  EXPECT_NEAR(v.sum(), 1e11, 1);
}

TEST(L1, KeepsAllDigitsOfASmallBallFarAway) {
  Matrix<double> v(3, 1);
  v << 1e12, 1e12, 1e12 - 1;
  L1Ball(1e-3).project(v);
  EXPECT_DOUBLE_EQ(v(0), 5e-4);
  EXPECT_DOUBLE_EQ(v(1), 5e-4);
  EXPECT_EQ(v(2), 0);
}

TEST(L1, KeepsPhases) {
  using Z = std::complex<double>;
  Matrix<Z> v(3, 1);
  v << Z(3, 4), Z(0, -3), Z(-1, 0);
  L1Ball(4).project(v);  // moduli 5, 3, 1 lowered by 2
  EXPECT_LE(std::abs(v(0) - Z(1.8, 2.4)), 1e-15);
  EXPECT_LE(std::abs(v(1) - Z(0, -1)), 1e-15);
  EXPECT_EQ(v(2), Z(0));
}

TEST(L1, KeepsZerosOfPointsOutsideByRounding) {
  using Z = std::complex<double>;
  for (std::uint64_t k = 0; k < 200; ++k) {
    Matrix<Z> v = random_factor<Z>(40, 2, k);
    v.topRows(30).setZero();
    const double radius = v.cwiseAbs().sum() * (1 - 1e-16 * static_cast<double>(k % 7));
    L1Ball(radius).project(v);
    ASSERT_TRUE(v.topRows(30).isZero(0)) << "case " << k;
  }
}

TEST(NonnegativeL1, ClipsThenLowers) {
  Matrix<double> v(4, 1), expected(4, 1);
  v << 3, -5, 1, 0.5;
  expected << 2, 0, 0, 0;
  NonnegativeL1Ball(2).project(v);
  EXPECT_TRUE(v == expected);
}

TEST(Schatten, ActOnSingularValues) {
  // U = Q diag(4, 2, 0) W^T with orthonormal Q and W.
  const Matrix<double> q = orthonormal_basis(random_factor<double>(9, 3, 1));
  const Matrix<double> w = orthonormal_basis(random_factor<double>(3, 3, 2));
  const auto with = [&](double a, double b, double c) -> Matrix<double> {
    return q * Eigen::Vector3d(a, b, c).asDiagonal() * w.transpose();
  };
  Matrix<double> u = with(4, 2, 0);
  NuclearBall(3).project(u);
  EXPECT_LE((u - with(2.5, 0.5, 0)).norm(), 1e-14);
  u = with(4, 2, 1e-9);
  SpectralBall(3).project(u);
  EXPECT_LE((u - with(3, 2, 1e-9)).norm(), 1e-14);
}

TEST(Sphere, IsReachedFromAnywhere) {
  Matrix<double> u = Matrix<double>::Zero(5, 2);
  FrobeniusSphere(3).project(u);
  EXPECT_NEAR(u.norm(), 3, 1e-15);
  u *= 1e-9;
  FrobeniusSphere(3).project(u);
  EXPECT_NEAR(u.norm(), 3, 1e-15);
}

TEST(BadSets, AreRefused) {
  EXPECT_THROW(L1Ball(-1), InputError);
  EXPECT_THROW(NuclearBall(std::nan("")), InputError);
  Matrix<double> u(4, 1);
  EXPECT_THROW(Support(std::vector<bool>(3)).project(u), InputError);
}

TEST(L1Ball, WhatIsNotFiniteStaysSo) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    Matrix<double> u = Matrix<double>::Ones(3, 2), v = u;
    u(1, 1) = v(1, 1) = bad;
    Matrix<std::complex<double>> w = u.cast<std::complex<double>>();
    L1Ball(3).project(u);
    NonnegativeL1Ball(3).project(v);
    L1Ball(3).project(w);
    EXPECT_FALSE(u.allFinite()) << bad;
    EXPECT_FALSE(v.allFinite()) << bad;
    EXPECT_FALSE(w.allFinite()) << bad;
  }
}

}  // namespace
}  // namespace projfgd::test
