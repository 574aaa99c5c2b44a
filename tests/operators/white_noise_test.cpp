#include "projfgd/operators/white_noise.hpp"

#include <complex>

#include "projfgd/core/any.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/operators/dense.hpp"
#include "projfgd/operators/pauli.hpp"
#include "projfgd/operators/product_basis.hpp"
#include "projfgd/operators/readout.hpp"
#include "support/operator_conformance.hpp"

namespace projfgd::test {
namespace {

template <class S>
struct MakeNoisyDense {
  using Operator = WhiteNoiseOperator<DenseOperator<S>>;
  static Operator make(std::uint64_t seed) {
    std::vector<Matrix<S>> matrices;
    for (std::uint64_t i = 0; i < 20 + seed; ++i) {
      matrices.push_back(random_hermitian<S>(12, 1000 * seed + i));
    }
    return Operator(DenseOperator<S>(matrices));
  }
};

using Makers =
    ::testing::Types<MakeNoisyDense<float>, MakeNoisyDense<double>,
                     MakeNoisyDense<std::complex<float>>, MakeNoisyDense<std::complex<double>>>;
INSTANTIATE_TYPED_TEST_SUITE_P(WhiteNoise, OperatorConformance, Makers);

using Complex = std::complex<double>;

AnyOperator<Complex> product_basis() {
  return ProductBasisOperator<Complex>({{0, 1, 2}, {2, 2, 2}, {1, 0, 0}});
}

AnyOperator<Complex> with_readout() {
  return ReadoutOperator<Complex>(
      product_basis(),
      Readout{{{{{0.9, 0.2}, {0.1, 0.8}}}, {{{0.95, 0.1}, {0.05, 0.9}}}, {{{1, 0.3}, {0, 0.7}}}},
              {}});
}

AnyOperator<Complex> pauli() {
  return PauliOperator<Complex>(3, {{0, 0}, {1, 0}, {5, 3}, {0, 7}}, 1.5);
}

/// Against A of the dense matrix U U^H + |s|^2 I/n, whose factor is [U, |s| I / sqrt(n)].
TEST(WhiteNoise, PredictsWhatTheMixedStatePredicts) {
  for (const AnyOperator<Complex>& op : {product_basis(), with_readout(), pauli()}) {
    const Index n = op.rows();
    const WhiteNoiseOperator<AnyOperator<Complex>> noisy(op);
    const Matrix<Complex> u = random_factor<Complex>(n, 2, 1);
    const Matrix<Complex> v = with_white_noise(u, 0.3);
    EXPECT_NEAR(v.squaredNorm(), u.squaredNorm(), 1e-13 * u.squaredNorm());
    EXPECT_NEAR(white_weight(v), 0.3 * u.squaredNorm(), 1e-13 * u.squaredNorm());
    Matrix<Complex> wide(n, 2 + n);
    wide.leftCols(2) = low_rank_part(v);
    wide.rightCols(n) =
        std::sqrt(white_weight(v) / static_cast<double>(n)) * Matrix<Complex>::Identity(n, n);
    Vector<double> expected, y;
    op.forward(wide, expected);
    noisy.forward(v, y);
    EXPECT_LE((y - expected).norm(), 1e-13 * expected.norm());
  }
}

TEST(WhiteNoise, IsUniformInCompleteBases) {
  const Vector<double> white = white_predictions(product_basis());
  EXPECT_LE((white - Vector<double>::Constant(24, 1.0 / 8)).norm(), 1e-14);
}

TEST(WhiteNoise, RefusesPredictionsOfAnotherSize) {
  using Noisy = WhiteNoiseOperator<AnyOperator<Complex>>;
  EXPECT_THROW(Noisy(pauli(), Vector<double>::Ones(3)), InputError);
}

}  // namespace
}  // namespace projfgd::test
