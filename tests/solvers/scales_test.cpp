// Starts, steps and an L that are far too large or far too small.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "projfgd/constraints/l1.hpp"
#include "projfgd/constraints/none.hpp"
#include "projfgd/operators/entries.hpp"
#include "projfgd/solvers/projfgd.hpp"
#include "support/support.hpp"
#include "support/temporary_folder.hpp"
#include "support/user_code.hpp"

namespace projfgd {
namespace {

using namespace test::user;

TEST(Scales, ShortStepsAreNotTakenForTheEnd) {
  auto f = nearest_to<double>(F::Identity(4, 4));
  Options options = with(StepRule::constant);
  options.step_size = 1e-9;
  const Start<F> start{test::random_factor<double>(4, 2, 2), 0};
  const auto result = projfgd(f, Unconstrained(), start, options);
  EXPECT_EQ(result.status, Status::stalled);
  EXPECT_NE(std::string(result.message).find("shorter than the tolerance"), std::string::npos);
  F solution = F::Zero(4, 2);
  solution(0, 0) = solution(1, 1) = 1;
  EXPECT_EQ(projfgd(f, Unconstrained(), Start<F>{solution, 0}, options).status, Status::converged);
}

TEST(Scales, StepsThatAreLostInRoundingAreNotTakenForTheEnd) {
  for (const double length : {1e-20, 1e-100, 1e-310}) {
    auto f = nearest_to<double>(F::Identity(4, 4));
    Options options = with(StepRule::constant);
    options.step_size = length;
    const Start<F> start{test::random_factor<double>(4, 2, 2), 0};
    EXPECT_EQ(projfgd(f, Unconstrained(), start, options).status, Status::stalled) << length;
  }
}

// The gradient of a U that is far too large has fallen for that reason alone.
TEST(Scales, ShortStepsFromALargeStartAreNotTakenForTheEnd) {
  const F target = Eigen::Vector4d(3, 2, 1, -1).asDiagonal();
  for (const double size : {100.0, 1e5}) {
    auto f = nearest_to(target);
    Options options = with(StepRule::theory);
    options.max_iterations = 300'000;
    const Start<F> start{size * test::random_factor<double>(4, 2, 2), 1};
    const auto result = projfgd(f, Unconstrained(), start, options);
    EXPECT_TRUE(result.status == Status::stalled || result.objective <= 1.1)
        << size << ": " << result.objective << ", " << result.message;
  }
}

TEST(Scales, AStepThatIsTooLongIsNotBlamedOnTheGradientInSinglePrecisionEither) {
  auto f = nearest_to<float>(Matrix<float>::Identity(4, 4));
  Options options = with(StepRule::constant);
  const Matrix<float> u = 1e3F * test::random_factor<float>(4, 2, 2);
  const auto result = projfgd(f, Unconstrained(), Start<Matrix<float>>{u, 0}, options);
  EXPECT_EQ(result.status, Status::diverged);
  EXPECT_NE(result.message.find("the step size is too large"), std::string::npos) << result.message;
}

TEST(Scales, LargeStartsInSinglePrecisionAreNotCalledInfinite) {
  auto f = nearest_to<float>(Matrix<float>::Identity(4, 4));
  const Matrix<float> u = 1e6F * test::random_factor<float>(4, 4, 2);
  const auto result = projfgd(f, Unconstrained(), Start<Matrix<float>>{u, 0});
  EXPECT_EQ(result.status, Status::converged) << result.message;
  EXPECT_LE(result.objective, 1e-3);
}

TEST(Scales, AStepThatIsTooLongIsNotBlamedOnTheGradient) {
  for (const double length : {3.0, 30.0, 1e3, 1e5}) {
    auto f = nearest_to<double>(F::Identity(4, 4));
    Options options = with(StepRule::constant);
    options.step_size = length;
    const F u = test::random_factor<double>(4, 2, 2);
    const auto result = projfgd(f, Unconstrained(), Start<F>{u, 0}, options);
    EXPECT_EQ(result.status, Status::diverged) << length;
    EXPECT_NE(result.message.find("the step size is too large"), std::string::npos)
        << result.message;
    EXPECT_LE(result.objective, f.at(u));
  }
}

TEST(Scales, AnLFarTooLargeDoesNotEndTheRun) {
  for (const double l : {1e20, 1e300}) {
    auto f = nearest_to<double>(F::Identity(4, 4));
    const Start<F> start{test::random_factor<double>(4, 4, 2), l};
    EXPECT_LE(projfgd(f, Unconstrained(), start).objective, 1e-9) << l;
  }
}

/// tr X - sum_i log X_ii, with its minimum where every X_ii is 1.
template <class S>
struct Barrier {
  using Factor = Matrix<S>;
  Vector<double> diagonal = {};

  Index rows() const { return 6; }
  double at(const Factor& u) {
    diagonal = u.template cast<double>().rowwise().squaredNorm();
    return (diagonal.array() - diagonal.array().log()).sum();
  }
  void gradient_times(const Factor& v, Factor& g) const {
    g = (1 - diagonal.array().inverse()).matrix().template cast<S>().asDiagonal() * v;
  }
};

// Beside the gradient of a start at the edge of the domain every other is small.
TEST(Scales, AStartAtTheEdgeOfABarrierDoesNotEndTheRun) {
  for (const double size : {1e-12, 1e-9, 1e-6, 1.0}) {
    Barrier<double> f;
    const Start<F> start{size * test::random_factor<double>(6, 2, 3), 0};
    const auto result = projfgd(f, Unconstrained(), start);
    EXPECT_EQ(result.status, Status::converged) << size;
    EXPECT_NEAR(result.objective, 6, 1e-8) << size << ": " << result.message;
  }
}

TEST(Scales, ATinyStartInSinglePrecisionIsLeft) {
  for (const float size : {1e-12F, 1e-18F}) {
    auto f = nearest_to<float>(Matrix<float>::Identity(4, 4));
    const Start<Matrix<float>> start{size * test::random_factor<float>(4, 4, 2), 0};
    EXPECT_LE(projfgd(f, Unconstrained(), start).objective, 1e-4) << size;
    Matrix<float> one = start.factor;
    one.rightCols(3).setZero();
    EXPECT_LE(projfgd(f, Unconstrained(), Start<Matrix<float>>{one, 0}).objective, 1e-4) << size;
  }
}

// Where an entry is not known nothing takes a start back that is far too large there.
TEST(Scales, ALargeStartWithAnUnknownEntryGoesDown) {
  using Place = EntriesOperator<double>::Place;
  const std::vector<Place> places{{0, 0}, {1, 0}, {1, 1}, {2, 1}};
  const EntriesOperator<double> op(3, places);
  const Vector<double> y{{1, 2, 4, 6}};
  for (const double size : {1e4, 1e6}) {
    Composite f(op, LeastSquares<double>(y));
    Options options;
    options.tolerance = 1e-12;
    const auto result = projfgd(f, Unconstrained(), Start<F>{size * F::Ones(3, 1), 0}, options);
    EXPECT_LE(result.objective, y.squaredNorm()) << size << ": " << result.message;
  }
}

TEST(Scales, TheProjectedGradientOfALargeStartsRunIsThatOfItsAnswer) {
  for (const double size : {1e5, 1e9}) {
    auto f = nearest_to<double>(F::Identity(4, 4));
    const auto result =
        projfgd(f, Unconstrained(), Start<F>{size * test::random_factor<double>(4, 2, 3), 0});
    F g;
    f.at(result.factor);
    f.gradient_times(result.factor, g);
    EXPECT_NEAR(result.projected_gradient, g.norm(), 1e-3 * g.norm() + 1e-12) << size;
  }
}

TEST(Scales, AnLWithoutASenseIsRefused) {
  auto f = nearest_to<double>(F::Identity(4, 4));
  for (const double l : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROWS_WITH(projfgd(f, Unconstrained(), Start<F>{F::Ones(4, 1), l}), InputError,
                       "smoothness");
  }
}

TEST(Scales, AStartOfAnotherScaleDoesNotEndTheRun) {
  F b = F::Zero(4, 4);
  b.diagonal() << 3, 2, 1, -1;
  const double best = (1 + 1) / 2.0;  // the two largest are met
  for (const double size : {1e-6, 1.0, 1e3, 1e5, 1e7}) {
    auto f = nearest_to(b);
    const F u = size * test::random_factor<double>(4, 2, 3);
    const auto result = projfgd(f, Unconstrained(), Start<F>{u, 0});
    EXPECT_EQ(result.status, Status::converged) << size;
    EXPECT_NEAR(result.objective, best, 1e-6) << size;
  }
}

}  // namespace
}  // namespace projfgd
