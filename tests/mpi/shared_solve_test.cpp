// Ranks that share the work on factors: the numbers of one process, and the same bits on all ranks.
// The ranks are threads here.
#include "jobs/common/shared_solve.hpp"

#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/common/shared_factor.hpp"
#include "jobs/common/split.hpp"
#include "projfgd/constraints/frobenius.hpp"
#include "projfgd/constraints/l1.hpp"
#include "projfgd/losses/least_squares.hpp"
#include "projfgd/operators/rank_one.hpp"
#include "projfgd/solvers/projfgd.hpp"
#include "support/support.hpp"
#include "support/thread_ranks.hpp"

namespace projfgd::test {
namespace {

using S = std::complex<double>;
using F = SharedFactor<S>;
constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr Index n = 13;
constexpr int rank_counts[] = {1, 2, 3, 5, 17};  // uneven shares of 13 rows, and too few for 17

F shared(const Matrix<S>& host) {
  F u;
  copy_from_host(host, u);
  return u;
}

void expect_same_on_all(const Ranks& ranks, const Matrix<S>& u) {
  Matrix<S> of_root = u;
  ranks.broadcast(of_root.data(), sizeof(S) * static_cast<std::size_t>(u.size()));
  EXPECT_TRUE(of_root == u);
}

TEST(SharedFactor, HasTheAlgebraOfOneProcess) {
  static_assert(Factor<F>);
  const Matrix<S> u = random_factor<S>(n, 3, 1), v = random_factor<S>(n, 3, 2),
                  small = random_factor<S>(3, 2, 3);
  const std::array<double, 2> weights{0.5, -2};
  for (const int count : rank_counts) {
    on_ranks(count, [&](const Ranks& ranks) {
      const SharedBy by(ranks);
      const F a = shared(u), b = shared(v);
      EXPECT_EQ(a.rows(), n);
      EXPECT_EQ(a.cols(), 3);
      EXPECT_TRUE(copy_to_host(a) == u);
      const double bound = 10 * epsilon * norm(u) * norm(v);
      EXPECT_NEAR(dot(a, b), dot(u, v), bound);
      EXPECT_NEAR(norm(a), norm(u), 10 * epsilon * norm(u));
      EXPECT_LE(norm(Matrix<S>(gram(a, b) - gram(u, v))), bound);
      F out;
      multiply(a, small, out);
      EXPECT_LE(norm(Matrix<S>(copy_to_host(out) - u * small)), bound);
      subtract(a, b, out);
      axpy(2, b, out);
      scale(-1, out);
      EXPECT_LE(norm(Matrix<S>(copy_to_host(out) + u + v)), bound);
      const std::array<const F*, 2> list{&a, &b};
      std::array<double, 2> along{};
      dots(FactorList<F>(list), b, std::span<double>(along));
      EXPECT_NEAR(along[0], dot(u, v), bound);
      EXPECT_NEAR(along[1], dot(v, v), 10 * epsilon * dot(v, v));
      set_zero(n, 3, out);
      axpys(std::span<const double>(weights), FactorList<F>(list), out);
      EXPECT_LE(norm(Matrix<S>(copy_to_host(out) - 0.5 * u + 2.0 * v)), bound);
      EXPECT_TRUE(all_finite(a));
      Matrix<S> broken = u;
      broken(n - 1, 0) = std::numeric_limits<double>::quiet_NaN();
      EXPECT_FALSE(all_finite(shared(broken)));  // of whichever rank has the last row
    });
  }
}

TEST(SharedFactor, IsKeptForAnyNumberOfRanks) {
  const Matrix<S> u = random_factor<S>(n, 2, 4);
  std::string kept;
  on_ranks(3, [&](const Ranks& ranks) {
    const SharedBy by(ranks);
    std::string bytes;
    Archive archive([&](std::string_view part) { bytes.append(part); });
    F a = shared(u);
    archive(a);
    if (ranks.is_root()) kept = bytes;
  });
  for (const int count : rank_counts) {
    on_ranks(count, [&](const Ranks& ranks) {
      const SharedBy by(ranks);
      Archive archive(kept, "kept");
      F a;
      archive(a);
      EXPECT_TRUE(copy_to_host(a) == u);
    });
  }
}

/// Least squares of 40 measurements of a factor of rank 2, of which each rank has a part.
Problem<S> problem_of(const Ranks& ranks, const AnyConstraint<S>& set, bool only_trace) {
  constexpr Index m = 40;
  const Matrix<S> vectors = random_factor<S>(n, m, 5).adjoint();
  Vector<double> y;
  RankOneOperator<S>(vectors).forward(random_factor<S>(n, 2, 6), y);
  const auto parts = std::make_shared<const Parts>(equal_parts(ranks, m));
  std::optional<AnyOperator<S>> own;
  std::optional<AnyLoss<double>> own_loss;
  if (parts->count() > 0) {
    own = RankOneOperator<S>(vectors.middleRows(parts->begin(), parts->count()));
    own_loss = LeastSquares<double>(parts->mine(y));
  }
  auto [op, loss] = split_over<S>(parts, n, LeastSquares<double>(y), own, own_loss);
  return {
      .op = op, .loss = loss, .set = set, .rank = 2, .trace_bound = 4, .only_trace = only_trace};
}

Result<Matrix<S>> solve(const Problem<S>& problem, const Ranks& ranks) {
  const typename MethodCall<S>::Operator op(problem.op), part = op.of(*problem.op.part());
  typename MethodCall<S>::Objective f(part, *problem.loss.part());
  MethodCall<S> call{problem, op, f, {}, {}, {}};
  call.start = [] { return Start<Matrix<S>>{random_factor<S>(n, 2, 7), 1.0}; };
  call.options.max_iterations = 15;
  call.options.tolerance = 0;
  call.options.agree = ranks.agreement();
  call.observer = [](const Snapshot<Matrix<S>>&) { return Decision::go_on; };
  call.ranks = &ranks;
  return solve_on_ranks(call, problem.set);
}

TEST(SharedSolve, IsThatOfOneProcess) {
  const std::pair<AnyConstraint<S>, bool> sets[] = {{FrobeniusBall(2), true}, {L1Ball(6), false}};
  for (const auto& [set, only_trace] : sets) {
    const Problem<S> whole = problem_of(alone(), set, only_trace);
    Composite f(whole.op, whole.loss);
    Options options;
    options.max_iterations = 15;
    options.tolerance = 0;
    const auto plain = projfgd(f, set, Start<Matrix<S>>{random_factor<S>(n, 2, 7), 1.0}, options);
    EXPECT_EQ(plain.iterations, 15);
    for (const int count : rank_counts) {
      on_ranks(count, [&, set = set, only_trace = only_trace](const Ranks& ranks) {
        const Result<Matrix<S>> found = solve(problem_of(ranks, set, only_trace), ranks);
        EXPECT_EQ(found.iterations, plain.iterations);
        EXPECT_NEAR(found.objective, plain.objective, 1e-10 * plain.objective);
        EXPECT_LE(norm(Matrix<S>(found.factor - plain.factor)), 1e-10 * norm(plain.factor));
        expect_same_on_all(ranks, found.factor);
      });
    }
  }
}

}  // namespace
}  // namespace projfgd::test
