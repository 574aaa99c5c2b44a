#include "projfgd/solvers/monitor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "projfgd/core/factor.hpp"

namespace projfgd {
namespace {

/// The iteration at which a run with these objective values ends, or -1; X changes by `change`.
template <class Value>
Index stopping_iteration(double tolerance, const Value& value, double change = 5e-5) {
  Options options;
  options.objective_tolerance = tolerance;
  NoObserver nobody;
  Monitor<Matrix<double>, NoObserver> monitor(options, nobody);
  const Matrix<double> u = Matrix<double>::Ones(2, 1);
  for (Index t = 0; t < 500; ++t) {
    if (monitor.record(u, value(t), change)) return t;
  }
  return -1;
}

TEST(Monitor, EndsWhereOneOfSeveralProcessesMust) {
  int asked = 0;
  const std::function<bool(bool)> agree = [&](bool here) { return here && ++asked < 4; };
  Options options;
  options.agree = &agree;
  NoObserver nobody;
  Monitor<Matrix<double>, NoObserver> monitor(options, nobody);
  const Matrix<double> u = Matrix<double>::Ones(2, 1);
  Index rows = 1;
  while (!monitor.record(u, 1.0, 1.0)) ++rows;
  EXPECT_EQ(rows, 4);
  EXPECT_EQ(monitor.status(), Status::time_limit);
}

TEST(LevelledOff, AGeometricFallStopsWhereItsRestIsTheToleratedFraction) {
  for (const double rate : {0.3, 0.7, 0.95}) {
    for (const double tolerance : {1e-1, 1e-3, 1e-6}) {
      // f = 1 + rate^t: the rest is rate^t exactly.
      const auto t = static_cast<double>(stopping_iteration(
          tolerance, [&](Index k) { return 1 + std::pow(rate, static_cast<double>(k)); }));
      const double exact = std::max(10.0, std::log(tolerance / (1 - tolerance)) / std::log(rate));
      EXPECT_NEAR(t, exact, 1) << rate << " " << tolerance;
    }
  }
}

TEST(LevelledOff, AFallToZeroNeverStops) {
  EXPECT_EQ(stopping_iteration(0.1, [](Index k) { return std::pow(0.5, k); }), -1);
}

TEST(LevelledOff, ASlowFallIsNotTakenForTheEnd) {
  // f = 1 + 1/s with s = t + 1: two windows of five predict (s - 10) / (2 s (s - 5)) more to fall,
  // half of the truth. That is 2e-3 of f from s = 243.8 on; a fall of that much over one window
  // would have stopped at s = 50.
  EXPECT_EQ(stopping_iteration(2e-3, [](Index k) { return 1 + 1 / (1.0 + k); }), 243);
}

TEST(LevelledOff, ALongWayOfXIsNotTakenForTheEnd) {
  const auto level = [](Index k) { return 1 + std::pow(0.3, static_cast<double>(k)); };
  EXPECT_EQ(stopping_iteration(1e-3, level, 2e-4), -1);
  EXPECT_EQ(stopping_iteration(1e-3, level, 1e-4), 10);
}

TEST(LevelledOff, ARiseIsNotTakenForTheEnd) {
  EXPECT_EQ(stopping_iteration(0.1, [](Index k) { return 1 + 1e-3 * k; }), -1);
}

TEST(Stopping, LooksAtTheLongestOfTheStepsAndRecordsTheLast) {
  NoObserver nobody;
  const Options options;
  Monitor<Matrix<double>, NoObserver> monitor(options, nobody);
  const Matrix<double> u = Matrix<double>::Ones(2, 1);
  EXPECT_FALSE(monitor.record(u, 3, 1));
  EXPECT_FALSE(monitor.record(u, 2, options.tolerance / 2, 1e-3));
  EXPECT_TRUE(monitor.record(u, 1, options.tolerance / 4, options.tolerance / 2));
  EXPECT_EQ(monitor.status(), Status::converged);
  EXPECT_EQ(monitor.result(u, 1).trace[1].relative_change, options.tolerance / 2);
}

/// What a run ends with whose observer gives this answer at iteration 3; -1 where it goes on.
template <class Answer>
int status_after(Answer answer, Answer go_on) {
  const auto observer = [&](const Snapshot<Matrix<double>>& now) {
    return now.row.iteration == 3 ? answer : go_on;
  };
  const Options options;
  Monitor<Matrix<double>, decltype(observer)> monitor(options, observer);
  const Matrix<double> u = Matrix<double>::Ones(2, 1);
  for (int t = 0; t < 5; ++t) {
    if (monitor.record(u, 1.0 / (1 + t), 1)) {
      EXPECT_EQ(monitor.iterations(), 3);
      return static_cast<int>(monitor.status());
    }
  }
  return -1;
}

TEST(Stopping, AnObserverSaysWhetherItHasEnoughOrInterrupts) {
  EXPECT_EQ(status_after(Decision::enough, Decision::go_on), int(Status::converged));
  EXPECT_EQ(status_after(Decision::stop, Decision::go_on), int(Status::interrupted));
  EXPECT_EQ(status_after(Decision::go_on, Decision::go_on), -1);
}

TEST(Stopping, AnObserverThatReturnsFalseInterrupts) {
  EXPECT_EQ(status_after(false, true), int(Status::interrupted));
  EXPECT_EQ(status_after(true, true), -1);
}

}  // namespace
}  // namespace projfgd
