// Whole solves with factors, measurements, losses and sets on a device come to the host's points.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "projfgd/constraints/entrywise.hpp"
#include "projfgd/constraints/frobenius.hpp"
#include "projfgd/constraints/none.hpp"
#include "projfgd/core/any.hpp"
#include "projfgd/core/composite.hpp"
#include "projfgd/device/pauli.hpp"
#include "projfgd/losses/least_squares.hpp"
#include "projfgd/losses/logistic.hpp"
#include "projfgd/losses/poisson.hpp"
#include "projfgd/losses/weighted_least_squares.hpp"
#include "projfgd/operators/pauli.hpp"
#include "projfgd/solvers/projfgd.hpp"
#include "support/allocations.hpp"
#include "support/device_memory.hpp"
#include "support/support.hpp"

namespace projfgd::test {
namespace {

using S = std::complex<double>;
using Away = DeviceValues<double>;
using AnyOp = AnyOperator<S, Device>;
using AnyAway = AnyLoss<double, Device>;
using AnySet = AnyConstraint<S, Device>;

Away placed(const Vector<double>& host) {
  Away values;
  copy_from_host(host, values);
  return values;
}

/// A state of 6 qubits and rank 2, and 3000 random Pauli expectations of it with noise.
struct Scene {
  static constexpr int qubits = 6;
  std::vector<PauliString> strings;
  Vector<double> y;

  explicit Scene(double noise = 1e-3) {
    const RandomStream random(3, 0xA);
    for (std::uint64_t i = 0; i < 3000; ++i) {
      strings.push_back({static_cast<std::uint32_t>(random.below(64, 2 * i)),
                         static_cast<std::uint32_t>(random.below(64, 2 * i + 1))});
    }
    Matrix<S> truth = random_factor<S>(64, 2, 4);
    truth /= truth.norm();
    host().forward(truth, y);
    y += noise * random_vector<double>(y.size(), 5);
  }
  PauliOperator<S> host() const { return {qubits, strings, pauli_scale(qubits, strings.size())}; }
  DevicePauliOperator<S> away() const {
    return {qubits, strings, pauli_scale(qubits, strings.size())};
  }
};

using Watch = std::function<bool(const Snapshot<DeviceFactor<S>>&)>;

/// One kind of call, so that the solver is compiled once.
Result<DeviceFactor<S>> solve_away(
    const Scene& scene, const AnyAway& loss, const AnySet& set, const Options& options = {},
    const Watch& watch = [](const auto&) { return true; }) {
  const AnyOp op(scene.away());
  Composite f(op, loss);
  return projfgd(f, set, 2, options, watch);
}

struct Solved {
  Result<Matrix<S>> host;
  Result<DeviceFactor<S>> away;
};

/// Both to the tolerance, from the spectral start.
Solved solve(const Scene& scene, const AnyLoss<double>& loss, const AnyAway& loss_away,
             const AnyConstraint<S>& set, const AnySet& set_away, Options options = {}) {
  const AnyOperator<S> op(scene.host());
  Composite f(op, loss);
  return {projfgd(f, set, 2, options), solve_away(scene, loss_away, set_away, options)};
}

/// The same X, up to what the stopping rule leaves.
void expect_same(const Solved& solved, const char* what) {
  const Matrix<S>& u = solved.host.factor;
  const Matrix<S> v = copy_to_host(solved.away.factor);
  const double size = (u * u.adjoint()).norm();
  EXPECT_LE((u * u.adjoint() - v * v.adjoint()).norm(), 1e-5 * size) << what;
  EXPECT_NEAR(solved.host.objective, solved.away.objective, 1e-8 * solved.host.objective) << what;
  EXPECT_EQ(solved.host.status, solved.away.status) << what;
  EXPECT_GT(solved.away.iterations, 2) << what;
}

TEST(DeviceSolve, LeastSquaresUnderEverySet) {
  const Scene scene;
  const LeastSquares<double> loss(scene.y);
  const LeastSquares<double, Away> away(placed(scene.y));
  const auto check = [&](const auto& set, const auto& set_away, const char* what) {
    expect_same(solve(scene, loss, away, set, set_away), what);
  };
  check(Unconstrained(), Unconstrained(), "none");
  check(FrobeniusBall(0.9), FrobeniusBall(0.9), "ball");
  check(FrobeniusSphere(1), FrobeniusSphere(1), "sphere");
}

TEST(DeviceSolve, EveryLoss) {
  const Scene scene;
  const Vector<double> weights = random_vector<double>(scene.y.size(), 9).cwiseAbs();
  const AnyConstraint<S> ball(FrobeniusBall(1));
  const AnySet ball_away(FrobeniusBall(1));
  expect_same(
      solve(scene, WeightedLeastSquares<double>(scene.y, weights),
            WeightedLeastSquares<double, Away>(placed(scene.y), placed(weights)), ball, ball_away),
      "weighted");
  const Vector<double> signs = scene.y.unaryExpr([](double v) { return v < 0 ? -1. : 1.; });
  expect_same(solve(scene, Logistic<double>(signs, 0.1), Logistic<double, Away>(placed(signs), 0.1),
                    ball, ball_away),
              "logistic");
}

TEST(DeviceSolve, EveryStepRuleTakesTheSameSteps) {
  const Scene scene;
  for (const StepRule rule :
       {StepRule::automatic, StepRule::theory, StepRule::theory_adaptive, StepRule::constant}) {
    Options options;
    options.step = rule;
    options.step_size = 0.1;
    options.max_iterations = 8;
    options.tolerance = 0;
    const Solved solved =
        solve(scene, LeastSquares<double>(scene.y), LeastSquares<double, Away>(placed(scene.y)),
              FrobeniusBall(1), FrobeniusBall(1), options);
    EXPECT_EQ(solved.host.iterations, solved.away.iterations);
    EXPECT_LE((solved.host.factor - copy_to_host(solved.away.factor)).norm(), 1e-12);
  }
}

TEST(DeviceSolve, GivesTheSameBitsTwice) {
  const Scene scene;
  const auto run = [&] {
    const LeastSquares<double, Away> loss(placed(scene.y));
    return copy_to_host(solve_away(scene, loss, FrobeniusBall(1)).factor);
  };
  EXPECT_TRUE(run() == run());
}

/// A wrong gradient of a loss would be seen by central differences: f along a random direction.
TEST(DeviceSolve, GradientsAreThoseOfCentralDifferences) {
  const Scene scene;
  const Vector<double> counts = (scene.y * 100).cwiseAbs(), ones = Vector<double>::Ones(3000);
  const auto check = [&](const auto& loss, const char* what) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto at = [&](double t) {
        const Vector<double> p = random_vector<double>(3000, 10 + seed).cwiseAbs() +
                                 (ones + t * random_vector<double>(3000, 50 + seed));
        return placed(p);
      };
      constexpr double h = 1e-5;
      Away w;
      loss.gradient(at(0), w);
      const double slope = dot(w, placed(random_vector<double>(3000, 50 + seed)));
      const double differences = (loss.value(at(h)) - loss.value(at(-h))) / (2 * h);
      EXPECT_NEAR(slope, differences, 1e-6 * (norm(w) * std::sqrt(3000.))) << what;
    }
  };
  const Vector<double> signs = scene.y.unaryExpr([](double v) { return v < 0 ? -1. : 1.; });
  check(LeastSquares<double, Away>(placed(scene.y)), "least squares");
  check(WeightedLeastSquares<double, Away>(placed(scene.y), placed(counts)), "weighted");
  check(Poisson<double, Away>(placed(counts), placed(ones)), "Poisson");
  check(Logistic<double, Away>(placed(signs), 0.5), "logistic");
}

/// A step that is taken at once waits for the products with its memory on the way to the minimum
/// and back, for the slopes, for f, for the lengths and changes of all that moved, for the relative
/// change, and for what the memory keeps. With several columns, for two numbers of the
/// preconditioner as well; at the face of a set, for those that keep the step there. It copies
/// nothing.
TEST(DeviceSolve, WaitsForTheDeviceSevenTimesAStep) {
  const Scene scene;
  const AnyOp op(scene.away());
  Composite f(op, AnyAway(LeastSquares<double, Away>(placed(scene.y))));
  Options options;
  options.max_iterations = 25;
  options.tolerance = 0;
  for (const Index rank : {Index{1}, Index{2}}) {
    for (const bool at_face : {false, true}) {
      const AnySet set = at_face ? AnySet(FrobeniusBall(0.7)) : AnySet(Unconstrained());
      std::vector<std::size_t> waits;
      std::size_t copies = 0;
      waits_for_device();
      projfgd(f, set, rank, options, Watch([&](const auto& now) {
                waits.push_back(waits_for_device());
                const std::size_t copied = copies_of_device();
                if (now.row.iteration > 0) copies += copied;
                return true;
              }));
      ASSERT_GT(waits.size(), 10u);
      std::ranges::sort(waits);
      EXPECT_LE(waits[waits.size() / 2], (rank == 1 ? 7u : 9u) + (at_face ? 1 : 0));
      EXPECT_EQ(copies, 0u);
    }
  }
}

TEST(DeviceSolve, TakesNoMemoryOfTheDeviceInsideAnIteration) {
  if (!counts_allocations) GTEST_SKIP() << "this build has a heap of its own";
  const Scene scene;
  Options options;
  options.max_iterations = 30;
  options.tolerance = 0;
  options.keep_trace = false;
  options.step = StepRule::theory;  // the automatic rule fills its memory of steps along the way
  std::size_t largest = 0;
  const LeastSquares<double, Away> loss(placed(scene.y));
  solve_away(scene, loss, FrobeniusBall(1), options, [&](const auto& now) {
    const std::size_t taken = largest_allocation();
    if (now.row.iteration > 8) largest = std::max(largest, taken);
    return true;
  });
  // An m-vector has 24,000 bytes, a factor 2,048; what is left are r x r matrices.
  EXPECT_LT(largest, 2048u);
}

}  // namespace
}  // namespace projfgd::test
