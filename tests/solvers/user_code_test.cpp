// An f and a C that somebody wrote, and what the paper's step rules make of them.
#include "support/user_code.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "projfgd/constraints/entrywise.hpp"
#include "projfgd/constraints/l1.hpp"
#include "projfgd/constraints/none.hpp"
#include "projfgd/core/composite.hpp"
#include "projfgd/core/small_matrix.hpp"
#include "projfgd/losses/least_squares.hpp"
#include "projfgd/operators/identity.hpp"
#include "projfgd/solvers/projfgd.hpp"
#include "support/support.hpp"
#include "support/temporary_folder.hpp"

namespace projfgd {
namespace {

using namespace test::user;

struct Map {
  void (*to)(F&);
  void project(F& u) const { to(u); }
};

TEST(UserCode, ASetThatIsNoneIsRefusedByEveryRule) {
  auto f = nearest_to<double>(F::Identity(4, 4));
  for (const StepRule rule : rules) {
    const auto solve = [&](void (*to)(F&)) {
      const Start<F> start{test::random_factor<double>(4, 2, 1), 1};
      return projfgd(f, Map{to}, start, with(rule));
    };
    EXPECT_THROWS_WITH(solve([](F& u) { u = F(u.transpose()); }), InputError,
                       "found a result of 2 x 4, expected the shape 4 x 2");
    EXPECT_THROWS_WITH(solve([](F& u) { u /= 2; }), InputError,
                       "a second projection moves the result");
    EXPECT_THROWS_WITH(solve([](F& u) { u.array() -= 1; }), InputError,
                       "a second projection moves the result");
    EXPECT_NO_THROW(solve([](F& u) { u = u.cwiseMax(0.0); }));
  }
}

// A step multiplies U, so that from 0 none leads anywhere.
TEST(UserCode, PaperRulesStopWhereUIsZero) {
  auto f = nearest_to<double>(F::Identity(4, 4));
  const Map to_zero{[](F& u) { u.setZero(); }};
  for (const StepRule rule : {StepRule::theory, StepRule::theory_adaptive, StepRule::constant}) {
    const auto start = [](const F& u) { return Start<F>{u, 1}; };
    for (const auto& result :
         {projfgd(f, Unconstrained(), start(F::Zero(4, 2)), with(rule)),
          projfgd(f, to_zero, start(test::random_factor<double>(4, 2, 1)), with(rule))}) {
      EXPECT_EQ(result.status, Status::stalled) << static_cast<int>(rule);
      EXPECT_EQ(norm(result.factor), 0);
      EXPECT_EQ(result.objective, 2);
      EXPECT_LE(result.iterations, 1);
    }
  }
}

/// Infinite everywhere, and without a gradient to give there.
struct Nowhere {
  using Factor = F;
  int gradients = 0;
  Index rows() const { return 4; }
  double at(const F&) { return std::numeric_limits<double>::infinity(); }
  void gradient_times(const F& v, F& g) {
    ++gradients;
    g = v;
  }
};

TEST(UserCode, NoGradientIsAskedForWhereFIsInfinite) {
  for (const StepRule rule : rules) {
    Nowhere f;
    const auto result = projfgd(f, Unconstrained(), Start<F>{F::Ones(4, 2), 1}, with(rule));
    EXPECT_EQ(result.status, Status::diverged);
    EXPECT_NE(result.message.find("f is not finite at the start"), std::string::npos)
        << result.message;
    EXPECT_EQ(result.message.find("iteration"), std::string::npos) << result.message;
    EXPECT_EQ(result.factor.rows(), 4);
    EXPECT_EQ(f.gradients, 0);
  }
}

/// -||U||^2, which falls for ever.
struct Falling {
  using Factor = F;
  Index rows() const { return 10; }
  double at(const F& u) { return -u.squaredNorm(); }
  void gradient_times(const F& v, F& g) const { g = -v; }
};

TEST(UserCode, AnFThatFallsWithoutBoundIsCalledSo) {
  Falling f;
  const auto result =
      projfgd(f, Unconstrained(), Start<F>{test::random_factor<double>(10, 2, 1), 1});
  EXPECT_EQ(result.status, Status::diverged);
  EXPECT_EQ(result.message, "f decreases without bound");
}

// f(t) grows without bound when the step is too long; what is returned is the best point seen.
TEST(UserCode, ADivergedRunReturnsItsBestPoint) {
  auto f = nearest_to<double>(F::Identity(4, 4));
  Options options = with(StepRule::constant);
  options.step_size = 100;
  const F u = 0.3 * test::random_factor<double>(4, 2, 1);
  const auto result = projfgd(f, Unconstrained(), Start<F>{u, 1}, options);
  EXPECT_EQ(result.status, Status::diverged);
  EXPECT_LE(result.objective, f.at(u));
  EXPECT_EQ(result.objective, f.at(result.factor));
}

TEST(UserCode, TheGradientToleranceHoldsForEveryRule) {
  auto f = nearest_to<double>(F::Identity(4, 4));
  for (const StepRule rule : rules) {
    Options options = with(rule);
    options.step_size = 0.1;
    options.step_constant = 8;
    options.tolerance = 0;
    options.gradient_tolerance = 1e-3;
    const auto result = projfgd(f, Unconstrained(), Start<F>{0.5 * F::Identity(4, 4), 1}, options);
    EXPECT_EQ(result.status, Status::converged) << static_cast<int>(rule);
    EXPECT_EQ(result.message, "the projected gradient fell below the tolerance");
    EXPECT_LT(result.iterations, 2000);
  }
}

// An eigenvector has either sign, and of the wrong one nothing is left in the set.
TEST(UserCode, ANonnegativeStartDoesNotDependOnTheSignOfAnEigenvector) {
  const Vector<double> d{{1.053, 1.776, -2.553, -0.138}};
  auto f = nearest_to<double>(F(d.asDiagonal()));
  // U = sqrt(1.776) e_2 leaves the other three.
  const double best = (d.squaredNorm() - d[1] * d[1]) / 2;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Options options;
    options.seed = seed;
    EXPECT_NEAR(projfgd(f, Nonnegative(), 1, options).objective, best, 1e-6) << seed;
  }
}

/// Knows G U for the U it was given last, as a function of U alone does.
struct OfUAlone {
  using Factor = F;
  using OnlyTimesItsPoint = void;
  F point = {};
  Index rows() const { return 4; }
  double at(const F& u) {
    point = u;
    return (u * u.transpose() - F::Identity(4, 4)).squaredNorm() / 2;
  }
  void gradient_times(const F& v, F& g) const {
    EXPECT_TRUE(v == point);
    g = (point * point.transpose() - F::Identity(4, 4)) * point;
  }
};
static_assert(Objective<OfUAlone> && !KnowsGradientMap<OfUAlone>);

TEST(UserCode, AFunctionOfUAloneIsAskedForNoOtherProduct) {
  OfUAlone f;
  F u = F::Zero(4, 3);
  u(0, 0) = u(1, 1) = 2;
  u(2, 2) = 1e-9;  // a rank that is lost
  const auto result = projfgd(f, Unconstrained(), Start<F>{u, 1});
  EXPECT_EQ(result.status, Status::converged);
  EXPECT_NEAR(result.objective, 0.5, 1e-8);
  for (const StepRule rule : {StepRule::theory, StepRule::theory_adaptive}) {
    EXPECT_THROWS_WITH(projfgd(f, Unconstrained(), Start<F>{u, 1}, with(rule)), InputError,
                       "found a theory rule");
  }
}

TEST(UserCode, AFunctionOfUAloneNeedsNoStart) {
  OfUAlone f;
  const auto result = projfgd(f, Unconstrained(), 3);
  EXPECT_EQ(result.status, Status::converged);
  EXPECT_NEAR(result.objective, 0.5, 1e-8);
  const auto from_zero = projfgd(f, Unconstrained(), Start<F>{F::Zero(4, 3), 0});
  EXPECT_NEAR(from_zero.objective, 0.5, 1e-8);
}

/// <W, X>, which has no minimum without a set.
template <class S>
struct Linear {
  using Factor = Matrix<S>;
  Factor w;
  Factor point = {};
  Index rows() const { return w.rows(); }
  double at(const Factor& u) {
    point = u;
    return static_cast<double>(dot(u, Factor(w * u)));
  }
  void gradient_times(const Factor& v, Factor& g) const { g = w * v; }
};

struct UnitBall {
  template <class S>
  void project(Matrix<S>& u) const {
    if (u.norm() > 1) u /= u.norm();
  }
};

TEST(UserCode, AFunctionWithoutALowerBoundIsSaidToFall) {
  Linear<double> f{test::random_factor<double>(5, 5, 1)};
  f.w = (f.w + f.w.transpose()).eval();
  const F u = test::random_factor<double>(5, 2, 2);
  for (const StepRule rule : {StepRule::automatic, StepRule::constant}) {
    Options options = with(rule);
    options.step_size = 0.05;
    options.max_iterations = 20'000;
    const auto result = projfgd(f, Unconstrained(), Start<F>{u, 1}, options);
    EXPECT_EQ(result.status, Status::diverged) << static_cast<int>(rule);
    EXPECT_NE(std::string(result.message).find("f decreases without bound"), std::string::npos)
        << result.message;
    EXPECT_TRUE(result.factor.allFinite());
    EXPECT_EQ(result.factor.rows(), 5);
    EXPECT_TRUE(std::isfinite(result.objective));
  }
}

template <class S>
void expect_lowest_eigenvalue() {
  Linear<S> f{test::random_factor<S>(5, 5, 1)};
  f.w = (f.w + f.w.transpose()).eval();
  const auto result = projfgd(f, UnitBall(), 1);
  const double lowest = hermitian_eigenvalues(Matrix<double>(f.w.template cast<double>()))[0];
  EXPECT_NEAR(result.objective, lowest, 1e-3 * std::abs(lowest));
}

TEST(UserCode, ALinearFunctionOnABallHasItsMinimumInBothPrecisions) {
  expect_lowest_eigenvalue<float>();
  expect_lowest_eigenvalue<double>();
}

/// Right for some calls, and then not finite.
struct Breaking {
  using Factor = F;
  F target;
  int calls_left = 3;
  F point = {};
  Index rows() const { return target.rows(); }
  double at(const F& u) {
    point = u;
    return (u * u.transpose() - target).squaredNorm() / 2;
  }
  void gradient_times(const F& v, F& g) {
    g = (point * point.transpose() - target) * v;
    if (calls_left-- <= 0) g(0, 0) = std::nan("");
  }
};

TEST(UserCode, AGradientThatBreaksOnTheWayIsSeenByEveryRule) {
  for (const StepRule rule :
       {StepRule::automatic, StepRule::theory, StepRule::theory_adaptive, StepRule::constant}) {
    Breaking f{F::Identity(4, 4), 3};
    Options options = with(rule);
    options.step_size = 0.01;
    const auto result =
        projfgd(f, NonnegativeL1Ball(3), Start<F>{F::Constant(4, 1, 0.3), 1}, options);
    EXPECT_EQ(result.status, Status::diverged) << static_cast<int>(rule);
    EXPECT_NE(std::string(result.message).find("the gradient of f is not finite"),
              std::string::npos)
        << result.message;
    EXPECT_TRUE(result.factor.allFinite());
  }
}

/// The same of a projection.
struct BreakingSet {
  int* calls_left;
  void project(F& u) const {
    u = u.cwiseMax(0);
    if ((*calls_left)-- <= 0) u(0, 0) = std::nan("");
  }
};

TEST(UserCode, AProjectionThatIsNotFiniteIsSeen) {
  const F b = test::random_factor<double>(4, 4, 4);
  for (const StepRule rule : {StepRule::automatic, StepRule::constant}) {
    auto f = nearest_to<double>(F(b * b.transpose()));
    Options options = with(rule);
    options.step_size = 1e-3;
    int calls = 9;
    const Start<F> start{test::random_factor<double>(4, 2, 2), 0};
    const auto result = projfgd(f, BreakingSet{&calls}, start, options);
    EXPECT_EQ(result.status, Status::diverged) << static_cast<int>(rule);
    EXPECT_NE(std::string(result.message).find("the projection of a point is not finite"),
              std::string::npos)
        << result.message;
    int none = 0;
    EXPECT_THROWS_WITH(projfgd(f, BreakingSet{&none}, start, options), InputError,
                       "project: found numbers that are not finite");
  }
}

TEST(UserCode, AProjectionThatBreaksWhereFDoesNotLookIsSeen) {
  const auto f_without_row = [](const F& u) -> double { return u.bottomRows(3).squaredNorm(); };
  struct Blind {
    using Factor = F;
    double (*f)(const F&);
    Index rows() const { return 4; }
    double at(const F& u) const { return f(u); }
    void gradient_times(const F& v, F& g) const {
      g = v;
      g.row(0).setZero();
    }
  };
  for (const StepRule rule : {StepRule::automatic, StepRule::constant}) {
    Blind f{f_without_row};
    Options options = with(rule);
    options.step_size = 0.1;
    int calls = rule == StepRule::automatic ? 4 : 9;  // of a few that it takes
    const auto result = projfgd(f, BreakingSet{&calls}, Start<F>{F::Ones(4, 2), 0}, options);
    EXPECT_EQ(result.status, Status::diverged) << static_cast<int>(rule);
    EXPECT_EQ(result.message, "the projection of a point is not finite");
  }
}

}  // namespace
}  // namespace projfgd
