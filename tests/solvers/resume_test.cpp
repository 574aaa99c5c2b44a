// A solver that is given back the variables it had after some iteration ends with the same bits as
// one that was never stopped, for every solver and every iteration.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "projfgd/constraints/frobenius.hpp"
#include "projfgd/constraints/none.hpp"
#include "projfgd/core/any.hpp"
#include "projfgd/core/composite.hpp"
#include "projfgd/losses/least_squares.hpp"
#include "projfgd/solvers/acc_uni_pd_grad.hpp"
#include "projfgd/solvers/alternating_projections.hpp"
#include "projfgd/solvers/amplitude_flow.hpp"
#include "projfgd/solvers/block_kaczmarz.hpp"
#include "projfgd/solvers/douglas_rachford.hpp"
#include "projfgd/solvers/nuclear_norm.hpp"
#include "projfgd/solvers/phase_descent.hpp"
#include "projfgd/solvers/phaselift.hpp"
#include "projfgd/solvers/projfgd.hpp"
#include "projfgd/solvers/rsvp.hpp"
#include "projfgd/solvers/sequential_raar.hpp"
#include "projfgd/solvers/sparse_approx_sdp.hpp"
#include "projfgd/solvers/wirtinger_flow.hpp"
#include "projfgd/starts/phase.hpp"
#include "support/dense_trace_problem.hpp"
#include "support/phase_scene.hpp"

namespace projfgd {
namespace {

using test::Complex;
using F = Matrix<Complex>;

/// Keeps the variables of one iteration in memory.
class MemoryKeeper : public Keeper {
 public:
  bool restore(Variables variables) override {
    if (given.empty()) return false;
    const std::string bytes = std::exchange(given, {});
    Archive archive(bytes, "test");
    variables(archive);
    EXPECT_TRUE(archive.is_at_end());
    return true;
  }
  bool is_due() const override { return asked_++ == at; }
  void save(Variables variables) override {
    kept.clear();
    Archive archive([&](std::string_view part) { kept.append(part); });
    variables(archive);
  }
  void note_end() override { ended_ = true; }
  void note_iteration_limit() override { ended_ = true; }
  bool has_ended() const override { return ended_; }

  Index at = -1;            ///< the iteration after which it is time
  std::string given, kept;  ///< to be restored, and saved

 private:
  mutable Index asked_ = 0;
  bool ended_ = false;
};

using Solve = std::function<Result<F>(const Options&)>;

struct Method {
  const char* name;
  Index iterations;  ///< most of them
  Solve solve;
};

void expect_same(const Result<F>& found, const Result<F>& expected) {
  EXPECT_TRUE(found.factor == expected.factor);
  EXPECT_EQ(found.status, expected.status);
  EXPECT_EQ(found.message, expected.message);
  EXPECT_EQ(found.iterations, expected.iterations);
  EXPECT_EQ(found.objective, expected.objective);
  EXPECT_EQ(found.eigenproblems, expected.eigenproblems);
  ASSERT_EQ(found.trace.size(), expected.trace.size());
  for (std::size_t t = 0; t < found.trace.size(); ++t) {
    EXPECT_EQ(found.trace[t].iteration, expected.trace[t].iteration);
    EXPECT_EQ(found.trace[t].objective, expected.trace[t].objective);
    EXPECT_EQ(found.trace[t].relative_change, expected.trace[t].relative_change);
  }
}

/// Resumes after every few iterations, and after a limit that ended the run before.
void expect_resumable(const Method& method, double tolerance) {
  SCOPED_TRACE(method.name);
  Options options;
  options.max_iterations = method.iterations;
  options.tolerance = tolerance;
  const Result<F> whole = method.solve(options);
  EXPECT_GE(whole.iterations, 5);
  const Index step = std::max<Index>(1, whole.iterations / 10);
  for (Index k = 0; k < whole.iterations; k += step) {
    SCOPED_TRACE(k);
    MemoryKeeper before, after;
    before.at = k;
    options.keeper = &before;
    expect_same(method.solve(options), whole);
    ASSERT_FALSE(before.kept.empty());
    after.given = before.kept;
    options.keeper = &after;
    expect_same(method.solve(options), whole);

    MemoryKeeper limited, freed;
    Options less = options;
    less.max_iterations = k;
    less.keeper = &limited;
    EXPECT_EQ(method.solve(less).status, Status::iteration_limit);
    ASSERT_FALSE(limited.kept.empty());
    freed.given = limited.kept;
    options.keeper = &freed;
    expect_same(method.solve(options), whole);
  }
}

TEST(Resume, EveryMethodForStatesEndsWithTheSameBits) {
  const auto dense = test::dense_trace_problem(16, 120, 2, 0.1, 5);
  const TraceProblem<DenseOperator<Complex>> problem = dense.problem();
  F start = test::random_factor<Complex>(16, 2, 99);
  start /= start.norm();
  const auto descend = [&](StepRule rule, auto set) {
    return [&, rule, set](Options options) {
      options.step = rule;
      options.step_size = 1e-2;
      options.step_constant = 16;
      Composite f(problem.op, LeastSquares<double>(problem.y));
      return projfgd(f, set, Start<F>{start, 0}, options);
    };
  };
  const FrobeniusBall ball(1);
  const Method methods[] = {
      {"automatic steps", 60, descend(StepRule::automatic, ball)},
      {"automatic steps without a set", 60, descend(StepRule::automatic, Unconstrained{})},
      {"theory", 30, descend(StepRule::theory, ball)},
      {"adaptive theory", 30, descend(StepRule::theory_adaptive, ball)},
      {"constant", 30, descend(StepRule::constant, ball)},
      {"svp", 40, [&](const Options& o) { return svp(problem, start, o); }},
      {"rsvp", 40, [&](const Options& o) { return rsvp(problem, start, o); }},
      {"sparse-approx-sdp", 60,
       [&](const Options& o) { return sparse_approx_sdp(problem, start, o); }},
      {"acc-uni-pd-grad", 60, [&](const Options& o) { return acc_uni_pd_grad(problem, start, o); }},
      {"uni-pd-grad", 60,
       [&](const Options& o) {
         return acc_uni_pd_grad(problem, start, o, {.accelerated = false});
       }},
      {"published acc-uni-pd-grad", 40,
       [&](const Options& o) { return acc_uni_pd_grad(problem, start, o, {.refined = false}); }},
      {"nuclear-norm", 60, [&](const Options& o) { return nuclear_norm(problem, start, o); }},
  };
  for (const Method& method : methods) expect_resumable(method, 1e-12);
}

TEST(Resume, EveryMethodForImagesEndsWithTheSameBits) {
  const test::Scene scene(8, 6, 5, 12, true, 3);
  const test::Op& op = scene.op;
  const F start = random_phase_start(op, scene.y, 7);
  const AnyConstraint<Complex> ball = FrobeniusBall(1.01 * norm(scene.truth));
  const auto descend = [&](StepRule rule) {
    return [&, rule](Options options) {
      options.step = rule;
      options.step_size = 1e-5;
      PhaseObjective<test::Op, AmplitudeKernel> f(op, scene.y);
      return projfgd(f, ball, Start<F>{start, 0}, options);
    };
  };
  const Method methods[] = {
      {"automatic steps", 40, descend(StepRule::automatic)},
      {"constant", 20, descend(StepRule::constant)},
      {"wirtinger-flow", 30,
       [&](const Options& o) { return wirtinger_flow(op, scene.y, ball, start, o); }},
      {"amplitude-flow", 40,
       [&](const Options& o) { return amplitude_flow(op, scene.y, start, o); }},
      {"error-reduction", 30,
       [&](const Options& o) {
         return alternating_projections(op, scene.amplitude, ball, start, 0, o);
       }},
      {"hio", 30,
       [&](const Options& o) {
         return alternating_projections(op, scene.amplitude, ball, start, 0.9, o);
       }},
      {"douglas-rachford", 60,
       [&](const Options& o) { return douglas_rachford(op, scene.amplitude, ball, start, o); }},
      {"raar", 30,
       [&](const Options& o) { return sequential_raar(op, scene.amplitude, ball, start, o); }},
      {"block-kaczmarz", 40,
       [&](const Options& o) { return block_kaczmarz(op, scene.amplitude, ball, ball, start, o); }},
      {"conjugate-gradients", 40,
       [&](const Options& o) { return phase_descent<PoissonKernel>(op, scene.y, start, o); }},
      {"phaselift", 30, [&](const Options& o) { return phaselift(op, scene.y, o); }},
  };
  for (const Method& method : methods) expect_resumable(method, 1e-14);
}

/// What was ended inside an iteration is not what a whole run finds, and must not be saved.
TEST(Resume, NothingIsSavedOfAnIterationThatWasCutShort) {
  const auto dense = test::dense_trace_problem(16, 120, 2, 0.1, 5);
  const TraceProblem<DenseOperator<Complex>> problem = dense.problem();
  F start = test::random_factor<Complex>(16, 2, 99);
  start /= start.norm();
  Options options;
  options.max_iterations = 100;
  const Result<F> whole = sparse_approx_sdp(problem, start, options);
  int inside = 0, between = 0;  // of interrupts, an iteration or two
  for (int last = 20; last < 40; ++last) {
    int asked = 0;
    const Interrupt interrupt = [&] { return ++asked > last; };
    MemoryKeeper keeper, after;
    options.interrupt = &interrupt;
    options.keeper = &keeper;
    EXPECT_EQ(sparse_approx_sdp(problem, start, options).status, Status::interrupted);
    EXPECT_TRUE(keeper.has_ended());
    ++(keeper.kept.empty() ? inside : between);
    if (keeper.kept.empty()) continue;
    after.given = keeper.kept;
    options.interrupt = nullptr;
    options.keeper = &after;
    expect_same(sparse_approx_sdp(problem, start, options), whole);
  }
  EXPECT_GT(inside, 0);
  EXPECT_GT(between, 0);
}

}  // namespace
}  // namespace projfgd
