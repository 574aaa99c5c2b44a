#include "projfgd/operators/pauli.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <bit>
#include <unsupported/Eigen/KroneckerProduct>

#include "projfgd/core/error.hpp"
#include "projfgd/core/threads.hpp"
#include "projfgd/operators/reference_pauli.hpp"
#include "support/operator_conformance.hpp"
#include "support/support.hpp"

namespace projfgd {
namespace {

using test::random_factor;
using test::random_vector;

std::vector<PauliString> random_strings(int qubits, Index count, std::uint64_t seed) {
  const RandomStream random(seed, 0x9A);
  std::vector<PauliString> strings(count);
  for (Index i = 0; i < count; ++i) {
    const std::uint64_t bits = random.bits(i);
    const std::uint32_t mask = (1u << qubits) - 1;
    strings[i] = {static_cast<std::uint32_t>(bits) & mask,
                  static_cast<std::uint32_t>(bits >> 32) & mask};
  }
  return strings;
}

std::vector<PauliString> all_strings(int qubits) {
  std::vector<PauliString> strings;
  for (std::uint32_t z = 0; z < 1u << qubits; ++z) {
    for (std::uint32_t x = 0; x < 1u << qubits; ++x) strings.push_back({x, z});
  }
  return strings;
}

Matrix<std::complex<double>> dense(const std::string& label) {
  using M = Matrix<std::complex<double>>;
  const std::complex<double> i(0, 1);
  M product = M::Identity(1, 1);
  for (const char letter : label) {
    M one(2, 2);
    switch (letter) {
      case 'I':
        one << 1, 0, 0, 1;
        break;
      case 'X':
        one << 0, 1, 1, 0;
        break;
      case 'Y':
        one << 0, -i, i, 0;
        break;
      default:
        one << 1, 0, 0, -1;
    }
    product = Eigen::kroneckerProduct(product, one).eval();
  }
  return product;
}

template <class Op>
struct Maker {
  using Operator = Op;
  static Op make(std::uint64_t seed) { return Op(7, random_strings(7, 400, seed), 0.5f); }
};
using Makers = testing::Types<Maker<PauliOperator<std::complex<float>>>,
                              Maker<PauliOperator<std::complex<double>>>,
                              Maker<ReferencePauliOperator<std::complex<double>>>>;
TEST(PauliString, LeftmostLetterIsTheHighestQubit) {
  EXPECT_EQ(parse_pauli("XIZY"), (PauliString{0b1001, 0b0011}));
  for (const PauliString& p : all_strings(3)) EXPECT_EQ(parse_pauli(pauli_label(p, 3)), p);
}

TEST(PauliString, RefusesWhatIsNoPauli) {
  EXPECT_THROW(parse_pauli(""), InputError);
  EXPECT_THROW(parse_pauli("XAZ"), InputError);
  EXPECT_THROW(parse_pauli("xz"), InputError);
  EXPECT_THROW(parse_pauli(std::string(max_qubits + 1, 'I')), InputError);
}

TEST(PauliOperator, RefusesStringsThatDoNotFit) {
  EXPECT_THROW(PauliOperator<std::complex<double>>(2, {{4, 0}}, 1), InputError);
  EXPECT_THROW(PauliOperator<std::complex<double>>(2, {{0, 7}}, 1), InputError);
  EXPECT_THROW(PauliOperator<std::complex<double>>(0, {}, 1), InputError);
  EXPECT_THROW(PauliOperator<std::complex<double>>(max_qubits + 1, {}, 1), InputError);
}

template <class Operator>
class DensePauli : public testing::Test {};
using C64 = std::complex<float>;
using C128 = std::complex<double>;
using Operators = testing::Types<PauliOperator<C64>, PauliOperator<C128>,
                                 ReferencePauliOperator<C64>, ReferencePauliOperator<C128>>;
TYPED_TEST_SUITE(DensePauli, Operators);

/// An n-term sum of products is off by at most about n eps times the sum of the moduli.
template <class Real>
Real rounding(Index terms) {
  return 4 * static_cast<Real>(terms) * std::numeric_limits<Real>::epsilon();
}

TYPED_TEST(DensePauli, EveryStringEqualsItsKroneckerProduct) {
  using S = typename TypeParam::Factor::Scalar;
  using Real = RealOf<S>;
  for (int qubits = 1; qubits <= 4; ++qubits) {
    const Index n = Index{1} << qubits;
    const auto strings = all_strings(qubits);
    const Real scale = Real(0.75);
    const TypeParam op(qubits, strings, scale);
    ASSERT_EQ(op.measurements(), n * n);
    const Matrix<S> u = random_factor<S>(n, 2, 1), d = random_factor<S>(n, 2, 2);
    const auto w = random_vector<Real>(n * n, 3);
    Vector<Real> y, cross;
    op.forward(u, y);
    op.forward(u, d, cross);
    Matrix<S> g, sum = Matrix<S>::Zero(n, n);
    op.adjoint_times(w, u, g);
    const Real bound = rounding<Real>(2 * n) * (u.norm() + d.norm()) * (u.norm() + d.norm());
    for (std::size_t i = 0; i < strings.size(); ++i) {
      const Matrix<S> p = dense(pauli_label(strings[i], qubits)).template cast<S>();
      EXPECT_NEAR(y[i], scale * std::real((p * u * u.adjoint()).trace()), bound);
      EXPECT_NEAR(cross[i], scale * std::real((p * u * d.adjoint()).trace()), bound);
      sum += scale * w[i] * p;
    }
    EXPECT_LE((g - sum * u).norm(), rounding<Real>(2 * n) * w.norm() * std::sqrt(n) * u.norm());
  }
}

/// Largest of the three relative differences between the fast operator and the scalar one.
template <class S>
double difference(int qubits, const std::vector<PauliString>& strings, Index rank) {
  using Real = RealOf<S>;
  const Index n = Index{1} << qubits;
  const Matrix<S> u = random_factor<S>(n, rank, 4), d = random_factor<S>(n, rank, 5);
  const auto w = random_vector<Real>(strings.size(), 6);
  const PauliOperator<S> fast(qubits, strings, Real(1.5));
  const ReferencePauliOperator<S> slow(qubits, strings, Real(1.5));
  Vector<Real> y, expected;
  Matrix<S> g, expected_g;
  double worst = 0;
  fast.forward(u, y);
  slow.forward(u, expected);
  worst = std::max<double>(worst, (y - expected).norm() / expected.norm());
  fast.forward(u, d, y);
  slow.forward(u, d, expected);
  worst = std::max<double>(worst, (y - expected).norm() / expected.norm());
  fast.adjoint_times(w, u, g);
  slow.adjoint_times(w, u, expected_g);
  return std::max<double>(worst, (g - expected_g).norm() / expected_g.norm());
}

/// What double and single precision must reach.
template <class S>
constexpr double agreement = std::is_same_v<S, C128> ? 1e-13 : 5e-5;

TEST(PauliOperator, EqualsTheReferenceForEverySizeAndRank) {
  for (int qubits = 1; qubits <= 9; ++qubits) {
    const auto strings = random_strings(qubits, (Index{3} << qubits) + 1, qubits);
    for (const Index rank : {1, 2, 5}) {
      SCOPED_TRACE(testing::Message() << qubits << " qubits, rank " << rank);
      EXPECT_LE(difference<C128>(qubits, strings, rank), agreement<C128>);
      EXPECT_LE(difference<C64>(qubits, strings, rank), agreement<C64>);
    }
  }
  EXPECT_LE(difference<C128>(7, random_strings(7, 1500, 9), 21), agreement<C128>);
  EXPECT_LE(difference<C128>(10, random_strings(10, 2000, 10), 1), agreement<C128>);
}

TEST(PauliOperator, TakesGroupsOfEverySize) {
  // One x with ever more strings of both parities: all regimes of the kernel, odd sizes included.
  for (const std::uint32_t x : {0u, 1u, 5u, 64u, 200u, 255u}) {
    for (const std::uint32_t count : {1u, 2u, 3u, 5u, 8u, 13u, 31u, 67u, 150u, 256u}) {
      std::vector<PauliString> strings;
      for (std::uint32_t k = 0; k < count; ++k) strings.push_back({x, 37 * k % 256});
      SCOPED_TRACE(testing::Message() << "x = " << x << ", " << count << " strings");
      EXPECT_LE(difference<C128>(8, strings, 1), agreement<C128>);
      EXPECT_LE(difference<C64>(8, strings, 5), agreement<C64>);
    }
  }
}

TEST(PauliOperator, ManyStringsInEveryGroupEqualTheReference) {
  const auto strings = random_strings(9, Index{30} << 9, 15);
  EXPECT_LE(difference<C128>(9, strings, 1), agreement<C128>);
  EXPECT_LE(difference<C64>(9, strings, 2), agreement<C64>);
}

TEST(PauliOperator, CompleteSetsEqualTheReference) {
  EXPECT_LE(difference<C128>(6, all_strings(6), 3), agreement<C128>);
  EXPECT_LE(difference<C64>(6, all_strings(6), 3), agreement<C64>);
}

TEST(PauliOperator, DuplicatesAndTheIdentityAreLegal) {
  const PauliString identity, other{3, 5};
  const PauliOperator<C128> op(3, {other, identity, other, identity}, 1);
  const Matrix<C128> u = random_factor<C128>(8, 2, 7);
  Vector<double> y;
  op.forward(u, y);
  EXPECT_EQ(y[0], y[2]);
  EXPECT_EQ(y[1], y[3]);
  EXPECT_NEAR(y[1], u.squaredNorm(), 1e-13 * u.squaredNorm());
  Matrix<C128> g, twice;
  op.adjoint_times(Vector<double>{{0, 1, 0, 1}}, u, twice);
  EXPECT_LE((twice - 2 * u).norm(), 1e-14 * u.norm());
}

TEST(PauliOperator, NoStringsGiveNothing) {
  const PauliOperator<C128> op(3, {}, 1);
  Vector<double> y;
  op.forward(random_factor<C128>(8, 1, 8), y);
  EXPECT_EQ(y.size(), 0);
  Matrix<C128> g;
  op.adjoint_times(y, random_factor<C128>(8, 1, 8), g);
  EXPECT_EQ(g.norm(), 0);
}

TEST(PauliOperator, BitsDoNotDependOnTheNumberOfThreads) {
  const int qubits = 9, before = threads();
  const auto strings = random_strings(qubits, 1700, 11);
  for (const Index rank : {1, 6}) {
    const PauliOperator<C128> op(qubits, strings, 1);
    const Matrix<C128> u = random_factor<C128>(op.rows(), rank, 12);
    const auto w = random_vector<double>(op.measurements(), 13);
    Vector<double> y, first_y;
    Matrix<C128> g, first_g;
    set_threads(1);
    op.forward(u, first_y);
    op.adjoint_times(w, u, first_g);
    for (const int count : {2, 4}) {
      set_threads(count);
      op.forward(u, y);
      op.adjoint_times(w, u, g);
      EXPECT_TRUE((y.array() == first_y.array()).all()) << count << " threads";
      EXPECT_TRUE((g.array() == first_g.array()).all()) << count << " threads";
    }
  }
  set_threads(before);
}

TEST(PauliOperator, EveryInstructionSetEqualsTheReference) {
  const auto available = hwy::SupportedTargets();
  int tried = 0;
  for (auto rest = available; rest != 0; rest &= rest - 1) {
    const auto target = rest & -rest;
    hwy::SetSupportedTargetsForTest(target);
    SCOPED_TRACE(hwy::TargetName(target));
    for (const int qubits : {1, 4, 6, 8}) {  // few strings a group, then enough for transforms
      const auto strings = random_strings(qubits, Index{qubits == 6 ? 40 : 3} << qubits, 14);
      for (const Index rank : {1, 5}) {
        EXPECT_LE(difference<C128>(qubits, strings, rank), agreement<C128>);
        EXPECT_LE(difference<C64>(qubits, strings, rank), agreement<C64>);
      }
    }
    ++tried;
  }
  hwy::SetSupportedTargetsForTest(0);
  EXPECT_GE(tried, 1);
}

}  // namespace
namespace test {
INSTANTIATE_TYPED_TEST_SUITE_P(Pauli, OperatorConformance, Makers);
}  // namespace test

}  // namespace projfgd
