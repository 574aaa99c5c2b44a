// What the paper proves, seen on small problems with known mu, L and U*.
//
// f(X) = 1/2 sum_i w_i (A(X) - y)_i^2 with A an orthonormal basis of the Hermitian matrices and
// weights in [mu, L] is mu-strongly convex and L-smooth, exactly.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <vector>

#include "projfgd/constraints/frobenius.hpp"
#include "projfgd/constraints/none.hpp"
#include "projfgd/constraints/simplex.hpp"
#include "projfgd/core/composite.hpp"
#include "projfgd/core/small_matrix.hpp"
#include "projfgd/losses/least_squares.hpp"
#include "projfgd/losses/weighted_least_squares.hpp"
#include "projfgd/operators/counting.hpp"
#include "projfgd/operators/dense.hpp"
#include "projfgd/operators/entries.hpp"
#include "projfgd/operators/identity.hpp"
#include "projfgd/operators/rank_one.hpp"
#include "projfgd/solvers/projfgd.hpp"
#include "support/support.hpp"

namespace projfgd::test {
namespace {

using Z = std::complex<double>;
constexpr double mu = 0.5, smooth = 2;

template <class S>
Vector<double> coordinates(const Matrix<S>& hermitian) {
  return IdentityOperator<S>(hermitian.rows()).coordinates(hermitian);
}

Vector<double> weights(Index m, std::uint64_t seed) {
  const RandomStream random(seed, 1);
  Vector<double> w(m);
  for (Index i = 0; i < m; ++i) w[i] = mu + (smooth - mu) * random.uniform(i);
  w[0] = mu, w[1] = smooth;
  return w;
}

/// The problem whose minimiser over the matrices X >= 0 (with trace at most tr X*, if pull > 0) is
/// X* = U* U*^H: by the optimality conditions grad f(X*) = -pull I + S with S >= 0, S X* = 0.
template <class S>
class Known {
 public:
  Known(Matrix<S> optimum, double pull, double slack, std::uint64_t seed)
      : u_star(std::move(optimum)),
        op(u_star.rows()),
        f(op, make_loss(pull, slack, seed)),
        gradient(gradient_at_optimum(pull, slack)) {
    const Vector<double> values = hermitian_eigen(gram(u_star, u_star)).values;
    largest = values[values.size() - 1];
    least = values[0];
  }

  Matrix<S> dense_gradient(const Matrix<S>& u) {
    Matrix<S> g;
    f.at(u);
    f.gradient_times(Matrix<S>::Identity(u.rows(), u.rows()), g);
    return g;
  }

  Matrix<S> u_star;
  IdentityOperator<S> op;
  Composite<IdentityOperator<S>, WeightedLeastSquares<double>> f;
  Matrix<S> gradient;     // grad f(X*)
  double largest, least;  // eigenvalues of X*

 private:
  Matrix<S> gradient_at_optimum(double pull, double slack) const {
    const Index n = u_star.rows();
    const Matrix<S> q = orthonormal_basis(u_star);
    const Matrix<S> identity = Matrix<S>::Identity(n, n);
    return slack * (identity - q * q.adjoint()) - pull * identity;
  }
  WeightedLeastSquares<double> make_loss(double pull, double slack, std::uint64_t seed) const {
    Vector<double> y;
    op.forward(u_star, y);
    const Vector<double> w = weights(y.size(), seed);
    y -= coordinates<S>(gradient_at_optimum(pull, slack)).cwiseQuotient(w);
    return {y, w};
  }
};

template <class S>
double spectral(const Matrix<S>& a) {
  return singular_values(a).values[0];
}

template <class S>
double dense_adaptive_step(const Matrix<S>& u, const Matrix<S>& g) {
  const Matrix<S> q = orthonormal_basis(u);
  return 1 / (128 * (smooth * spectral<S>(u * u.adjoint()) + spectral<S>(q * q.adjoint() * g)));
}

/// U* moved by a random amount of the given size, inside the ball.
template <class S, class C>
Matrix<S> near_optimum(const Known<S>& known, const C& set, double size, std::uint64_t seed) {
  Matrix<S> u = random_factor<S>(known.u_star.rows(), known.u_star.cols(), seed);
  u = known.u_star + u * (size / u.norm());
  set.project(u);  // no farther: U* is a member
  return u;
}

Options theory_options(StepRule rule, Index iterations) {
  Options options;
  options.step = rule;
  options.smoothness = smooth;
  options.tolerance = 0;
  options.max_iterations = iterations;
  return options;
}

template <class S>
class Theory : public ::testing::Test {};
using Scalars = ::testing::Types<double, Z>;
TYPED_TEST_SUITE(Theory, Scalars);

template <class S, class C>
void expect_theorem(Known<S>& known, const C& set, double radius, std::uint64_t seed) {
  const double basin =
      (1.0 / 200) * (mu / smooth) * (known.least / known.largest) * std::sqrt(known.least);
  const double alpha =
      1 - mu * known.least / (550 * (smooth * known.largest + spectral<S>(known.gradient)));
  std::vector<Matrix<S>> iterates;
  projfgd(known.f, set, Start<Matrix<S>>{near_optimum(known, set, 0.999 * basin, seed), smooth},
          theory_options(StepRule::theory_adaptive, 40), [&](const Snapshot<Matrix<S>>& now) {
            iterates.push_back(now.factor);
            return true;
          });
  ASSERT_EQ(iterates.size(), 41u);
  for (std::size_t t = 0; t + 1 < iterates.size(); ++t) {
    const Matrix<S>&u = iterates[t], next = iterates[t + 1];
    const Matrix<S> g = known.dense_gradient(u), gu = g * u;
    const double eta = dense_adaptive_step(u, g), before = dist(u, known.u_star);
    const Matrix<S> moved = u - eta * gu;
    const double xi = std::min(1.0, radius / moved.norm());
    ASSERT_LE((next - xi * moved).norm(), 1e-13 * u.norm()) << "not the paper's step";

    ASSERT_LE(before, basin);
    EXPECT_LE(std::pow(dist(next, known.u_star), 2), alpha * before * before * (1 + 1e-9));
    EXPECT_GE(xi, 128.0 / 129);
    EXPECT_LE(xi, 1);

    const Matrix<S> delta = u - known.u_star * procrustes(u, known.u_star);
    const double left = 2 * eta * dot(gu, delta) + (next - moved).squaredNorm();
    const double right =
        eta * eta * gu.squaredNorm() + 0.3 * eta * mu * known.least * before * before;
    // Rounding: both sides are sums of terms of the size of the larger one.
    EXPECT_GE(left, right - 1e-10 * std::abs(right)) << "descent lemma, iterate " << t;
  }
}

TYPED_TEST(Theory, ContractionAndDescentLemmaWithoutASet) {
  using S = TypeParam;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Known<S> known(random_factor<S>(9, 2, seed), 0, 0.3, seed);
    expect_theorem(known, Unconstrained(), std::numeric_limits<double>::infinity(), seed + 50);
  }
}

TYPED_TEST(Theory, ContractionAndDescentLemmaInsideABall) {
  using S = TypeParam;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Known<S> known(random_factor<S>(9, 2, seed), 0, 0.3, seed);
    const double radius = 1.1 * known.u_star.norm();
    expect_theorem(known, FrobeniusBall(radius), radius, seed + 50);
  }
}

TYPED_TEST(Theory, ContractionAndDescentLemmaOnTheBoundary) {
  using S = TypeParam;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    for (const double pull : {0.0, 0.5}) {
      Known<S> known(random_factor<S>(9, 2, seed), pull, 0.3, seed);
      const double radius = known.u_star.norm();
      expect_theorem(known, FrobeniusBall(radius), radius, seed + 50);
    }
  }
}

TYPED_TEST(Theory, StepSizesAreTheFormulas) {
  using S = TypeParam;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Known<S> known(random_factor<S>(12, 3, seed), 0, 0.3, seed);
    const Matrix<S> u = random_factor<S>(12, 3, seed + 9), g = known.dense_gradient(u);
    const double fixed = 1 / (128 * (smooth * spectral<S>(u * u.adjoint()) + spectral<S>(g)));
    known.f.at(u);
    EXPECT_NEAR(theory_step(known.f, u, smooth, 128) / fixed, 1, 1e-9);
    Matrix<S> gu;
    EXPECT_NEAR(adaptive_theory_step(known.f, u, smooth, 128, gu) / dense_adaptive_step(u, g), 1,
                1e-12);
    EXPECT_LE((gu - g * u).norm(), 1e-13 * (g * u).norm());
    Matrix<S> thin = u;  // a column that no basis keeps
    thin.col(2) *= 1e-30;
    const Matrix<S> there = known.dense_gradient(thin);
    adaptive_theory_step(known.f, thin, smooth, 128, gu);
    EXPECT_LE((gu - there * thin).col(2).norm(), 1e-13 * (there * thin.col(2)).norm());
    const auto result = projfgd(known.f, Unconstrained(), Start<Matrix<S>>{u, smooth},
                                theory_options(StepRule::theory, 1));
    EXPECT_LE((result.factor - (u - fixed * g * u)).norm(), 1e-9 * fixed * (g * u).norm());
  }
}

TYPED_TEST(Theory, AnIterationDifferentiatesOnce) {
  using S = TypeParam;
  const IdentityOperator<S> identity(9);
  Vector<double> y;
  identity.forward(random_factor<S>(9, 2, 1), y);
  for (const StepRule rule : {StepRule::theory_adaptive, StepRule::constant}) {
    const CountingOperator op(identity);
    Composite f(op, LeastSquares<double>(y));
    Options options = theory_options(rule, 20);
    options.step_size = 1e-3;
    const Start<Matrix<S>> start{random_factor<S>(9, 2, 3), smooth};
    EXPECT_EQ(projfgd(f, Unconstrained(), start, options).iterations, 20);
    EXPECT_EQ(op.counts().forward, 21);
    EXPECT_EQ(op.counts().adjoint, 21);
  }
}

TYPED_TEST(Theory, ProductsAreAsFarApartAsTheFactors) {
  using S = TypeParam;
  const RandomStream random(3, 3);
  for (std::uint64_t k = 0; k < 1000; ++k) {
    const auto r = static_cast<Index>(1 + k % 3);
    const Matrix<S> u = random_factor<S>(6, r, 2 * k);
    const double size = std::pow(10.0, 6 * random.uniform(k) - 5);
    const Matrix<S> v =
        (k % 2 == 0 ? u : Matrix<S>::Zero(6, r)) + size * random_factor<S>(6, r, 2 * k + 1);
    const double least = std::sqrt(hermitian_eigen(gram(u, u)).values[0]);
    const double left = std::pow(difference_norm(u, v), 2);
    const double right = 2 * (std::sqrt(2) - 1) * std::pow(least * dist(u, v), 2);
    EXPECT_GE(left, right * (1 - 1e-9)) << "pair " << k;
  }
}

TYPED_TEST(Theory, InitialisationLemma) {
  using S = TypeParam;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Index n = 6;
    const double pull = seed % 2 == 0 ? 0 : 0.4;
    Known<S> known(random_factor<S>(n, n, seed), pull, 0, seed);
    const Matrix<S> x_star = known.u_star * known.u_star.adjoint();
    const double trace = known.u_star.squaredNorm() * (pull > 0 ? 1 : 1.2);
    const Matrix<S> raw = -known.dense_gradient(Matrix<S>::Zero(n, 1)) / smooth;
    const auto eigen = hermitian_eigen(raw);
    Vector<double> values = eigen.values.cwiseMax(0);
    project_simplex<double>(values, trace);
    const Matrix<S> x0 = eigen.vectors * values.asDiagonal() * eigen.vectors.adjoint();
    EXPECT_LE((x0 - x_star).norm(), std::sqrt(1 - mu / smooth) * x_star.norm()) << "seed " << seed;
    // The library's start is this point where no set cuts in.
    const auto start = spectral_start(known.f, n, smooth);
    const Matrix<S> expected =
        eigen.vectors * eigen.values.cwiseMax(0).asDiagonal() * eigen.vectors.adjoint();
    if (eigen.values[0] > 0) {
      EXPECT_LE((start.factor * start.factor.adjoint() - expected).norm(), 1e-12 * expected.norm());
    }
  }
}

template <class A>
void expect_exact_recovery(const A& op, const typename A::Factor& truth, const char* name) {
  Vector<double> y;
  op.forward(truth, y);
  Composite f(op, LeastSquares<double>(y));
  Options options;
  options.tolerance = 0;
  options.gradient_tolerance = 1e-15;
  const auto free = projfgd(f, Unconstrained(), truth.cols(), options);
  EXPECT_LE(relative_error(free.factor, truth), 1e-12) << name << ": " << free.message;
  const auto ball = projfgd(f, FrobeniusBall(truth.norm()), truth.cols(), options);
  EXPECT_LE(relative_error(ball.factor, truth), 1e-12) << name << " in a ball: " << ball.message;
}

TYPED_TEST(Theory, NoiselessProblemsAreSolvedToTwelveDigits) {
  using S = TypeParam;
  const Index n = 20;
  const Matrix<S> truth = random_factor<S>(n, 2, 1);
  std::vector<Matrix<S>> matrices;
  for (Index i = 0; i < 10 * n; ++i) matrices.push_back(random_hermitian<S>(n, 100 + i));
  std::vector<typename EntriesOperator<S>::Place> places;
  for (std::int32_t i = 0; i < n; ++i) {
    for (std::int32_t j = 0; j <= i; ++j) {
      if ((7 * i + 3 * j) % 10 < 7) places.push_back({i, j});
    }
  }
  expect_exact_recovery(DenseOperator<S>(matrices), truth, "dense");
  expect_exact_recovery(RankOneOperator<S>(random_factor<S>(10 * n, n, 5)), truth, "rank one");
  expect_exact_recovery(EntriesOperator<S>(n, places), truth, "entries");
  expect_exact_recovery(IdentityOperator<S>(n), truth, "identity");
}

}  // namespace
}  // namespace projfgd::test
