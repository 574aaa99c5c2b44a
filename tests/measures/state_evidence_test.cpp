#include "projfgd/measures/state_evidence.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "projfgd/core/random.hpp"
#include "projfgd/core/small_matrix.hpp"

namespace projfgd::test {
namespace {

using C = std::complex<double>;

/// Random states drawn one by one, for what weighed_states() has in closed form.
WeighedStates drawn_states(const Vector<double>& peak, double curvature, Index n) {
  constexpr int draws = 200000;
  const Index r = peak.size();
  Vector<double> target = Vector<double>::Zero(n);
  target.head(r) = peak;
  double mass = 0;
  Vector<double> roots = Vector<double>::Zero(n);
  for (int draw = 0; draw < draws; ++draw) {
    Matrix<C> u(n, r);
    fill_normal(RandomStream(static_cast<std::uint64_t>(draw), 7), u);
    u /= u.norm();
    Matrix<C> x = u * u.adjoint();
    Matrix<C> away = x;
    away.diagonal() -= target.cast<C>();
    const double likelihood = std::exp(-curvature / 2 * away.squaredNorm());
    if (likelihood < 1e-9) continue;
    mass += likelihood;
    const HermitianEigen<C> eigen = hermitian_eigen(x);
    const Matrix<C> root =
        eigen.vectors * eigen.values.cwiseMax(0).cwiseSqrt().asDiagonal() * eigen.vectors.adjoint();
    roots += likelihood * root.diagonal().real();
  }
  const Vector<double> mean = roots.head(r) / mass;
  return {std::log(mass / draws), mean.cwiseAbs2() / mean.squaredNorm()};
}

TEST(WeighedStates, HaveTheMeanLikelihoodAndTheMeanRootOfRandomStates) {
  const auto compare = [](const Vector<double>& peak, double curvature, Index n) {
    const WeighedStates found = weighed_states(peak, curvature, n);
    const WeighedStates drawn = drawn_states(peak, curvature, n);
    // The next order is a few times 1 / (curvature eigenvalue^2), and few draws are near the peak.
    EXPECT_NEAR(found.log_evidence, drawn.log_evidence, 0.25) << peak.transpose();
    EXPECT_LT((found.eigenvalues.cwiseSqrt() - drawn.eigenvalues.cwiseSqrt()).norm(), 0.06)
        << peak.transpose() << " gave " << found.eigenvalues.transpose() << ", drawn "
        << drawn.eigenvalues.transpose();
  };
  compare(Vector<double>{{1.0}}, 40, 2);
  compare(Vector<double>{{1.0}}, 20, 3);
  compare(Vector<double>{{0.7, 0.3}}, 100, 2);
  compare(Vector<double>{{0.95, 0.0}}, 100, 2);
  compare(Vector<double>{{1.0, -0.1}}, 60, 2);
  compare(Vector<double>{{0.6, 0.4}}, 100, 3);
  compare(Vector<double>{{0.8, 0.25, -0.05}}, 60, 3);
}

TEST(WeighedStates, AreFoundHoweverMuchTheDataTell) {
  for (const Index n : {2, 8, 32}) {
    for (const Index r : {Index{1}, n / 2, n}) {
      for (const double curvature : {1e-3, 1.0, 1e4, 1e10}) {
        Vector<double> peak(r);
        const RandomStream random(static_cast<std::uint64_t>(n), static_cast<std::uint64_t>(r));
        for (Index k = 0; k < r; ++k) peak[k] = random.normal(static_cast<std::uint64_t>(k)) / 10;
        peak[0] += 1;
        if (r < n) peak = peak.cwiseAbs().eval() / peak.cwiseAbs().sum();  // a fit, of trace one
        const WeighedStates found = weighed_states(peak, curvature, n);
        EXPECT_TRUE(std::isfinite(found.log_evidence)) << n << " " << r << " " << curvature;
        EXPECT_NEAR(found.eigenvalues.sum(), 1, 1e-9) << n << " " << r << " " << curvature;
        EXPECT_GT(found.eigenvalues.minCoeff(), 0) << n << " " << r << " " << curvature;
      }
    }
  }
}

TEST(WeighedStates, AreCloserToTheTruthThanTheLikeliestState) {
  constexpr Index n = 8;
  constexpr double curvature = 1e4;
  double likeliest = 0, expected = 0;  // squares of the distance between roots
  const Vector<double> truth = Vector<double>::LinSpaced(n, 0, -7).array().exp().matrix() / 1.6;
  const Matrix<C> root = (truth / truth.sum()).cwiseSqrt().cast<C>().asDiagonal();
  for (std::uint64_t run = 0; run < 100; ++run) {
    Matrix<C> noise(n, n);
    fill_normal(RandomStream(900 + run, 5), noise);
    const Matrix<C> data = root * root + (noise + noise.adjoint()) / (2.0 * std::sqrt(curvature));
    const HermitianEigen<C> eigen = hermitian_eigen<C>(data);
    const auto distance = [&](const Vector<double>& found) {
      const Matrix<C> roots =
          eigen.vectors * found.cwiseSqrt().asDiagonal() * eigen.vectors.adjoint();
      return (roots - root).squaredNorm();
    };
    likeliest += distance(eigen.values.cwiseMax(0.0));
    expected += distance(weighed_states(eigen.values, curvature, n).eigenvalues);
  }
  EXPECT_LT(expected, 0.9 * likeliest);
}

}  // namespace
}  // namespace projfgd::test
