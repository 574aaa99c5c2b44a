#include "projfgd/measures/optimality.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "projfgd/core/any.hpp"
#include "projfgd/core/random.hpp"
#include "projfgd/losses/least_squares.hpp"
#include "projfgd/losses/logistic.hpp"
#include "projfgd/losses/poisson.hpp"
#include "projfgd/losses/weighted_least_squares.hpp"
#include "projfgd/operators/counting.hpp"
#include "projfgd/operators/dense.hpp"
#include "support/random_problem.hpp"

namespace projfgd::test {
namespace {

using Complex = std::complex<double>;

constexpr Index order = 4, m = 14;
constexpr double tau = 1.3;

struct ConvexProblem {
  std::string name;
  DenseOperator<Complex> op;
  AnyLoss<double> loss;
  TraceSet traces;
  double most = tau;  ///< of the trace
};

/// Positive A_i, so that counts have means >= 0.
ConvexProblem convex_problem(std::uint64_t k) {
  Dice dice(k);
  std::vector<Matrix<Complex>> matrices;
  for (Index i = 0; i < m; ++i) {
    const auto a = random_factor<Complex>(order, 1 + dice.below(2), 1000 * k + i);
    matrices.push_back(a * a.adjoint());
  }
  const DenseOperator<Complex> op(matrices);
  Matrix<Complex> truth = random_factor<Complex>(order, 1 + dice.below(order), 77 + k);
  truth *= std::sqrt(tau) / truth.norm();
  const Index kind = static_cast<Index>(k % 4);
  static const char* const names[] = {"least squares", "weighted", "Poisson", "logistic"};
  const TraceSet traces = k / 4 % 2 == 0 ? TraceSet::at_most : TraceSet::exactly;
  return {names[kind], op, random_loss<Complex>(kind, op, truth, 1, dice), traces};
}

double trace_above(const Vector<double>& values, double shift) {
  return (values.array() - shift).cwiseMax(0.0).sum();
}

/// The nearest matrix with X >= 0 and the trace that is asked for.
Matrix<Complex> projected(const Matrix<Complex>& x, const ConvexProblem& problem) {
  const double most = problem.most;
  const Eigen::SelfAdjointEigenSolver<Matrix<Complex>> eigen((x + x.adjoint()) / 2.0);
  const Vector<double>& values = eigen.eigenvalues();
  double shift = 0;
  if (problem.traces == TraceSet::exactly || trace_above(values, 0) > most) {
    double low = values.minCoeff() - most, high = values.maxCoeff();
    for (int b = 0; b < 60; ++b) {
      const double middle = (low + high) / 2;
      (trace_above(values, middle) > most ? low : high) = middle;
    }
    shift = (low + high) / 2;
  }
  const Vector<double> d = (values.array() - shift).cwiseMax(0.0);
  return eigen.eigenvectors() * d.asDiagonal() * eigen.eigenvectors().adjoint();
}

Vector<double> predicted(const ConvexProblem& problem, const Matrix<Complex>& x) {
  Vector<double> p;
  problem.op.forward(x, Matrix<Complex>::Identity(order, order), p);
  return p;
}

double value(const ConvexProblem& problem, const Matrix<Complex>& x) {
  return problem.loss.value(predicted(problem, x));
}

/// A solver that shares nothing with the library: projected gradients with full decompositions and
/// a step that is halved until f falls enough.
Matrix<Complex> dense_minimiser(const ConvexProblem& problem, int iterations) {
  Matrix<Complex> x = Matrix<Complex>::Identity(order, order) * (tau / order);
  double step = 1, f = value(problem, x);
  for (int k = 0; k < iterations; ++k) {
    Vector<double> w;
    problem.loss.gradient(predicted(problem, x), w);
    Matrix<Complex> g;
    problem.op.adjoint_times(w, Matrix<Complex>::Identity(order, order), g);
    for (step *= 4; step > 1e-14; step /= 2) {
      const Matrix<Complex> next = projected(x - step * g, problem), d = next - x;
      const double slope = g.conjugate().cwiseProduct(d).sum().real();
      const double reached = value(problem, next);
      if (reached <= f + slope + d.squaredNorm() / (2 * step)) {
        x = next;
        f = std::min(f, reached);
        break;
      }
    }
  }
  return x;
}

TEST(OptimalityGap, BoundsTheDistanceToTheMinimumForEveryConvexLoss) {
  constexpr std::uint64_t problems = 1000;
  int close = 0;
  for (std::uint64_t k = 0; k < problems; ++k) {
    const ConvexProblem problem = convex_problem(k);
    const Matrix<Complex> best = dense_minimiser(problem, 60);
    const double lowest = value(problem, best);  // not below f*
    const Matrix<Complex> far = projected(
        random_hermitian<Complex>(order, 5 * k) + Matrix<Complex>::Identity(order, order), problem);
    for (const double share : {0.0, 0.01, 0.3, 1.0}) {
      const Vector<double> p = predicted(problem, (1 - share) * best + share * far);
      const double f = problem.loss.value(p);
      const OptimalityGap gap = optimality_gap(problem.op, problem.loss, p, tau, problem.traces);
      if (!std::isfinite(f)) continue;
      EXPECT_TRUE(gap.certified);
      const double rounding = 1e-12 * (1 + f);
      EXPECT_GE(gap.value, f - lowest - rounding) << problem.name << ", problem " << k;
      EXPECT_LE(gap.value, f + rounding) << problem.name << ", problem " << k;
      if (share == 0 && gap.value <= 0.02 * value(problem, far)) ++close;
    }
  }
  // Near the minimum the bound is small beside the loss of a random state.
  EXPECT_GE(close, 9 * problems / 10);
}

/// What the data alone say of how large X can be.
LevelBound<double> level_of(const ConvexProblem& problem, const Vector<double>& p) {
  const double f = problem.loss.value(p);
  Vector<double> start, slope, curvature, white;
  problem.loss.start_weights(start);
  if (problem.name == "Poisson") {
    problem.loss.gradient(p, slope);  // e - k / p
    return level_of_counts<double>(slope + start.cwiseQuotient(p), start.sum(), f);
  }
  problem.loss.curvature(p, curvature);
  problem.op.forward(Matrix<Complex>::Identity(order, order), white);
  return level_of_squares<double>(white, curvature, start.cwiseQuotient(curvature), f);
}

TEST(OptimalityGap, HoldsForEveryPositiveMatrixWhereNoSetBoundsTheTrace) {
  int close = 0, problems = 0;
  for (std::uint64_t k = 0; k < 400; ++k) {
    ConvexProblem problem = convex_problem(k);
    if (problem.name == "logistic") continue;
    ++problems;
    problem.traces = TraceSet::at_most;
    problem.most = std::numeric_limits<double>::infinity();
    const Matrix<Complex> best = dense_minimiser(problem, 120);
    const double lowest = value(problem, best);
    const Matrix<Complex> far = projected(
        random_hermitian<Complex>(order, 5 * k) + Matrix<Complex>::Identity(order, order), problem);
    for (const double share : {0.0, 0.01, 0.3, 1.0}) {
      const Vector<double> p = predicted(problem, (1 - share) * best + share * far);
      const double f = problem.loss.value(p);
      if (!std::isfinite(f)) continue;
      const OptimalityGap gap = optimality_gap(problem.op, problem.loss, p, level_of(problem, p));
      EXPECT_TRUE(gap.certified);
      const double rounding = 1e-12 * (1 + f);
      EXPECT_GE(gap.value, f - lowest - rounding) << problem.name << ", problem " << k;
      EXPECT_LE(gap.value, f + rounding) << problem.name << ", problem " << k;
      if (share == 0 && gap.value <= 0.02 * value(problem, far)) ++close;
    }
  }
  EXPECT_GE(close, 9 * problems / 10);
}

TEST(OptimalityGap, IsAnEstimateWhereTheEigenvalueIsOne) {
  const ConvexProblem problem = convex_problem(2);
  const Vector<double> p = predicted(problem, dense_minimiser(problem, 60));
  const OptimalityGap exact = optimality_gap(problem.op, problem.loss, p, tau);
  CertificateOptions iterative;
  iterative.dense_up_to = 0;
  const OptimalityGap estimate =
      optimality_gap(problem.op, problem.loss, p, tau, TraceSet::at_most, iterative);
  EXPECT_TRUE(exact.certified);
  EXPECT_FALSE(estimate.certified);
  EXPECT_NEAR(estimate.value, exact.value, 1e-3 * (1 + problem.loss.value(p)));
}

TEST(OptimalityGap, OfANoisyFitIsTheLossAfterAFewProducts) {
  constexpr Index rows = 24, data = 80;
  CertificateOptions iterative;
  iterative.dense_up_to = 0;
  for (std::uint64_t k = 0; k < 50; ++k) {
    std::vector<Matrix<Complex>> matrices;
    for (Index i = 0; i < data; ++i) {
      matrices.push_back(random_hermitian<Complex>(rows, 1000 * k + static_cast<std::uint64_t>(i)));
    }
    const CountingOperator op{DenseOperator<Complex>(matrices)};
    Matrix<Complex> truth = random_factor<Complex>(rows, 1, k);
    truth *= std::sqrt(tau) / truth.norm();
    Vector<double> p;
    Matrix<double> noise(data, 1);
    op.forward(truth, p);
    fill_normal(RandomStream(k, 1), noise);
    const LeastSquares<double> loss(p + 1e-3 * noise.col(0));
    const OptimalityGap exact = optimality_gap(op, loss, p, tau);
    ASSERT_EQ(exact.value, loss.value(p));  // which noise makes the best bound there is
    op.reset_counts();
    const OptimalityGap gap = optimality_gap(op, loss, p, tau, TraceSet::at_most, iterative);
    EXPECT_EQ(gap.value, exact.value);
    EXPECT_TRUE(gap.certified);
    EXPECT_LE(op.counts().adjoint, 4);
  }
}

}  // namespace
}  // namespace projfgd::test
