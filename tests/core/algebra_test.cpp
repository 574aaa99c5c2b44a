#include <gtest/gtest.h>

#include <complex>

#include "projfgd/core/eigenpairs.hpp"
#include "projfgd/core/factor_lists.hpp"
#include "projfgd/core/positive_inverse.hpp"
#include "projfgd/core/threads.hpp"
#include "support/allocations.hpp"
#include "support/support.hpp"

namespace projfgd::test {
namespace {

using Z = std::complex<double>;

TEST(RandomStream, HasTheMomentsOfItsDistributions) {
  const RandomStream random(11, 3);
  constexpr int count = 200000;
  double uniform = 0, uniform2 = 0, normal = 0, normal2 = 0, normal4 = 0, lag = 0, cross = 0;
  const RandomStream other(11, 4), reseeded(12, 3);
  for (int k = 0; k < count; ++k) {
    const double u = random.uniform(k), g = random.normal(k);
    ASSERT_GT(u, 0);
    ASSERT_LT(u, 1);
    ASSERT_LT(random.below(7, k), 7u);
    uniform += u, uniform2 += u * u;
    normal += g, normal2 += g * g, normal4 += g * g * g * g;
    lag += g * random.normal(k + 1);
    cross += g * other.normal(k) + g * reseeded.normal(k);
  }
  // Five standard deviations of each mean.
  const double five = 5 / std::sqrt(double(count));
  EXPECT_NEAR(uniform / count, 0.5, five * std::sqrt(1.0 / 12));
  EXPECT_NEAR(uniform2 / count, 1.0 / 3, five * std::sqrt(4.0 / 45));
  EXPECT_NEAR(normal / count, 0, five);
  EXPECT_NEAR(normal2 / count, 1, five * std::sqrt(2.0));
  EXPECT_NEAR(normal4 / count, 3, five * std::sqrt(96.0));
  EXPECT_NEAR(lag / count, 0, five);
  EXPECT_NEAR(cross / count, 0, five * std::sqrt(2.0));
}

TEST(RandomStream, DoesNotDependOnTheOrderOfTheQuestions) {
  const RandomStream random(5, 6);
  std::vector<double> forward;
  for (int k = 0; k < 100; ++k) forward.push_back(random.normal(k));
  for (int k = 99; k >= 0; --k) EXPECT_EQ(RandomStream(5, 6).normal(k), forward[k]);
}

template <class S>
class FactorAlgebra : public ::testing::Test {};
using Scalars = ::testing::Types<float, double, std::complex<float>, Z>;
TYPED_TEST_SUITE(FactorAlgebra, Scalars);

TYPED_TEST(FactorAlgebra, HasTheSameBitsForAnyNumberOfThreads) {
  using S = TypeParam;
  const int before = threads();
  const Matrix<S> u = random_factor<S>(100003, 2, 1), v = random_factor<S>(100003, 2, 2);
  set_threads(1);
  const auto product = dot(u, v);
  Matrix<S> sum = u, difference;
  axpy(RealOf<S>(0.3), v, sum);
  subtract(u, v, difference);
  const Matrix<S> small = gram(u, v);
  Matrix<S> turned;
  multiply(u, small, turned);
  const std::vector<const Matrix<S>*> list(17, &u);  // more than one pass takes
  const std::vector<RealOf<S>> weights(list.size(), RealOf<S>(0.1));
  std::vector<RealOf<S>> products(list.size());
  const auto with_list = [&] {
    Matrix<S> out = v;
    dots(FactorList<Matrix<S>>(list), v, std::span<RealOf<S>>(products));
    axpys(std::span<const RealOf<S>>(weights), FactorList<Matrix<S>>(list), out);
    return out;
  };
  const Matrix<S> sum_of_list = with_list();
  const std::vector<RealOf<S>> products_with_list = products;
  for (const int count : {2, 4}) {
    set_threads(count);
    EXPECT_EQ(dot(u, v), product);
    Matrix<S> again = u, gap;
    axpy(RealOf<S>(0.3), v, again);
    subtract(u, v, gap);
    EXPECT_TRUE(again == sum);
    EXPECT_TRUE(gap == difference);
    EXPECT_TRUE(gram(u, v) == small);
    Matrix<S> turned_again;
    multiply(u, small, turned_again);
    EXPECT_TRUE(turned_again == turned);
    EXPECT_TRUE(with_list() == sum_of_list);
    EXPECT_EQ(products, products_with_list);
  }
  set_threads(before);
  const double exact = std::real(u.template cast<std::complex<double>>().reshaped().dot(
      v.template cast<std::complex<double>>().reshaped()));
  const double size = double(u.norm()) * double(v.norm());
  const double near = 100 * std::numeric_limits<RealOf<S>>::epsilon();
  EXPECT_NEAR(product, exact, near * size);
  for (const RealOf<S> of_list : products) EXPECT_NEAR(of_list, exact, near * size);
  EXPECT_LE((sum_of_list - v - RealOf<S>(1.7) * u).norm(), near * (u.norm() + v.norm()));
}

template <class S>
struct DenseMap {
  using Factor = Matrix<S>;
  Matrix<S> a;
  Index rows() const { return a.rows(); }
  void times(const Factor& v, Factor& g) const { g = a * v; }
};

template <class S>
Matrix<S> with_spectrum(const Vector<double>& values, std::uint64_t seed) {
  const Index n = values.size();
  const Matrix<S> q = orthonormal_basis(random_factor<S>(n, n, seed));
  const Matrix<S> a = q * values.cast<S>().asDiagonal() * q.adjoint();
  return (a + a.adjoint()) / 2.0;
}

template <class S>
void expect_largest(const Vector<double>& values, Index count, std::uint64_t seed) {
  const DenseMap<S> map{with_spectrum<S>(values, seed)};
  EigenOptions options;
  options.tolerance = 1e-9;
  options.max_products = 500;
  const auto pairs = largest_eigenpairs(map, count, options);
  Vector<double> sorted = values;
  std::sort(sorted.data(), sorted.data() + sorted.size(), std::greater<>());
  const double size = sorted.cwiseAbs().maxCoeff();
  ASSERT_EQ(pairs.values.size(), count);
  for (Index k = 0; k < count; ++k) EXPECT_NEAR(pairs.values[k], sorted[k], 1e-8 * size);
  EXPECT_LE((map.a * pairs.vectors - pairs.vectors * pairs.values.asDiagonal()).norm(),
            1e-8 * size * count);
  EXPECT_LE((pairs.vectors.adjoint() * pairs.vectors - Matrix<S>::Identity(count, count)).norm(),
            1e-12);
}

TEST(LargestEigenpairs, AgreeWithTheSpectrum) {
  const Index n = 120;
  Vector<double> plain(n), degenerate(n), negative(n), low_rank = Vector<double>::Zero(n);
  const RandomStream random(2, 2);
  for (Index k = 0; k < n; ++k) {
    plain[k] = random.normal(k);
    degenerate[k] = k < 3 ? 1 : 0.5 * random.uniform(k);
    negative[k] = k == 0 ? 0.8 : -random.uniform(k);  // the largest in size are below zero
  }
  negative[1] = -5;
  low_rank.head(4) << 4, 3, 2, 1;
  for (const Index count : {1, 3}) {
    for (const Vector<double>& values : {plain, degenerate, negative, low_rank}) {
      expect_largest<double>(values, count, 7);
      expect_largest<Z>(values, count, 8);
    }
  }
}

TEST(LargestEigenpairs, NeedNoMoreThanASmallMatrixHas) {
  expect_largest<double>(Eigen::Vector3d(1, -2, 3), 3, 1);
  expect_largest<Z>(Vector<double>::Constant(1, -4), 1, 1);
}

struct DiagonalMap {
  using Factor = Matrix<double>;
  Vector<double> d;
  Index rows() const { return d.size(); }
  void times(const Factor& v, Factor& g) const { g.noalias() = d.asDiagonal() * v; }
};

TEST(LargestEigenpairs, TakeNoColumnFromTheHeapOnceTheyAreWarm) {
  if (!counts_allocations) GTEST_SKIP() << "this build has a heap of its own";
  // A column is larger than what Eigen packs for a product, at most a third of 1.5 MB or of L2.
  constexpr Index n = 1 << 18;
  constexpr std::size_t column = n * sizeof(double);
  DiagonalMap map{random_vector<double>(n, 3)};
  EigenOptions options{.tolerance = 1e-12, .max_products = 20, .max_basis = 4};
  LargestEigenpairs<Matrix<double>> solver;
  Matrix<double> guess;
  for (std::uint64_t call = 0; call < 4; ++call) {
    options.seed = call;
    map.d *= -1;
    const Matrix<double>* near = call == 0 ? nullptr : &guess;
    largest_allocation();
    const Eigenpairs<Matrix<double>>& pairs = solver(map, 1, options, near);
    const std::size_t taken = largest_allocation();
    EXPECT_EQ(pairs.products, 20) << "so that the basis restarts";
    if (call == 0) {
      EXPECT_GE(taken, column);
    }
    if (call > 1) {  // the first guess makes the block wider
      EXPECT_LT(taken, column) << call;
    }
    const Eigenpairs<Matrix<double>> once = largest_eigenpairs(map, 1, options, near);
    EXPECT_EQ(pairs.values, once.values);
    EXPECT_EQ(pairs.vectors, once.vectors);
    guess = pairs.vectors;
  }
}

TEST(SpectralNorm, SeesBothEnds) {
  Vector<double> values = Vector<double>::LinSpaced(50, -3, 2);
  EigenOptions options;
  options.tolerance = 1e-6;
  options.max_products = 300;
  EXPECT_NEAR(spectral_norm(DenseMap<Z>{with_spectrum<Z>(values, 3)}, options), 3, 1e-5);
}

TEST(PositiveInverse, TimesTheMatrixIsTheIdentityForAllSizesOfBlocks) {
  for (const Index n : {1, 2, 31, 32, 33, 65, 127, 200}) {
    const Matrix<Z> u = random_factor<Z>(n, n, 7);
    Matrix<Z> a = u * u.adjoint();
    a.diagonal().array() += 1e-3 * a.norm();  // condition number below 1000 n
    const Matrix<Z> rest = positive_inverse(a) * a - Matrix<Z>::Identity(n, n);
    const double condition = 1e3 * static_cast<double>(n);
    const double bound =
        static_cast<double>(n) * condition * std::numeric_limits<double>::epsilon();
    EXPECT_LE(rest.norm(), bound) << n;
  }
}

}  // namespace
}  // namespace projfgd::test
