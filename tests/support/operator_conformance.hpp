// What every measurement operator must satisfy, for every scalar type. An operator's test file
// gives a maker, a struct with
//
//   using Operator = ...;                       // satisfies MeasurementOperator
//   static Operator make(std::uint64_t seed);   // a small random one, another for each seed
//
// and instantiates the suite:  INSTANTIATE_TYPED_TEST_SUITE_P(Pauli, OperatorConformance, Makers);
// where Makers is a ::testing::Types of makers.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "projfgd/concepts.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/threads.hpp"
#include "support/allocations.hpp"
#include "support/support.hpp"

namespace projfgd::test {

/// The seed for which a maker whose small operators work on one thread makes a larger one.
inline constexpr std::uint64_t case_for_threads = 7;
/// The seed for which a maker must not make an operator so large that a library takes the heap.
inline constexpr std::uint64_t case_for_heap = 8;

template <class Maker>
class OperatorConformance : public ::testing::Test {
 protected:
  using A = typename Maker::Operator;
  using FactorType = typename A::Factor;
  using RealType = RealOf<FactorType>;
  static_assert(MeasurementOperator<A>);

  static constexpr std::uint64_t seeds = 3;
  static constexpr double epsilon = std::numeric_limits<RealType>::epsilon();

  /// 30 eps sqrt(n m): what rounding may do to a relative error.
  static double bound(const A& op) {
    return 30 * epsilon * std::sqrt(double(op.rows()) * double(op.measurements()));
  }
  static FactorType factor(const A& op, Index columns, std::uint64_t seed) {
    return random_factor<typename FactorType::Scalar>(op.rows(), columns, seed);
  }
  /// The size of what is added up in A((U + D)(U + D)^H), before anything can cancel.
  static double size(const A& op, const FactorType& u, const FactorType& d) {
    Vector<RealType> y, z, cross;
    op.forward(u, y);
    op.forward(d, z);
    op.forward(u, d, cross);
    return y.norm() + z.norm() + 2 * cross.norm();
  }
};

TYPED_TEST_SUITE_P(OperatorConformance);

TYPED_TEST_P(OperatorConformance, AdjointIsTheAdjoint) {
  using Real = typename TestFixture::RealType;
  for (std::uint64_t seed = 1; seed <= TestFixture::seeds; ++seed) {
    const auto op = TypeParam::make(seed);
    for (Index columns = 1; columns <= 3; ++columns) {
      const auto u = TestFixture::factor(op, columns, seed + 10);
      const auto w = random_vector<Real>(op.measurements(), seed + 20);
      Vector<Real> y;
      typename TestFixture::FactorType g;
      op.forward(u, y);
      op.adjoint_times(w, u, g);
      ASSERT_EQ(y.size(), op.measurements());
      ASSERT_EQ(g.rows(), op.rows());
      ASSERT_EQ(g.cols(), columns);
      const double norms = std::max<double>(y.norm() * w.norm(), u.norm() * g.norm());
      EXPECT_NEAR(y.dot(w), dot(u, g), TestFixture::bound(op) * norms) << "seed " << seed;
    }
  }
}

TYPED_TEST_P(OperatorConformance, CrossProductIsTheAdjointToo) {
  using Real = typename TestFixture::RealType;
  for (std::uint64_t seed = 1; seed <= TestFixture::seeds; ++seed) {
    const auto op = TypeParam::make(seed);
    const auto u = TestFixture::factor(op, 2, seed + 10), d = TestFixture::factor(op, 2, seed + 11);
    const auto w = random_vector<Real>(op.measurements(), seed + 20);
    Vector<Real> y;
    typename TestFixture::FactorType g;
    op.forward(u, d, y);
    op.adjoint_times(w, u, g);
    const double norms =
        std::max<double>(TestFixture::size(op, u, d) * w.norm(), d.norm() * g.norm());
    EXPECT_NEAR(y.dot(w), dot(d, g), TestFixture::bound(op) * norms) << "seed " << seed;
  }
}

TYPED_TEST_P(OperatorConformance, CrossProductIsTheMixedTermOfTheSquare) {
  using Real = typename TestFixture::RealType;
  for (std::uint64_t seed = 1; seed <= TestFixture::seeds; ++seed) {
    const auto op = TypeParam::make(seed);
    const auto u = TestFixture::factor(op, 3, seed + 10);
    auto d = TestFixture::factor(op, 3, seed + 11);
    Vector<Real> both, yu, yd, cross, swapped;
    op.forward(typename TestFixture::FactorType(u + d), both);
    op.forward(u, yu);
    op.forward(d, yd);
    op.forward(u, d, cross);
    op.forward(d, u, swapped);
    const double tolerance = TestFixture::bound(op) * TestFixture::size(op, u, d);
    EXPECT_LE((both - yu - yd - 2 * cross).norm(), tolerance) << "seed " << seed;
    EXPECT_LE((cross - swapped).norm(), tolerance) << "seed " << seed;
    op.forward(u, u, cross);
    EXPECT_LE((cross - yu).norm(), tolerance) << "seed " << seed;
  }
}

TYPED_TEST_P(OperatorConformance, IsLinearInXAndInTheWeights) {
  using Real = typename TestFixture::RealType;
  using F = typename TestFixture::FactorType;
  for (std::uint64_t seed = 1; seed <= TestFixture::seeds; ++seed) {
    const auto op = TypeParam::make(seed);
    const F u = TestFixture::factor(op, 3, seed + 10);
    // X = sum over columns: A(X) is the sum of their measurements.
    Vector<Real> whole, part, sum = Vector<Real>::Zero(op.measurements());
    op.forward(u, whole);
    for (Index c = 0; c < 3; ++c) {
      op.forward(F(u.col(c)), part);
      sum += part;
    }
    EXPECT_LE((whole - sum).norm(), TestFixture::bound(op) * whole.norm()) << "seed " << seed;

    const auto w = random_vector<Real>(op.measurements(), seed + 20);
    const auto x = random_vector<Real>(op.measurements(), seed + 21);
    F gw, gx, g;
    op.adjoint_times(w, u, gw);
    op.adjoint_times(x, u, gx);
    op.adjoint_times(Vector<Real>(w - 2 * x), u, g);
    EXPECT_LE((g - (gw - Real(2) * gx)).norm(), TestFixture::bound(op) * (gw.norm() + gx.norm()))
        << "seed " << seed;
  }
}

TYPED_TEST_P(OperatorConformance, SameBitsForAnyNumberOfThreads) {
  using Real = typename TestFixture::RealType;
  using F = typename TestFixture::FactorType;
  const int before = threads();
  const auto op = TypeParam::make(case_for_threads);
  const F u = TestFixture::factor(op, 3, 2), d = TestFixture::factor(op, 3, 3);
  const auto w = random_vector<Real>(op.measurements(), 4);
  Vector<Real> y1, c1;
  F g1;
  set_threads(1);
  op.forward(u, y1);
  op.forward(u, d, c1);
  op.adjoint_times(w, u, g1);
  for (const int count : {2, 4}) {
    set_threads(count);
    Vector<Real> y, c;
    F g;
    op.forward(u, y);
    op.forward(u, d, c);
    op.adjoint_times(w, u, g);
    EXPECT_TRUE(y == y1) << count << " threads";
    EXPECT_TRUE(c == c1) << count << " threads";
    EXPECT_TRUE(g == g1) << count << " threads";
  }
  set_threads(before);
}

TYPED_TEST_P(OperatorConformance, TakesNothingFromTheHeapOnceItIsWarm) {
  using Real = typename TestFixture::RealType;
  using F = typename TestFixture::FactorType;
  if (!counts_allocations) GTEST_SKIP() << "this build has a heap of its own";
  const int before = threads();
  set_threads(1);
  const auto op = TypeParam::make(case_for_heap);
  const F u = TestFixture::factor(op, 3, 2), d = TestFixture::factor(op, 3, 3);
  const auto w = random_vector<Real>(op.measurements(), 4);
  Vector<Real> y, cross;
  F g;
  const auto taken = [&] {
    const std::size_t so_far = allocations();
    op.forward(u, y);
    op.forward(u, d, cross);
    op.adjoint_times(w, u, g);
    return allocations() - so_far;
  };
  EXPECT_GT(taken(), 0);
  for (int pass = 0; pass < 4; ++pass) taken();  // buffers find their sizes
  EXPECT_EQ(taken(), 0);
  set_threads(before);
}

TYPED_TEST_P(OperatorConformance, RefusesArgumentsOfAnotherShape) {
  using Real = typename TestFixture::RealType;
  using F = typename TestFixture::FactorType;
  const auto op = TypeParam::make(1);
  const Index n = op.rows(), m = op.measurements();
  const F u = TestFixture::factor(op, 2, 2), narrow = TestFixture::factor(op, 1, 3);
  const F high = F::Ones(n + 1, 2), low = F::Ones(n - 1, 2);
  Vector<Real> y;
  F g;
  for (const F& wrong : {high, low}) {
    EXPECT_THROW(op.forward(wrong, y), InputError);
    EXPECT_THROW(op.forward(u, wrong, y), InputError);
    EXPECT_THROW(op.forward(wrong, u, y), InputError);
    EXPECT_THROW(op.adjoint_times(Vector<Real>::Ones(m), wrong, g), InputError);
  }
  EXPECT_THROW(op.forward(u, narrow, y), InputError);
  EXPECT_THROW(op.adjoint_times(Vector<Real>::Ones(m + 1), u, g), InputError);
  EXPECT_THROW(op.adjoint_times(Vector<Real>::Ones(m - 1), u, g), InputError);
}

REGISTER_TYPED_TEST_SUITE_P(OperatorConformance, AdjointIsTheAdjoint, CrossProductIsTheAdjointToo,
                            CrossProductIsTheMixedTermOfTheSquare, IsLinearInXAndInTheWeights,
                            SameBitsForAnyNumberOfThreads, TakesNothingFromTheHeapOnceItIsWarm,
                            RefusesArgumentsOfAnotherShape);

}  // namespace projfgd::test
