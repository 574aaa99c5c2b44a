#include "projfgd/solvers/douglas_rachford.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <complex>
#include <vector>

#include "projfgd/constraints/none.hpp"
#include "projfgd/losses/pointwise.hpp"
#include "projfgd/solvers/block_kaczmarz.hpp"
#include "projfgd/solvers/phase_descent.hpp"
#include "projfgd/starts/phase.hpp"
#include "support/phase_scene.hpp"
#include "support/support.hpp"

namespace projfgd::test {
namespace {

// The iteration as it is told in C^m, x + P_M(2 P_A x - x) - P_A x, with a dense A.
TEST(DouglasRachford, TakesTheStepsOfItsDefinition) {
  Scene scene(4, 3, 4, 12, true, 2);
  const Index m = scene.op.measurements(), n = scene.op.rows();
  F a(m, n);
  for (Index j = 0; j < n; ++j) {
    Vector<Complex> column(m);
    scene.op.apply(F(F::Identity(n, n).col(j)), element::Store{}, column);
    a.col(j) = column;
  }
  const F inverse = F(a.adjoint() * a).llt().solve(F(a.adjoint())), range = a * inverse;
  const F start = random_factor<Complex>(n, 1, 5);
  F x = a * start;
  for (Index k = 1; k <= 10; ++k) {
    const F q = 2 * (range * x) - x;
    x += F(scene.amplitude.array() * q.array() / q.array().abs()) - range * x;
    const auto found =
        douglas_rachford(scene.op, scene.amplitude, Unconstrained{}, start, limits(k, 0));
    EXPECT_LE(norm(F(found.factor - inverse * x)), 1e-10 * norm(start)) << k;
  }
}

// Three intensities for the two numbers of each pixel, where the other methods lose their way. How
// long a search takes is a matter of chance: most of them end within the limit.
TEST(DouglasRachford, FindsImagesOfThreePatterns) {
  constexpr int scenes = 12;
  int found = 0, others = 0;
  for (std::uint64_t seed = 1; seed <= scenes; ++seed) {
    Scene scene(48, 40, 3, 96, true, seed);
    const F start = random_phase_start(scene.op, scene.y, seed);
    const Unconstrained none;
    const auto search =
        douglas_rachford(scene.op, scene.amplitude, none, start, limits(1000, 1e-7));
    found += error(search.factor, scene.truth) <= 1e-5 ? 1 : 0;
    if (seed > 5) continue;
    const auto passes =
        block_kaczmarz(scene.op, scene.amplitude, none, none, start, limits(1000, 1e-7));
    others += error(passes.factor, scene.truth) <= 1e-2 ? 1 : 0;
  }
  EXPECT_GE(found, 10);
  EXPECT_LE(others, 1);
}

TEST(DouglasRachford, SettlesUnderNoise) {
  Scene scene(24, 20, 6, 480, true, 3);
  for (Index i = 0; i < scene.amplitude.size(); ++i) {
    scene.amplitude[i] *= 1 + 0.05 * RandomStream(7, 7).normal(i);
  }
  const F start = random_phase_start(scene.op, scene.y, 3);
  const auto found =
      douglas_rachford(scene.op, scene.amplitude, Unconstrained{}, start, limits(1000, 1e-6));
  EXPECT_EQ(found.status, Status::converged);
  EXPECT_LE(found.iterations, 200);
  const auto best = phase_descent<AmplitudeKernel>(scene.op, scene.amplitude.cwiseAbs2(),
                                                   scene.truth, limits(1000, 1e-9));
  EXPECT_LE(error(found.factor, best.factor), 1e-4);
}

TEST(SearchEnd, IsALowLevelAfterAHighOne) {
  const auto length = [](const std::vector<double>& means) {
    SearchEnd search;
    for (std::size_t k = 0; k < 20 * means.size(); ++k) {
      if (search.add(means[k / 20])) return (k + 1) / 20;
    }
    return std::size_t(0);
  };
  EXPECT_EQ(length({10, 9, 9, 3, 1, 1, 1}), 6u);
  EXPECT_EQ(length({10, 5, 9, 12, 12}), 4u);                 // away from it
  EXPECT_EQ(length({10, 9, 9, 8, 8, 8, 8}), 0u);             // a search
  EXPECT_EQ(length({10, 1, 0.1, 0.01, 0.001, 0.0001}), 0u);  // convergence
}

}  // namespace
}  // namespace projfgd::test
