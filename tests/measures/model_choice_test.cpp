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

/// Eigenvalues of noise in m dimensions, whose length squared counts twice the gain.
Vector<double> eigenvalues_of_noise(Index m, std::uint64_t run) {
  Matrix<C> w(m, m);
  fill_normal(RandomStream(run, static_cast<std::uint64_t>(m)), w);
  return hermitian_eigenvalues<C>(Matrix<C>((w + w.adjoint()) / 2.0));
}

/// What noise gains by the full rank beside `rank` columns and white noise of that level: half of
/// what the projection on states of the same trace keeps of it.
double gain_by_full_rank(const Vector<double>& noise, double level, Index rank) {
  const auto m = static_cast<double>(noise.size()), columns = static_cast<double>(rank);
  const auto kept = [&](double cut) -> Vector<double> {
    return (noise.array() + level - cut).cwiseMax(0);
  };
  double low = -noise.cwiseAbs().maxCoeff(), high = level - low;
  for (int halving = 0; halving < 60; ++halving) {
    const double cut = (low + high) / 2;
    (kept(cut).sum() > m * level + noise.sum() + columns * cut ? low : high) = cut;
  }
  const double left = (kept(low).array() - noise.array() - level).matrix().squaredNorm();
  return (noise.squaredNorm() - left - columns * low * low) / 2;
}

TEST(ModelChoice, AColumnMustGainWhatNoiseGainsInFewCases) {
  for (const Index others : {3, 7, 15}) {
    constexpr int simulations = 2000;
    const double least = gain_in_few_cases(noise_of_column(1, others + 1));
    int above = 0;
    double mean = 0;
    for (int run = 0; run < simulations; ++run) {
      const double largest = eigenvalues_of_noise(others, 100 + run).maxCoeff();
      const double gain = std::pow(std::max(largest, 0.0), 2) / 2;
      mean += gain / simulations;
      above += gain > least ? 1 : 0;
    }
    EXPECT_LE(above, 10) << others;
    EXPECT_LT(mean, least / 1.3) << others;
    EXPECT_GT(mean, least / 5) << others;  // nor far above
  }
}

TEST(ModelChoice, TheFullRankMustGainWhatNoiseGainsInFewCases) {
  constexpr int simulations = 300;
  for (const Index n : {8, 16, 32}) {
    for (const Index rank : {1, 3}) {
      for (const double level : {0.0, 1.0, 20.0}) {
        double length = 0, squares = 0;
        int above = 0;
        const double least = gain_in_few_cases(noise_of_full_rank(rank, n, level));
        for (int run = 0; run < simulations; ++run) {
          Vector<double> noise = eigenvalues_of_noise(n - rank, 100 + run);
          noise.array() -= noise.mean();  // which white noise follows
          const double gain = gain_by_full_rank(noise, level, rank);
          length += std::sqrt(2 * std::max(gain, 0.0)) / simulations;
          squares += 2 * std::max(gain, 0.0) / simulations;
          above += gain > least ? 1 : 0;
        }
        EXPECT_LE(above, 3) << n << " " << rank << " " << level;
        EXPECT_NEAR(gain_in_few_cases({length, of_many_squares}), least, 0.15 * least)
            << n << " " << rank;
        // No more than that of many squares, up to three errors of a simulated deviation.
        EXPECT_LT(std::sqrt(squares - length * length),
                  of_many_squares * (1 + 3 / std::sqrt(2.0 * simulations)))
            << n << " " << rank << " " << level;
      }
    }
  }
}

TEST(ModelChoice, WhiteNoiseThatIsKnownSharplyMustGainMore) {
  // A weight of 0.05 that gains 2 nats is known to 0.025.
  const double density = 1 / (2 * std::sqrt(0.05));
  EXPECT_NEAR(white_penalty(0.05, 2, 0),
              -std::log(0.025 * std::sqrt(2 * std::numbers::pi) * density), 1e-12);
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
