#include <cmath>
#include <complex>

#include "projfgd/core/any.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/operators/counting.hpp"
#include "projfgd/operators/identity.hpp"
#include "support/matrix_operators.hpp"
#include "support/operator_conformance.hpp"

namespace projfgd::test {
namespace {

template <class S>
struct MakeIdentity {
  using Operator = IdentityOperator<S>;
  static Operator make(std::uint64_t seed) { return Operator(49 + static_cast<Index>(seed)); }
};

template <class S>
struct MakeCounting {
  using Operator = CountingOperator<IdentityOperator<S>>;
  static Operator make(std::uint64_t seed) { return Operator(MakeIdentity<S>::make(seed)); }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Dense, OperatorConformance, AllScalars<MakeDense>);
INSTANTIATE_TYPED_TEST_SUITE_P(RankOne, OperatorConformance, AllScalars<MakeRankOne>);
INSTANTIATE_TYPED_TEST_SUITE_P(Entries, OperatorConformance, AllScalars<MakeEntries>);
INSTANTIATE_TYPED_TEST_SUITE_P(Identity, OperatorConformance, AllScalars<MakeIdentity>);
INSTANTIATE_TYPED_TEST_SUITE_P(Counting, OperatorConformance, AllScalars<MakeCounting>);

template <class S>
class KnownMeasurements : public ::testing::Test {
 protected:
  const Matrix<S> u = random_factor<S>(12, 3, 1);
  const Matrix<S> x = u * u.adjoint();
  const double rounding = 100 * std::numeric_limits<RealOf<S>>::epsilon();
};
using Scalars = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(KnownMeasurements, Scalars);

TYPED_TEST(KnownMeasurements, DenseIsTheTraceProduct) {
  using S = TypeParam;
  const std::vector<Matrix<S>> matrices{random_hermitian<S>(12, 2), Matrix<S>::Identity(12, 12)};
  Vector<RealOf<S>> y;
  DenseOperator<S>(matrices).forward(this->u, y);
  for (Index i = 0; i < 2; ++i) {
    EXPECT_NEAR(y[i], std::real((matrices[i] * this->x).trace()), this->rounding * this->x.norm());
  }
}

TYPED_TEST(KnownMeasurements, RankOneIsTheQuadraticForm) {
  using S = TypeParam;
  const Matrix<S> a = random_factor<S>(20, 12, 3);
  Vector<RealOf<S>> y;
  RankOneOperator<S>(a).forward(this->u, y);
  for (Index i = 0; i < 20; ++i) {
    const auto expected = std::real((a.row(i) * this->x * a.row(i).adjoint()).value());
    EXPECT_NEAR(y[i], expected, this->rounding * expected);
  }
}

TYPED_TEST(KnownMeasurements, EntriesAreTheEntries) {
  using S = TypeParam;
  const EntriesOperator<S> op(12, {{3, 5}, {5, 3}, {7, 7}, {0, 11}});
  Vector<RealOf<S>> y;
  op.forward(this->u, y);
  const Index step = is_complex<S> ? 2 : 1;
  ASSERT_EQ(y.size(), 4 * step);
  const S expected[] = {this->x(3, 5), this->x(5, 3), this->x(7, 7), this->x(0, 11)};
  for (Index k = 0; k < 4; ++k) {
    EXPECT_NEAR(y[k * step], std::real(expected[k]), this->rounding * this->x.norm());
    if (step == 2) {
      EXPECT_NEAR(y[k * step + 1], std::imag(expected[k]), this->rounding * this->x.norm());
    }
  }
}

TYPED_TEST(KnownMeasurements, IdentityKeepsTheNormAndGivesXBack) {
  using S = TypeParam;
  const IdentityOperator<S> op(12);
  Vector<RealOf<S>> y;
  op.forward(this->u, y);
  EXPECT_NEAR(y.norm(), this->x.norm(), this->rounding * this->x.norm());
  Matrix<S> back;
  op.adjoint_times(y, Matrix<S>::Identity(12, 12), back);  // A*(A(X)) I = X
  EXPECT_LE((back - this->x).norm(), this->rounding * this->x.norm());
}

TEST(Counting, CountsEveryProductAlsoThroughCopies) {
  const CountingOperator counting{IdentityOperator<double>(4)};
  const AnyOperator<double> copy(counting);
  const Matrix<double> u = random_factor<double>(4, 2, 1);
  Vector<double> y;
  Matrix<double> g;
  copy.forward(u, y);
  copy.forward(u, u, y);
  counting.adjoint_times(y, u, g);
  EXPECT_EQ(counting.counts().forward, 2);
  EXPECT_EQ(counting.counts().adjoint, 1);
  counting.reset_counts();
  EXPECT_EQ(counting.counts().forward, 0);
}

TEST(BadOperators, AreRefusedInASentence) {
  const Matrix<double> square = random_factor<double>(4, 4, 1), wide = Matrix<double>::Zero(4, 5);
  const Matrix<double> good = Matrix<double>::Identity(4, 4);
  EXPECT_THROW(DenseOperator<double>({good, square}), InputError);
  EXPECT_THROW(DenseOperator<double>({good, wide}), InputError);
  EXPECT_THROW(DenseOperator<double>({good * std::nan("")}), InputError);
  EXPECT_THROW(EntriesOperator<double>(4, {{0, 4}}), InputError);
  EXPECT_THROW(EntriesOperator<double>(4, {{-1, 0}}), InputError);
  Vector<double> y;
  EXPECT_THROW(IdentityOperator<double>(5).forward(square, y), InputError);
  EXPECT_THROW(RankOneOperator<double>(wide).forward(square, y), InputError);
  Matrix<double> g;
  EXPECT_THROW(RankOneOperator<double>(good).adjoint_times(Vector<double>::Ones(3), square, g),
               InputError);
}

}  // namespace
}  // namespace projfgd::test
