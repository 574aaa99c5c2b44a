// The product-basis operator against dense Kronecker products, and what must hold without a
// reference: adjointness, distributions, sharing of prefixes, the same bits for any threads.
#include "projfgd/operators/product_basis.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "projfgd/concepts.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/operators/readout.hpp"
#include "support/operator_conformance.hpp"
#include "support/support.hpp"

namespace projfgd {
namespace {

using test::random_factor;
using test::random_vector;
using Settings = std::vector<Setting>;

static_assert(MeasurementOperator<ProductBasisOperator<std::complex<double>>>);
static_assert(MeasurementOperator<ReadoutOperator<std::complex<float>>>);

QubitBasis tilted_basis() {
  const double c = std::cos(0.3), s = std::sin(0.3);
  const std::complex<double> phase = std::polar(1.0, 0.7);
  return {{{c, s * phase}, {-s * std::conj(phase), c}}};
}

std::vector<QubitBasis> four_bases() {
  auto bases = pauli_bases();
  bases.push_back(tilted_basis());
  return bases;
}

/// All 3^q Pauli settings, or `count` random ones over four bases.
std::vector<Setting> all_settings(int qubits) {
  std::vector<Setting> out;
  Setting s(qubits, 0);
  while (true) {
    out.push_back(s);
    int j = 0;
    while (j < qubits && s[j] == 2) s[j++] = 0;
    if (j == qubits) return out;
    ++s[j];
  }
}

std::vector<Setting> random_settings(int qubits, int count, std::uint64_t seed) {
  const RandomStream random(seed, 1);
  std::vector<Setting> out(count, Setting(qubits));
  for (int s = 0; s < count; ++s) {
    for (int j = 0; j < qubits; ++j) {
      out[s][j] = static_cast<std::uint8_t>(random.below(4, s * qubits + j));
    }
  }
  return out;
}

/// V_s as a dense matrix; qubit 0 is the lowest bit, so the last factor of the product.
Matrix<std::complex<double>> dense_rotation(const Setting& setting,
                                            const std::vector<QubitBasis>& bases) {
  Matrix<std::complex<double>> v = Matrix<std::complex<double>>::Identity(1, 1);
  for (const auto b : setting) {
    Matrix<std::complex<double>> wide(2 * v.rows(), 2 * v.cols());
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        wide.block(i * v.rows(), j * v.cols(), v.rows(), v.cols()) = bases[b][i][j] * v;
      }
    }
    v = wide;
  }
  return v;
}

template <class S>
class ProductBasis : public testing::Test {};
using Scalars = testing::Types<std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(ProductBasis, Scalars);

TYPED_TEST(ProductBasis, EqualsDenseKroneckerProducts) {
  using S = TypeParam;
  using R = RealOf<S>;
  for (int q = 1; q <= 4; ++q) {
    auto settings = random_settings(q, 17, 10 + q);
    settings.push_back(settings[3]);  // a setting measured twice is legal
    const ProductBasisOperator<S> op(settings, four_bases());
    const Index n = op.rows();
    const Matrix<S> u = random_factor<S>(n, 3, 1), d = random_factor<S>(n, 3, 2);
    const Vector<R> w = random_vector<R>(op.measurements(), 3);
    Vector<R> y, cross;
    Matrix<S> g;
    op.forward(u, y);
    op.forward(u, d, cross);
    op.adjoint_times(w, u, g);
    const Matrix<std::complex<double>> wide_u = u.template cast<std::complex<double>>(),
                                       wide_d = d.template cast<std::complex<double>>();
    Matrix<std::complex<double>> expected = Matrix<std::complex<double>>::Zero(n, 3);
    // 2 q roundings an amplitude, then a sum over columns.
    const double bound = 30 * std::numeric_limits<R>::epsilon() * wide_u.squaredNorm();
    for (std::size_t s = 0; s < settings.size(); ++s) {
      const auto v = dense_rotation(settings[s], four_bases());
      const Matrix<std::complex<double>> vu = v * wide_u, vd = v * wide_d;
      for (Index k = 0; k < n; ++k) {
        const Index i = static_cast<Index>(s) * n + k;
        EXPECT_NEAR(y[i], vu.row(k).squaredNorm(), bound);
        EXPECT_NEAR(cross[i], std::real(vd.row(k).dot(vu.row(k))), bound);
      }
      const Vector<double> ws = w.segment(static_cast<Index>(s) * n, n).template cast<double>();
      expected += v.adjoint() * ws.asDiagonal() * vu;
    }
    EXPECT_LE((g.template cast<std::complex<double>>() - expected).norm(),
              30 * std::numeric_limits<R>::epsilon() * w.norm() * wide_u.norm() * std::sqrt(n));
  }
}

TYPED_TEST(ProductBasis, EverySettingSumsToTheTrace) {
  using S = TypeParam;
  using R = RealOf<S>;
  for (int q = 1; q <= 6; ++q) {
    const ProductBasisOperator<S> op(all_settings(q));
    const Index n = op.rows();
    const Matrix<S> u = random_factor<S>(n, 2, 5);
    Vector<R> y;
    op.forward(u, y);
    for (Index s = 0; s < op.settings(); ++s) {
      EXPECT_NEAR(y.segment(s * n, n).sum(), u.squaredNorm(),
                  30 * std::numeric_limits<R>::epsilon() * u.squaredNorm());
    }
  }
}

/// Some settings of all give the same numbers one by one as among all, where columns are many
/// enough to form U U^H: the two ways of the operator agree.
TYPED_TEST(ProductBasis, FormsTheMatrixOfManyColumnsWithoutChangingAnything) {
  using S = TypeParam;
  using R = RealOf<S>;
  const int q = 4;
  const std::vector<Setting> all = all_settings(q), few(all.begin() + 3, all.begin() + 9);
  const ProductBasisOperator<S> by_matrix(all), by_columns(few);
  const Index n = by_matrix.rows();
  ASSERT_TRUE(by_matrix.forms_matrix(n));
  ASSERT_FALSE(by_columns.forms_matrix(n));
  for (const Index columns : {n, Index{5}}) {
    const Matrix<S> u = random_factor<S>(n, columns, 1), d = random_factor<S>(n, columns, 2);
    const double eps = std::numeric_limits<R>::epsilon();
    Vector<R> y, part;
    by_matrix.forward(u, y);
    by_columns.forward(u, part);
    // Every probability is a sum of 2^q coordinates, each of at most ||U||^2 over 2^q.
    EXPECT_LE((y.segment(3 * n, 6 * n) - part).cwiseAbs().maxCoeff(), 30 * eps * u.squaredNorm());
    by_matrix.forward(u, d, y);
    by_columns.forward(u, d, part);
    EXPECT_LE((y.segment(3 * n, 6 * n) - part).cwiseAbs().maxCoeff(),
              30 * eps * u.norm() * d.norm());
    Vector<R> w = Vector<R>::Zero(by_matrix.measurements());
    const Vector<R> some = random_vector<R>(by_columns.measurements(), 3);
    w.segment(3 * n, 6 * n) = some;
    Matrix<S> g, h;
    by_matrix.adjoint_times(w, u, g);
    by_columns.adjoint_times(some, u, h);
    EXPECT_LE((g - h).norm(), 30 * eps * std::sqrt(double(n)) * some.norm() * u.norm());
  }
}

TEST(ProductBasisOperatorTest, FormsNoMatrixThatIsLargerThanTheData) {
  const ProductBasisOperator<std::complex<double>> few(random_settings(5, 31, 1), four_bases()),
      enough(random_settings(5, 32, 1), four_bases());
  EXPECT_FALSE(few.forms_matrix(32));
  EXPECT_TRUE(enough.forms_matrix(32));
  EXPECT_FALSE(enough.forms_matrix(1));
}

TEST(ProductBasisOperatorTest, KnownStates) {
  // |0> |+> with qubit 1 in |0>, qubit 0 in |+>: Z on qubit 1 and X on qubit 0 are certain.
  Matrix<std::complex<double>> u(4, 1);
  u << std::sqrt(0.5), std::sqrt(0.5), 0, 0;
  const ProductBasisOperator<std::complex<double>> op(Settings{{0, 2}, {1, 0}});
  Vector<double> y;
  op.forward(u, y);
  const double expected[] = {1, 0, 0, 0, 0.25, 0.25, 0.25, 0.25};
  for (int i = 0; i < 8; ++i) EXPECT_NEAR(y[i], expected[i], 1e-15);
  // The +1 eigenstate of Y gives outcome 0.
  Matrix<std::complex<double>> right(2, 1);
  right << std::sqrt(0.5), std::complex<double>(0, std::sqrt(0.5));
  ProductBasisOperator<std::complex<double>>(Settings{{1}}).forward(right, y);
  EXPECT_NEAR(y[0], 1, 1e-15);
}

TEST(ProductBasisOperatorTest, RefusesWhatItCannotMeasure) {
  using Operator = ProductBasisOperator<std::complex<double>>;
  EXPECT_THROW(Operator(Settings{}), InputError);
  EXPECT_THROW(Operator(Settings{{0, 1}, {0}}), InputError);
  EXPECT_THROW(Operator(Settings{{0, 3}}), InputError);
  EXPECT_THROW(Operator(Settings{{0}}, {QubitBasis{{{1, 1}, {0, 1}}}}), InputError);
  EXPECT_THROW(Operator(Settings{Setting(40, 0)}), ResourceError);
}

TYPED_TEST(ProductBasis, ReadoutMixesOutcomesAndIsAdjoint) {
  using S = TypeParam;
  using R = RealOf<S>;
  const ProductBasisOperator<S> ideal(all_settings(3));
  const Index n = 8, m = ideal.measurements();
  Readout tensor;
  tensor.per_qubit = {
      {{{0.9, 0.2}, {0.1, 0.8}}}, {{{0.95, 0.05}, {0.05, 0.95}}}, {{{1, 0.3}, {0, 0.7}}}};
  Readout full;
  full.full = Matrix<double>::Ones(1, 1);
  for (const auto& c : tensor.per_qubit) {
    Matrix<double> wide(2 * full.full.rows(), 2 * full.full.cols());
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        wide.block(i * full.full.rows(), j * full.full.cols(), full.full.rows(), full.full.cols()) =
            c[i][j] * full.full;
      }
    }
    full.full = wide;
  }
  const Matrix<S> u = random_factor<S>(n, 2, 5), d = random_factor<S>(n, 2, 6);
  const Vector<R> w = random_vector<R>(m, 7);
  const double eps = std::numeric_limits<R>::epsilon();
  Vector<R> plain, y;
  Matrix<S> g;
  ideal.forward(u, plain);
  for (const Readout& readout : {tensor, full}) {
    const ReadoutOperator<S> op(ideal, readout);
    op.forward(u, y);
    for (Index s = 0; s < m / n; ++s) {
      const Vector<double> expected = full.full * plain.segment(s * n, n).template cast<double>();
      EXPECT_LE((y.segment(s * n, n).template cast<double>() - expected).norm(),
                30 * eps * expected.norm());
    }
    op.forward(u, d, y);
    op.adjoint_times(w, u, g);
    EXPECT_NEAR(y.dot(w), dot(g, d),
                30 * eps * std::sqrt(double(n) * m) * w.norm() * u.norm() * d.norm());
  }
  tensor.per_qubit[1][0][0] = 0.5;
  EXPECT_THROW(validate(tensor, 3), InputError);
  EXPECT_THROW(validate(full, 4), InputError);
}

template <class S>
struct MakeProductBasis {
  using Operator = ProductBasisOperator<S>;
  static Operator make(std::uint64_t seed) {
    const int q = 1 + static_cast<int>(seed) * 2 % 6;
    if (seed == 2) return Operator(all_settings(q));
    if (seed == test::case_for_threads) return Operator(all_settings(6));
    return Operator(random_settings(q, 20, seed), four_bases());
  }
};
template <class S>
struct MakeReadout {
  using Operator = ReadoutOperator<S>;
  static Operator make(std::uint64_t seed) {
    const int q = seed == test::case_for_threads ? 7 : 3;
    Readout readout;
    readout.per_qubit.assign(static_cast<std::size_t>(q), {{{0.9, 0.2}, {0.1, 0.8}}});
    return Operator(ProductBasisOperator<S>(all_settings(q)), readout);
  }
};
using Makers =
    testing::Types<MakeProductBasis<std::complex<float>>, MakeProductBasis<std::complex<double>>,
                   MakeReadout<std::complex<float>>, MakeReadout<std::complex<double>>>;

}  // namespace
}  // namespace projfgd

namespace projfgd::test {
INSTANTIATE_TYPED_TEST_SUITE_P(ProductBasis, OperatorConformance, Makers);
}  // namespace projfgd::test
