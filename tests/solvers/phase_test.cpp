#include "projfgd/starts/phase.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "projfgd/constraints/entrywise.hpp"
#include "projfgd/constraints/none.hpp"
#include "projfgd/constraints/refined_l1.hpp"
#include "projfgd/measures/fitting_loss.hpp"
#include "projfgd/solvers/alternating_projections.hpp"
#include "projfgd/solvers/amplitude_flow.hpp"
#include "projfgd/solvers/block_kaczmarz.hpp"
#include "projfgd/solvers/douglas_rachford.hpp"
#include "projfgd/solvers/phase_descent.hpp"
#include "projfgd/solvers/phaselift.hpp"
#include "projfgd/solvers/projfgd.hpp"
#include "projfgd/solvers/wirtinger_flow.hpp"
#include "support/phase_scene.hpp"
#include "support/support.hpp"

namespace projfgd::test {
namespace {

/// Central differences of f along random directions, for the factored gradient without factor 2.
template <class Kernel>
void check_gradient() {
  Scene scene(5, 7, 3, 35, true, 3);
  PhaseObjective<Op, Kernel> f(scene.op, scene.y);
  for (std::uint64_t k = 1; k <= 20; ++k) {
    const F z = random_factor<Complex>(35, 1, k), d = random_factor<Complex>(35, 1, k + 100);
    const double h = 1e-5;
    const double slope = (f.at(F(z + h * d)) - f.at(F(z - h * d))) / (2 * h);
    F g;
    f.at(z);
    f.gradient_times(z, g);
    EXPECT_NEAR(slope, 2 * dot(g, d), 1e-6 * norm(g) * norm(d)) << "point " << k;
  }
}

TEST(PhaseObjective, GradientsAgreeWithDifferences) {
  check_gradient<IntensityKernel>();
  check_gradient<AmplitudeKernel>();
  check_gradient<PoissonKernel>();
}

TEST(PhaseObjective, AGradientCostsOneProductAndOneAdjoint) {
  Scene scene(8, 8, 5, 20, true, 1);
  PhaseObjective<Op, IntensityKernel> f(scene.op, scene.y);
  const Index before = scene.op.products();
  F g;
  f.at(scene.truth);
  f.gradient_times(scene.truth, g);
  EXPECT_EQ(scene.op.products() - before, 10);
}

TEST(BlockKaczmarz, FindsAComplexSignalFromARandomStart) {
  Scene scene(24, 20, 8, 200, true, 5);
  const auto result = block_kaczmarz(scene.op, scene.amplitude, Unconstrained{}, Unconstrained{},
                                     random_phase_start(scene.op, scene.y, 1), limits(200));
  EXPECT_EQ(result.status, Status::converged);
  EXPECT_LE(error(result.factor, scene.truth), 1e-8);
}

TEST(BlockKaczmarz, NeedsFewerPatternsWithASet) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Scene scene(32, 24, 3, 40, false, seed);
    const RefinedL1Ball<Matrix<Complex>> ball(true);
    const auto refined = block_kaczmarz(scene.op, scene.amplitude, Nonnegative{}, ball,
                                        random_phase_start(scene.op, scene.y, 1), limits(300));
    EXPECT_LE(error(refined.factor, scene.truth), 1e-7) << "seed " << seed;
    EXPECT_NEAR(ball.radius() / scene.truth.cwiseAbs().sum(), 1, 1e-6);
    const auto plain = block_kaczmarz(scene.op, scene.amplitude, Unconstrained{}, Unconstrained{},
                                      random_phase_start(scene.op, scene.y, 1), limits(100));
    EXPECT_GE(error(plain.factor, scene.truth), 1e-2) << "seed " << seed;
  }
}

TEST(PhaseDescent, FinishesUnderEveryLoss) {
  Scene scene(24, 20, 8, 200, true, 6);
  const F near = scene.truth + 0.02 * random_factor<Complex>(480, 1, 3);
  const double first = error(near, scene.truth);
  ASSERT_GT(first, 0.01);
  for (const auto loss :
       {PointwiseLoss::intensity, PointwiseLoss::amplitude, PointwiseLoss::poisson}) {
    const auto result = with_kernel(loss, [&](auto kernel) {
      return phase_descent<decltype(kernel)>(scene.op, scene.y, near, limits(200));
    });
    EXPECT_LE(error(result.factor, scene.truth), 1e-7) << to_string(loss);
    Scene real(24, 20, 8, 40, false, 6);
    const auto inside = with_kernel(loss, [&](auto kernel) {
      PhaseObjective<Op, decltype(kernel)> f(real.op, real.y);
      const F close = real.truth + 0.005 * random_factor<Complex>(480, 1, 3);
      return projfgd(f, Nonnegative{}, Start<F>{close, 0}, limits(300));
    });
    EXPECT_LE(error(inside.factor, real.truth), 1e-6) << to_string(loss);
    EXPECT_GE(inside.factor.real().minCoeff(), 0) << to_string(loss);
  }
}

TEST(WirtingerFlow, FindsTheSignalAndFasterWithTheL1Ball) {
  Scene scene(16, 16, 15, 20, false, 2);
  const F start = power_phase_start(scene.op, scene.y, 50, 1);
  EXPECT_NEAR(norm(start), std::sqrt(scene.y.mean()), 1e-12);
  const Options options = limits(150, 0);
  const auto free = wirtinger_flow(scene.op, scene.y, Unconstrained{}, start, options);
  const auto ball =
      wirtinger_flow(scene.op, scene.y, L1Ball(scene.truth.cwiseAbs().sum()), start, options);
  EXPECT_EQ(free.iterations, 150);
  EXPECT_LE(error(free.factor, scene.truth), 1e-2);
  EXPECT_LE(error(ball.factor, scene.truth), error(free.factor, scene.truth) / 2);
}

TEST(WirtingerFlow, KeepsTheBestPointWhenItDiverges) {
  Scene scene(16, 16, 15, 20, false, 2);
  // Its steps are in units of the start's own size: from a small one they are too long.
  const F start = 0.05 * power_phase_start(scene.op, scene.y, 50, 1);
  const auto result = wirtinger_flow(scene.op, scene.y, Unconstrained{}, start, limits(500, 0));
  EXPECT_EQ(result.status, Status::diverged);
  double least = result.trace.front().objective;
  for (const TraceRow& row : result.trace) least = std::min(least, row.objective);
  EXPECT_LT(least, result.trace.back().objective);
  EXPECT_EQ(result.objective, least);
  PhaseObjective<std::remove_cvref_t<decltype(scene.op)>, IntensityKernel> f(scene.op, scene.y);
  EXPECT_EQ(f.at(result.factor), least);
  const auto at = std::ranges::find(result.trace, least, &TraceRow::objective);
  const std::string told = "; the answer is that of iteration " + std::to_string(at->iteration) +
                           ", where the objective was lowest";
  EXPECT_EQ(result.message, "the objective became infinite" + told);
  const auto cut =
      wirtinger_flow(scene.op, scene.y, Unconstrained{}, start, limits(result.iterations, 0));
  EXPECT_EQ(cut.objective, least);
  EXPECT_EQ(cut.message, "the iteration limit was reached" + told);
}

TEST(AmplitudeFlow, FindsTheSignalInFewAdaptiveSteps) {
  Scene scene(24, 20, 12, 200, true, 2);
  const F start = power_phase_start(scene.op, scene.y, 50, 1);
  const Index before = scene.op.products();
  const auto found = amplitude_flow(scene.op, scene.y, start, limits(100));
  EXPECT_EQ(found.status, Status::converged);
  EXPECT_LE(error(found.factor, scene.truth), 1e-8);
  // With 12 patterns f and its gradient are 24 products: once at the start, once an iteration, and
  // once for every step that is cut, of which there is at most one.
  EXPECT_LE(scene.op.products() - before, 24 * (found.iterations + 2));
  const auto flow = wirtinger_flow(scene.op, scene.y, Unconstrained{}, start, limits(100, 0));
  EXPECT_LE(2 * found.iterations, flow.iterations);
  // f never exceeds the largest of its last ten values.
  for (std::size_t k = 1; k < found.trace.size(); ++k) {
    double highest = 0;
    for (std::size_t j = k > 10 ? k - 10 : 0; j < k; ++j) {
      highest = std::max(highest, found.trace[j].objective);
    }
    EXPECT_LE(found.trace[k].objective, highest) << k;
  }
  EXPECT_LE(found.projected_gradient, 1e-6 * norm(scene.truth));
}

TEST(AmplitudeFlow, StopsAtAnAnswerItCannotImprove) {
  Scene scene(8, 8, 6, 20, true, 1);
  const auto still = amplitude_flow(scene.op, scene.y, scene.truth, limits(50, 0));
  EXPECT_EQ(still.status, Status::converged);
  EXPECT_LE(still.iterations, 3);
  EXPECT_LE(error(still.factor, scene.truth), 1e-12);
}

TEST(AdaptiveStep, IsExactForOneCurvatureAndShortForTwo) {
  // s = (1, 0), d = 4 s: both steps are 1/4, and half the longer is not more than the shorter.
  EXPECT_DOUBLE_EQ(adaptive_step(1, 4, 16, 7), 0.25);
  // s = (1, 1), d = (10, 1): 2/11 and 11/101; twice the second is more than the first.
  EXPECT_DOUBLE_EQ(adaptive_step(2, 11, 101, 7), 11.0 / 101);
  // s = (1, 10), d = (10, 1): 101/20 and 20/101.
  EXPECT_DOUBLE_EQ(adaptive_step(101, 20, 101, 7), 101.0 / 20 - 10.0 / 101);
  EXPECT_EQ(adaptive_step(1, -1, 1, 7), 7);
}

TEST(PhaseSolvers, ProjectedGradientsAreRightOrNotANumber) {
  Scene scene(8, 8, 6, 20, false, 1);
  const F start = power_phase_start(scene.op, scene.y, 50, 1);
  const auto flow = wirtinger_flow(scene.op, scene.y, Unconstrained{}, start, limits(5, 0));
  PhaseObjective<Op, IntensityKernel> f(scene.op, scene.y);
  F g;
  f.at(flow.factor);
  f.gradient_times(flow.factor, g);
  EXPECT_NEAR(flow.projected_gradient, norm(g), 1e-9 * norm(g));
  // At the answer the set leaves nothing to gain.
  const auto inside = wirtinger_flow(scene.op, scene.y, Nonnegative{}, scene.truth, limits(0, 0));
  EXPECT_LE(inside.projected_gradient, 1e-9 * norm(g));
  for (const auto& result :
       {block_kaczmarz(scene.op, scene.amplitude, Unconstrained{}, Unconstrained{}, start,
                       limits(3)),
        alternating_projections(scene.op, scene.amplitude, Unconstrained{}, start, 0, limits(3)),
        douglas_rachford(scene.op, scene.amplitude, Unconstrained{}, start, limits(3)),
        phase_descent<AmplitudeKernel>(scene.op, scene.y, start, limits(3))}) {
    EXPECT_TRUE(std::isnan(result.projected_gradient));
  }
}

TEST(PhaseSolvers, RefuseOptionsOutOfRange) {
  Scene scene(4, 4, 4, 5, true, 1);
  Options wrong;
  wrong.time_limit = -1;
  const F& z = scene.truth;
  const Unconstrained none;
  EXPECT_THROW(wirtinger_flow(scene.op, scene.y, none, z, wrong), InputError);
  EXPECT_THROW(amplitude_flow(scene.op, scene.y, z, wrong), InputError);
  EXPECT_THROW(block_kaczmarz(scene.op, scene.amplitude, none, none, z, wrong), InputError);
  EXPECT_THROW(alternating_projections(scene.op, scene.amplitude, none, z, 0, wrong), InputError);
  EXPECT_THROW(douglas_rachford(scene.op, scene.amplitude, none, z, wrong), InputError);
  EXPECT_THROW(phase_descent<AmplitudeKernel>(scene.op, scene.y, z, wrong), InputError);
}

TEST(PowerPhaseStart, EndsWhenItIsToldTo) {
  Scene scene(8, 8, 5, 20, true, 1);
  int left = 3;
  const Index before = scene.op.products();
  const F z = power_phase_start(scene.op, scene.y, 50, 1, [&] { return left-- > 0; });
  EXPECT_EQ(scene.op.products() - before, 3 * 10);
  EXPECT_NEAR(norm(z), std::sqrt(scene.y.mean()), 1e-12);
}

TEST(LanczosPhaseStart, EndsWhenItIsToldTo) {
  Scene scene(8, 8, 5, 20, true, 1);
  int left = 2;
  const Index before = scene.op.products();
  const F z = lanczos_phase_start(scene.op, scene.y, 12, 1, [&] { return left-- > 0; });
  EXPECT_EQ(scene.op.products() - before, 3 * 10);  // the first product asks nobody
  Vector<double> p;
  scene.op.forward(z, p);
  EXPECT_NEAR(p.sum() / scene.y.sum(), 1, 1e-10);
}

TEST(LanczosPhaseStart, SixStepsAreNearerThanFiftyPowerIterations) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Scene scene(24, 20, 21, 100, true, seed);
    const F lanczos = lanczos_phase_start(scene.op, scene.y, 6, seed);
    const F power = power_phase_start(scene.op, scene.y, 50, seed);
    EXPECT_LE(error(lanczos, scene.truth), error(power, scene.truth)) << "seed " << seed;
    Vector<double> p;
    scene.op.forward(lanczos, p);
    EXPECT_NEAR(p.sum() / scene.y.sum(), 1, 1e-10);
  }
}

TEST(AlternatingProjections, RecoverWithPatternsOrASupport) {
  Scene scene(16, 16, 12, 100, true, 4);
  const auto found =
      alternating_projections(scene.op, scene.amplitude, Unconstrained{},
                              lanczos_phase_start(scene.op, scene.y, 8, 1), 0, limits(500));
  EXPECT_LE(error(found.factor, scene.truth), 1e-6);
  // Error reduction never raises the misfit (Fienup 1982).
  for (std::size_t k = 1; k < found.trace.size(); ++k) {
    EXPECT_LE(found.trace[k].objective, found.trace[k - 1].objective * (1 + 1e-12));
  }
  Scene sparse(16, 16, 4, 20, false, 4);
  const auto hybrid =
      alternating_projections(sparse.op, sparse.amplitude, Nonnegative{},
                              random_phase_start(sparse.op, sparse.y, 1), 0.9, limits(500));
  EXPECT_LE(error(hybrid.factor, sparse.truth), 1e-6);
}

TEST(PhaseLift, FindsASmallSignalAndRefusesALargeOne) {
  Scene scene(4, 3, 6, 12, true, 8);
  const auto result = phaselift(scene.op, scene.y, limits(1500));
  EXPECT_LE(error(result.factor, scene.truth), 1e-3);
  Scene large(30, 30, 2, 10, true, 8);
  EXPECT_THROW(phaselift(large.op, large.y), InputError);
}

TEST(PhaseLift, LooksAtTheClockBeforeItBegins) {
  Scene scene(4, 3, 6, 12, true, 8);
  Options options = limits(1500);
  options.time_limit = 1e-9;
  const Index before = scene.op.products();
  const auto result = phaselift(scene.op, scene.y, options);
  EXPECT_EQ(result.status, Status::time_limit);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_EQ(result.eigenproblems, 1);
  // One product with A*(y) = A^H diag(y) A for the start and one with A for its objective.
  EXPECT_EQ(scene.op.products() - before, 6 * (2 + 1));
}

TEST(PhaseLift, EndsInsideAnIterationWhenTheCallerWantsIt) {
  Scene scene(4, 3, 6, 12, true, 8);
  Options options = limits(1500);
  int asked = 0;
  const Interrupt interrupt = [&] { return ++asked > 40; };
  options.interrupt = &interrupt;
  const auto result = phaselift(scene.op, scene.y, options);
  EXPECT_EQ(result.status, Status::interrupted);
  EXPECT_EQ(result.message, "stopped on request");
  EXPECT_LE(result.iterations, 40);
  EXPECT_LE(asked, 45);  // once after each product and twice at the end, not to the end of a step
}

TEST(FittingLoss, TellsDetectorNoiseFromPhotons) {
  Scene scene(24, 20, 6, 200, true, 9);
  const RandomStream random(1, 2);
  Vector<double> flat = scene.y, counted = scene.y;
  for (Index i = 0; i < flat.size(); ++i) {
    flat[i] = std::max(0.0, flat[i] + 0.05 * scene.y.mean() * random.normal(i));
    counted[i] =
        std::max(0.0, counted[i] + 0.2 * std::sqrt(scene.y.mean() * counted[i]) * random.normal(i));
  }
  EXPECT_EQ(fitting_loss<Op>(scene.op, flat, scene.truth), PointwiseLoss::intensity);
  EXPECT_EQ(fitting_loss<Op>(scene.op, counted, scene.truth), PointwiseLoss::poisson);
}

}  // namespace
}  // namespace projfgd::test
