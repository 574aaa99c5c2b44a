// The promise of the step rule `auto`: nothing to tune, for any problem of this library.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <iostream>

#include "projfgd/core/composite.hpp"
#include "projfgd/core/threads.hpp"
#include "projfgd/operators/counting.hpp"
#include "projfgd/solvers/projfgd.hpp"
#include "support/random_problem.hpp"
#include "support/temporary_folder.hpp"
#include "support/watch.hpp"

namespace projfgd::test {
namespace {

/// ||U - P(U - gamma G)||_F / gamma with a gamma of the test's own.
template <class S, class O>
double projected_gradient(O& f, const AnyConstraint<S>& set, const Matrix<S>& u, double gamma) {
  Matrix<S> g;
  f.at(u);
  f.gradient_times(u, g);
  Matrix<S> moved = u - gamma * g;
  set.project(moved);
  return (u - moved).norm() / gamma;
}

/// The operator of all these problems, so that the solver is compiled once for each scalar.
template <class S>
using Counted = CountingOperator<AnyOperator<S>>;

struct Plain {
  double objective;
  Index calls;
};

/// Projected gradient steps with a constant step that is halved whenever it turns out too long.
/// Ends early only where the iterate changes no more than by rounding.
template <class S, class O>
Plain plain_method(O& f, const AnyConstraint<S>& set, Matrix<S> u, double eta, Index iterations) {
  Matrix<S> g, next;
  double value = f.at(u);
  Index calls = 1;
  for (Index t = 0; t < iterations; ++t) {
    f.gradient_times(u, g);
    ++calls;
    while (true) {
      next = u - eta * g;
      set.project(next);
      const double new_value = f.at(next), moved = (next - u).squaredNorm();
      ++calls;
      if (moved <= 1e-28 * u.squaredNorm()) return {value, calls};
      if (new_value <= value - moved / (4 * eta) + 1e-14 * std::abs(value)) {
        value = new_value;
        break;
      }
      eta /= 2;
      f.at(u);
    }
    std::swap(u, next);
  }
  return {value, calls};
}

struct Tally {
  int stationary = 0, monotone = 0, feasible = 0, as_good = 0, tenth = 0;
  std::vector<double> ratios;  // oracle calls over those that the plain method really made
};

/// Of every step-th value.
double median(const std::vector<double>& values, std::size_t first, std::size_t step) {
  std::vector<double> chosen;
  for (std::size_t k = first; k < values.size(); k += step) chosen.push_back(values[k]);
  std::sort(chosen.begin(), chosen.end());
  return chosen[chosen.size() / 2];
}

template <class S>
void check(std::uint64_t k, Tally& tally) {
  const Problem<S> problem = random_problem<S>(k);
  const Counted<S> op(problem.op);
  Composite f(op, problem.loss);
  const auto start =
      k % 2 == 0 ? spectral_start(f, problem.rank) : random_start(f, problem.rank, k);
  Matrix<S> first = start.factor;
  problem.set.project(first);
  const double first_value = f.at(first);
  Matrix<S> g;
  f.gradient_times(first, g);
  const double gamma = 0.1 * first.norm() / g.norm();
  const double first_gradient = projected_gradient(f, problem.set, first, gamma);
  f.start_times(first, g);  // one of the two terms that cancel in the gradient: its rounding
  const double rounding = 1e-14 * g.norm();

  bool feasible = true, monotone = true;
  double before = std::numeric_limits<double>::infinity();
  const Watch<S> watch = [&](const Snapshot<Matrix<S>>& now) {
    Matrix<S> projected = now.factor;
    problem.set.project(projected);
    if (!((projected - now.factor).norm() <= 1e-12 * now.factor.norm())) feasible = false;
    const double allowance = 1e-12 * std::abs(before) + 1e-15 * std::abs(first_value);
    if (!(now.row.objective <= before + allowance)) monotone = false;
    before = now.row.objective;
    return true;
  };
  Options options;
  options.tolerance = 0;
  options.gradient_tolerance = 5e-9;
  options.max_iterations = 2000;
  op.reset_counts();
  const auto result = projfgd(f, problem.set, start, options, watch);
  const Index calls = op.counts().forward + op.counts().adjoint;
  const double last = projected_gradient(f, problem.set, result.factor, gamma);
  const bool stationary = last <= std::max(1e-8 * first_gradient, rounding);

  constexpr Index plain_iterations = 20000;
  const Plain plain = plain_method(f, problem.set, first, 4 * gamma, plain_iterations);
  const bool as_good = result.objective <= plain.objective + 1e-9 * std::abs(first_value);
  const bool tenth = 10 * calls <= 2 * plain_iterations;
  tally.stationary += stationary;
  tally.monotone += monotone;
  tally.feasible += feasible;
  tally.as_good += as_good;
  tally.tenth += tenth;
  tally.ratios.push_back(static_cast<double>(calls) / static_cast<double>(plain.calls));
  if (!stationary || !monotone || !feasible || !as_good || !tenth) {
    std::cout << "problem " << k << ", " << problem.name << ": " << calls << " calls of "
              << plain.calls << ", objective " << first_value << " to " << result.objective
              << ", plain " << plain.objective << ", projected gradient " << first_gradient
              << " to " << last << (stationary ? "" : ", NOT STATIONARY")
              << (monotone ? "" : ", RISES") << (feasible ? "" : ", INFEASIBLE")
              << (as_good ? "" : ", WORSE") << (tenth ? "" : ", TOO MANY CALLS") << "; "
              << result.message << "\n";
  }
}

constexpr int problems = 200;

/// Every third problem over the complex numbers, the others over the reals, on one thread.
Tally over_problems(void (*complex)(std::uint64_t, Tally&), void (*real)(std::uint64_t, Tally&)) {
  const int threads_before = threads();
  set_threads(1);
  Tally tally;
  for (int k = 0; k < problems; ++k) (k % 3 == 0 ? complex : real)(k, tally);
  set_threads(threads_before);
  return tally;
}

TEST(Automatic, KeepsItsPromiseOnTwoHundredRandomProblems) {
  const Tally tally = over_problems(check<std::complex<double>>, check<double>);
  std::cout << "stationary " << tally.stationary << ", monotone " << tally.monotone << ", feasible "
            << tally.feasible << ", as good " << tally.as_good << ", in a tenth " << tally.tenth
            << ", median ratio of calls " << median(tally.ratios, 0, 1) << "\n";
  EXPECT_EQ(tally.stationary, problems);
  EXPECT_EQ(tally.monotone, problems);
  EXPECT_EQ(tally.feasible, problems);
  EXPECT_EQ(tally.tenth, problems);
  // A tenth is for the hardest problem; most need far fewer.
  EXPECT_LE(median(tally.ratios, 0, 1), 0.05);
  const double most[] = {0.05, 0.055, 0.05, 0.07};  // dense, rank-one, entries, identity
  for (std::size_t kind = 0; kind < 4; ++kind) {
    EXPECT_LE(median(tally.ratios, kind, 4), most[kind]) << "operator " << kind;
  }
  // Both methods may end in different local minima.
  EXPECT_GE(tally.as_good, problems - 1);
}

/// Solves problem k in single precision, and from there in double, which must gain no more than
/// what the steps themselves take for rounding.
template <class S, class Wide>
void check_single(std::uint64_t k, Tally& tally) {
  const Problem<S> problem = random_problem<S>(k);
  const Counted<S> op(problem.op);
  Composite f(op, problem.loss);
  bool feasible = true;
  const Watch<S> watch = [&](const Snapshot<Matrix<S>>& now) {
    Matrix<S> projected = now.factor;
    problem.set.project(projected);
    if (!((projected - now.factor).norm() <= 1e-5F * now.factor.norm())) feasible = false;
    return true;
  };
  const auto result = projfgd(f, problem.set, problem.rank, {}, watch);
  const Problem<Wide> wide = random_problem<Wide>(k);
  const Counted<Wide> wide_op(wide.op);
  Composite wide_f(wide_op, wide.loss);
  Start<Matrix<Wide>> start{result.factor.template cast<Wide>(), 1};
  wide.set.project(start.factor);
  Matrix<Wide> g;
  const double value = wide_f.at(start.factor);
  wide_f.start_times(start.factor, g);  // one of the terms that cancel in the gradient
  const double rounding = 20 * double(std::numeric_limits<float>::epsilon()) *
                          (std::abs(value) + g.norm() * start.factor.norm());
  Options options;
  options.tolerance = 1e-10;
  const auto better = projfgd(wide_f, wide.set, start, options, nobody<Wide>());
  tally.feasible += feasible;
  tally.stationary += result.status == Status::converged;
  tally.as_good += value - better.objective <= rounding;
}

TEST(Automatic, SinglePrecisionEndsWhereItsRoundingBegins) {
  const Tally tally = over_problems(check_single<std::complex<float>, std::complex<double>>,
                                    check_single<float, double>);
  EXPECT_EQ(tally.feasible, problems);
  EXPECT_EQ(tally.stationary, problems);
  EXPECT_GE(tally.as_good, problems - 1);  // where it ended on a saddle, double precision goes on
}

// One datum is up to a thousand times as sure as the others: steps are short long before the end.
TEST(Automatic, FollowsANarrowValleyToItsEnd) {
  using C = std::complex<double>;
  Matrix<C> x(2, 2), y(2, 2), z(2, 2);
  x << 0, 1, 1, 0;
  y << 0, C(0, -1), C(0, 1), 0;
  z << 1, 0, 0, -1;
  const Counted<C> op(DenseOperator<C>(std::vector<Matrix<C>>{x, y, z}));
  const AnyConstraint<C> ball = FrobeniusBall(1);
  for (const double weight : {1.0, 1e2, 1e4}) {
    for (const double second : {0.7, 0.9, 0.97}) {
      const Vector<double> data{{0.5, second, 0.1}}, weights{{1e6, weight, weight}};
      Composite f(op, AnyLoss<double>(WeightedLeastSquares<double>(data, weights)));
      Options options;
      options.tolerance = 1e-8;
      const auto result = projfgd(f, ball, spectral_start(f, 2), options, nobody<C>());
      // The states are the unit ball about 0; with the first datum kept, the nearest one has
      // sqrt(1 - 0.5^2) along the others. Giving the first up a little gains a share of the
      // weights' ratio.
      const double gap = std::max(0.0, std::hypot(second, 0.1) - std::sqrt(0.75));
      const double expected = weight * gap * gap / 2;
      EXPECT_NEAR(result.objective, expected, 2 * weight / 1e6 * expected + 1e-6) << second;
    }
  }
}

/// 1/2 ||U U^T - I||^2 of somebody who made a mistake.
struct Mistaken {
  using Factor = Matrix<double>;
  enum class Kind { value, value_later, infinite, gradient } kind;
  int calls = 0;
  Factor x = {};

  Index rows() const { return 5; }
  double at(const Factor& u) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    x = u * u.transpose() - Factor::Identity(5, 5);
    ++calls;
    if (kind == Kind::value || (kind == Kind::value_later && calls > 6)) return nan;
    if (kind == Kind::infinite) return std::numeric_limits<double>::infinity();
    return x.squaredNorm() / 2;
  }
  void gradient_times(const Factor& v, Factor& g) const {
    g = x * v;
    if (kind == Kind::gradient) g(0, 0) = std::numeric_limits<double>::quiet_NaN();
  }
};

TEST(Automatic, WhatIsNotFiniteIsNotCalledConverged) {
  using enum Mistaken::Kind;
  for (const auto kind : {value, value_later, infinite, gradient}) {
    Mistaken f{kind};
    const auto result = projfgd(f, FrobeniusBall(2), 2);
    EXPECT_EQ(result.status, Status::diverged) << static_cast<int>(kind);
  }
}

/// tr X - sum_i log X_ii: infinite at 0 and finite about it.
struct Barrier {
  using Factor = Matrix<double>;
  Vector<double> diagonal = {};

  Index rows() const { return 5; }
  double at(const Factor& u) {
    diagonal = u.rowwise().squaredNorm();
    return diagonal.sum() - diagonal.array().log().sum();
  }
  void gradient_times(const Factor& v, Factor& g) const {
    g = (1 - diagonal.array().inverse()).matrix().asDiagonal() * v;
  }
};

TEST(Automatic, ABarrierMayBeInfiniteAtZero) {
  Barrier f;
  const auto result = projfgd(f, Unconstrained(), 2);
  EXPECT_EQ(result.status, Status::converged);
  EXPECT_NEAR(result.objective, 5, 1e-8);  // X_ii = 1
}

struct Transposing {
  void project(Matrix<double>& u) const { u = Matrix<double>(u.transpose()); }
};

TEST(Automatic, ASetMustKeepTheShape) {
  Barrier f;
  EXPECT_THROWS_WITH(projfgd(f, Transposing(), 2), InputError,
                     "found a result of 2 x 5, expected the shape 5 x 2");
}

/// 1/2 ||U U^T - I||^2 whose author forgot the shape of U.
struct Misshapen : Mistaken {
  void gradient_times(const Factor&, Factor& g) const { g = Factor::Zero(3, 1); }
};

TEST(Automatic, StartsAndGradientsOfOtherShapesAreRefused) {
  const auto random = [](Index rows, Index columns) {
    return Start<Matrix<double>>{Matrix<double>::Random(rows, columns), 1};
  };
  for (const StepRule step : {StepRule::automatic, StepRule::theory}) {
    Options options;
    options.step = step;
    Barrier f;
    EXPECT_THROWS_WITH(projfgd(f, Unconstrained(), random(7, 1), options), InputError, "rows");
    EXPECT_THROWS_WITH(projfgd(f, Unconstrained(), random(5, 6), options), InputError, "rank");
    Misshapen g;
    g.kind = Mistaken::Kind::value_later;
    EXPECT_THROWS_WITH(projfgd(g, Unconstrained(), random(5, 2), options), InputError,
                       "gradient_times");
  }
}

// L does not depend on the data, and the theory's step is safe with it from any start.
TEST(Automatic, TheoryKnowsLFromAnyStart) {
  const Matrix<double> truth = random_factor<double>(12, 1, 5);
  for (const double unit : {1e-4, 1.0, 1e5}) {
    const IdentityOperator<double> op(12);
    Composite f(op, LeastSquares<double>(op.coordinates(unit * truth * truth.transpose())));
    EXPECT_NEAR(curvature_along(f, random_start(f, 1, 3).factor), 1, 1e-12);
    for (const StepRule step : {StepRule::theory, StepRule::theory_adaptive}) {
      Options options;
      options.step = step;
      options.tolerance = 1e-9;
      options.max_iterations = 20'000;
      for (auto start :
           {random_start(f, 1, 3), Start<Matrix<double>>{std::sqrt(unit) * truth, 0}}) {
        start.factor += 0.1 * start.factor.norm() * random_factor<double>(12, 1, 8);
        const auto result = projfgd(f, Unconstrained(), std::move(start), options);
        EXPECT_EQ(result.status, Status::converged) << unit;
        EXPECT_LE(relative_error(result.factor, Matrix<double>(std::sqrt(unit) * truth)), 1e-5)
            << unit;
      }
    }
  }
}

/// Starts that a gradient cannot leave: it must get away from them all the same.
template <class S>
class BadStarts : public ::testing::Test {
 protected:
  const Index n = 12;
  const Matrix<S> truth = random_factor<S>(n, 2, 1);
  const IdentityOperator<S> op{n};

  double error_from(const Matrix<S>& start) {
    Vector<double> y;
    op.forward(truth, y);
    Composite f(op, LeastSquares<double>(y));
    Options options;
    options.tolerance = 1e-12;
    return relative_error(projfgd(f, Unconstrained(), Start<Matrix<S>>{start, 1}, options).factor,
                          truth);
  }
};
using Scalars = ::testing::Types<double, std::complex<double>>;
TYPED_TEST_SUITE(BadStarts, Scalars);

TYPED_TEST(BadStarts, Zero) {
  EXPECT_LE(this->error_from(Matrix<TypeParam>::Zero(this->n, 2)), 1e-9);
}

TYPED_TEST(BadStarts, ZeroColumnAndEqualColumns) {
  Matrix<TypeParam> u = random_factor<TypeParam>(this->n, 2, 2);
  u.col(1).setZero();
  EXPECT_LE(this->error_from(u), 1e-9);
  u.col(1) = u.col(0);
  EXPECT_LE(this->error_from(u), 1e-9);
}

TYPED_TEST(BadStarts, OrthogonalToTheSolution) {
  using S = TypeParam;
  const Matrix<S> basis = hermitian_eigen<S>(this->truth * this->truth.adjoint()).vectors;
  EXPECT_LE(this->error_from(basis.leftCols(2)), 1e-9);  // of the eigenvalue 0
  Matrix<S> half = this->truth;                          // one column right, the other orthogonal
  half.col(1) = basis.col(1);
  EXPECT_LE(this->error_from(half), 1e-9);
}

}  // namespace
}  // namespace projfgd::test
