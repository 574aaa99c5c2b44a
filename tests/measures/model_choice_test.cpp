#include "projfgd/measures/model_choice.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

#include "projfgd/core/random.hpp"
#include "projfgd/core/small_matrix.hpp"
#include "projfgd/measures/state.hpp"

namespace projfgd::test {
namespace {

using C = std::complex<double>;

TEST(ModelChoice, PenaltiesCountParametersBeyondAPureState) {
  EXPECT_EQ(rank_penalty(1, 8), 0);
  EXPECT_NEAR(rank_penalty(2, 8), 2 * 13, 1e-12);  // 2 n r - r^2 - (2 n - 1)
  EXPECT_NEAR(rank_penalty(3, 8), 2 * 24, 1e-12);
}

TEST(ModelChoice, TheFullRankMustGainWhatNoiseGainsInFewCases) {
  // Noise gains half of a chi-square number with n^2 - 2n degrees of freedom where positivity does
  // not hold it back, and less where it does.
  constexpr int simulations = 20000;
  for (const Index n : {4, 8, 16}) {
    const double least = rank_penalty(n, n);
    const RandomStream random(7, static_cast<std::uint64_t>(n));
    const Index d = n * (n - 2);
    int above = 0;
    for (int run = 0; run < simulations; ++run) {
      double gain = 0;
      for (Index k = 0; k < d; ++k) gain += std::pow(random.normal(run * d + k), 2) / 2;
      above += gain > least ? 1 : 0;
    }
    EXPECT_LT(above, simulations / 2000 + 10) << n;
    EXPECT_LT(least, static_cast<double>(d) / 2 + 5 * std::sqrt(d / 2.0) + 5)
        << n;  // nor far above
  }
}

TEST(ModelChoice, WhiteNoiseThatIsKnownSharplyMustGainMore) {
  // A weight of 0.05 that gains 2 nats is known to 0.025.
  EXPECT_NEAR(white_penalty(0.05, 2, 0), -std::log(0.125 * std::sqrt(2 * std::numbers::pi)), 1e-12);
  EXPECT_GT(white_penalty(0.005, 2, 6), white_penalty(0.05, 2, 6));
  EXPECT_GT(white_penalty(0.05, 8, 6), white_penalty(0.05, 2, 6));
}

TEST(ModelChoice, WhiteNoiseMustGainLessWhereItBlursMoreParameters) {
  EXPECT_NEAR(white_penalty(0.01, 2, 0) - white_penalty(0.01, 2, 14), -28 * std::log(0.99), 1e-12);
  EXPECT_EQ(white_penalty(0.5, 50, 1000), 0);
  EXPECT_EQ(white_penalty(1, 50, 14), 0);
}

TEST(ModelChoice, WeighsModelsByTheirScore) {
  const std::vector<double> weights = model_weights({-100, -98, -100});
  EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-12);
  EXPECT_NEAR(weights[1] / weights[0], std::exp(2), 1e-9);
  EXPECT_EQ(weights[2], weights[0]);
}

TEST(ModelChoice, LeavesOutWhatHasNoWeight) {
  const std::vector<double> weights = model_weights({-100, -125});
  EXPECT_EQ(weights[0], 1);
  EXPECT_EQ(weights[1], 0);
}

TEST(ModelChoice, TheRootOfTheMeanIsTheMeanOfTheRoots) {
  const Index n = 8;
  Matrix<C> sum = Matrix<C>::Zero(n, n);
  RootMean<C> mean(n);
  const double weights[] = {0.5, 0.3, 0.2}, white[] = {0, 0.2, 0.05};
  for (int k = 0; k < 3; ++k) {
    Matrix<C> u(n, k + 1);
    fill_normal(RandomStream(3, static_cast<std::uint64_t>(k)), u);
    mean.add(weights[k], u, white[k]);
    const Matrix<C> rho = u * u.adjoint() + white[k] / 8 * Matrix<C>::Identity(n, n);
    const HermitianEigen<C> eigen = hermitian_eigen<C>(rho);
    const Vector<double> roots = eigen.values.cwiseMax(0).cwiseSqrt();
    sum += weights[k] * eigen.vectors * roots.asDiagonal() * eigen.vectors.adjoint();
  }
  const Matrix<C> f = mean.factor();
  const Matrix<C> rho = f * f.adjoint() + mean.white() / 8 * Matrix<C>::Identity(n, n);
  EXPECT_LT((rho - sum * sum).norm(), 1e-7 * rho.norm());  // roots of rounding errors
}

TEST(ModelChoice, OneModelIsItsOwnMean) {
  Matrix<C> u(4, 2);
  fill_normal(RandomStream(4, 0), u);
  RootMean<C> mean(4);
  mean.add(1, u, 0.3);
  const Matrix<C> f = mean.factor();
  EXPECT_NEAR(mean.white(), 0.3, 1e-12);
  EXPECT_LT((f * f.adjoint() - u * u.adjoint()).norm(), 1e-10 * u.squaredNorm());
}

}  // namespace
}  // namespace projfgd::test
