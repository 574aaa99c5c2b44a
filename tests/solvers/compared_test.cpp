// Every method of the comparison against an independent dense solution or a known answer.
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "projfgd/measures/distance.hpp"
#include "projfgd/measures/optimality.hpp"
#include "projfgd/operators/entries.hpp"
#include "projfgd/solvers/acc_uni_pd_grad.hpp"
#include "projfgd/solvers/nuclear_norm.hpp"
#include "projfgd/solvers/rsvp.hpp"
#include "projfgd/solvers/sparse_approx_sdp.hpp"
#include "projfgd/solvers/spectral_bundle.hpp"
#include "support/allocations.hpp"
#include "support/dense_trace_problem.hpp"
#include "support/watch.hpp"

namespace projfgd {
namespace {

using test::Complex;
using Watch = test::Watch<Complex>;

Matrix<Complex> some_start(Index n, Index rank) {
  const Matrix<Complex> u = test::random_factor<Complex>(n, rank, 99);
  return u / u.norm();
}

double trace(const Matrix<Complex>& u) { return u.squaredNorm(); }

/// An operator that keeps the w of every A*(w) it was asked for, and may take its time for it.
class Listening {
 public:
  using Factor = Matrix<Complex>;
  using Values = Vector<double>;

  explicit Listening(const DenseOperator<Complex>& op, std::chrono::milliseconds pause = {})
      : operator_(op), pause_(pause) {}

  Index rows() const { return operator_.rows(); }
  Index measurements() const { return operator_.measurements(); }
  void forward(const Factor& u, Vector<double>& y) const { operator_.forward(u, y); }
  void forward(const Factor& u, const Factor& d, Vector<double>& y) const {
    operator_.forward(u, d, y);
  }
  void adjoint_times(const Vector<double>& w, const Factor& v, Factor& g) const {
    std::this_thread::sleep_for(pause_);
    ++products_;
    heard_.emplace(w.begin(), w.end());
    operator_.adjoint_times(w, v, g);
  }

  Index products() const { return products_; }
  Index different() const { return static_cast<Index>(heard_.size()); }

 private:
  const DenseOperator<Complex>& operator_;
  std::chrono::milliseconds pause_;
  mutable Index products_ = 0;
  mutable std::set<std::vector<double>> heard_;
};

class AtN32 : public testing::Test {
 protected:
  static const test::DenseTraceProblem& noisy() {
    static const auto problem = test::dense_trace_problem(32, 250, 2, 0.3, 5);
    return problem;
  }
  static double optimum() {
    static const double value = test::dense_minimum(noisy(), 1, 0, 800);
    return value;
  }
};

// Conditional gradients promise f - f* <= 2 C_f / (k + 2), C_f <= L diam^2 = 2 L tau^2.
TEST_F(AtN32, SparseApproxSdpKeepsItsRate) {
  for (const bool exact : {true, false}) {
    Options options;
    options.tolerance = 0;
    options.max_iterations = 80;
    const auto out = sparse_approx_sdp(noisy().problem(), some_start(32, 2), options, {exact});
    for (const TraceRow& row : out.trace) {
      if (row.iteration == 0) continue;
      EXPECT_LE(row.objective - optimum(),
                4 * noisy().smoothness / static_cast<double>(row.iteration + 2));
    }
    EXPECT_LE(trace(out.factor), 1 + 1e-12);
    EXPECT_GE(out.gap, out.objective - optimum());
    EXPECT_EQ(out.eigenproblems, 81);  // one a step, and one for the gap
  }
}

// What the atom S of a step gains to first order is at least half of the largest gain g, so that
// the best point of the segment has f lower by min(g / 4, g^2 / (8 ||A(S - X)||^2)) or more, and no
// S is farther than A takes the diameter sqrt(2) tau.
TEST_F(AtN32, SparseApproxSdpGainsHalfOfWhatTheBestAtomMay) {
  const auto many = test::dense_trace_problem(32, 400, 8, 0.05, 7);
  const auto problem = many.problem();
  const double farthest = 2 * many.smoothness;
  Options options;
  options.tolerance = 0;
  options.max_iterations = 150;
  double least = std::numeric_limits<double>::infinity();
  int steps = 0;
  const Watch watch = [&](const Snapshot<Matrix<Complex>>& at) {
    EXPECT_LE(at.row.objective, least) << at.row.iteration;
    Vector<double> p;
    problem.op.forward(at.factor, p);
    const Vector<double> s = p - problem.y;
    Matrix<Complex> gradient;
    problem.op.adjoint_times(s, Matrix<Complex>::Identity(32, 32), gradient);
    const double lowest = hermitian_eigenvalues(gradient)[0];
    const double gain = s.dot(p) - problem.trace * std::min(lowest, 0.0);
    least = at.row.objective - std::min(gain / 4, gain * gain / (8 * farthest)) + 1e-14;
    ++steps;
    return true;
  };
  const auto out = sparse_approx_sdp(problem, some_start(32, 1), options, {}, watch);
  EXPECT_EQ(steps, 151);
  EXPECT_GE(out.gap, 0);
  EXPECT_LE(out.gap, out.objective);
}

// Each product takes longer than the run may: an eigenproblem ends after its first.
TEST_F(AtN32, EigenproblemsEndWithTheTime) {
  const Listening op(noisy().op, std::chrono::milliseconds(30));
  const TraceProblem<Listening> problem{op, noisy().y, 1};
  Options options;
  options.tolerance = 0;
  options.time_limit = 0.02;
  const auto start = some_start(32, 2);
  Index before = 0;
  const auto products = [&](const auto& out) {
    EXPECT_EQ(out.status, Status::time_limit);
    return op.products() - std::exchange(before, op.products());
  };
  EXPECT_LE(products(svp(problem, start, options)), 3);
  EXPECT_LE(products(sparse_approx_sdp(problem, start, options)), 1);
  EXPECT_LE(products(acc_uni_pd_grad(problem, start, options)), 2);
}

// f - f* falls at least like 1/k, and the error, about its root, like k^-1/2. A step of length
// 2 / (k + 2) away from X* leaves an error of that order, so it falls at most like 1/k. Over one
// decade the window has 0.2 to spare on either side.
TEST_F(AtN32, SparseApproxSdpIsSublinear) {
  const auto noiseless = test::dense_trace_problem(32, 250, 1, 0, 6);
  Options options;
  options.tolerance = 0;
  options.max_iterations = 200;
  std::vector<double> error;
  const Watch watch = [&](const Snapshot<Matrix<Complex>>& at) {
    error.push_back(relative_error(at.factor, noiseless.truth));
    return true;
  };
  sparse_approx_sdp(noiseless.problem(), some_start(32, 1), options, {.exact_step = false}, watch);
  const double slope = std::log(error[200] / error[20]) / std::log(10.0);
  EXPECT_GT(slope, -1.2);
  EXPECT_LT(slope, -0.3);
}

// Without noise f* = 0, and the target accuracy is a promise: f(Xbar) - f* <= eps f(0).
TEST_F(AtN32, AccUniPdGradReachesItsTargetAccuracy) {
  const auto noiseless = test::dense_trace_problem(32, 400, 1, 0, 6);
  const UniPdGradOptions own;
  EXPECT_EQ(own.accuracy, 1e-6);
  Options options;
  options.tolerance = 0;
  options.max_iterations = 300;
  const auto out = acc_uni_pd_grad(noiseless.problem(), some_start(32, 1), options, own);
  EXPECT_LE(trace(out.factor), 1 + 1e-12);
  EXPECT_LE(out.objective, own.accuracy * noiseless.y.squaredNorm() / 2);
}

// The published form takes eps at its word: a step passes when g falls as a quadratic says, give or
// take eps / (2 t), so that where g has a kink the modulus M it has to find is in proportion to
// 1 / eps. Both runs keep the promise, and the one that is asked for less has the longer steps.
TEST_F(AtN32, PublishedAccUniPdGradTradesAccuracyForSpeed) {
  const auto noiseless = test::dense_trace_problem(32, 400, 1, 0, 6);
  const double from = noiseless.y.squaredNorm() / 2;
  Options options;
  options.tolerance = 0;
  options.max_iterations = 50;
  const auto objective = [&](double accuracy) {
    const UniPdGradOptions own{.accuracy = accuracy, .refined = false};
    const auto out = acc_uni_pd_grad(noiseless.problem(), some_start(32, 1), options, own);
    EXPECT_LE(trace(out.factor), 1 + 1e-12);
    EXPECT_LE(out.objective, accuracy * from);
    return out.objective;
  };
  EXPECT_LT(objective(1e-1), objective(1e-2));
}

// Without noise f* = 0 and m = 400 numbers determine a pure state.
TEST_F(AtN32, AccUniPdGradFindsTheTruth) {
  const auto noiseless = test::dense_trace_problem(32, 400, 1, 0, 6);
  Options options;
  options.max_iterations = 300;
  const auto out = acc_uni_pd_grad(noiseless.problem(), some_start(32, 1), options);
  EXPECT_EQ(out.status, Status::converged);
  EXPECT_LE(trace(out.factor), 1 + 1e-12);
  EXPECT_LE(relative_error(out.factor, noiseless.truth), 1e-4);
  EXPECT_GE(out.gap, out.objective);
}

// With noise the convex optimum has more than one atom; the bound is what tells how near it is.
// Noise moves f by about f* / (m - p) for each of the p parameters that are fitted. Here m = 250,
// and a state of rank 2 has p = 2 * 2n - 2^2 = 124: a part in a thousand is an eighth of one
// parameter.
TEST_F(AtN32, AccUniPdGradNearsTheOptimumUnderNoise) {
  Options options;
  options.tolerance = 0;
  options.max_iterations = 300;
  const auto out = acc_uni_pd_grad(noisy().problem(), some_start(32, 2), options);
  EXPECT_LE(out.objective - optimum(), 1e-3 * optimum());
  EXPECT_GE(out.gap, out.objective - optimum());
}

// Wherever there is no momentum the next point is one whose eigenvectors are known.
TEST_F(AtN32, AccUniPdGradSolvesNoEigenproblemTwice) {
  for (const bool accelerated : {true, false}) {
    for (const bool refined : {true, false}) {
      const Listening op(noisy().op);
      Options options;
      options.tolerance = 0;
      options.max_iterations = 60;
      const UniPdGradOptions own{.accelerated = accelerated, .refined = refined};
      const auto out = acc_uni_pd_grad(TraceProblem<Listening>{op, noisy().y, 1}, some_start(32, 2),
                                       options, own);
      EXPECT_EQ(out.eigenproblems, op.different()) << accelerated << refined;
    }
  }
}

TEST_F(AtN32, PrimalDualGapBoundsTheDistanceToTheOptimum) {
  for (const bool accelerated : {true, false}) {
    UniPdGradOptions own;
    own.accelerated = accelerated;
    Options options;
    options.tolerance = 0;
    options.max_iterations = 40;
    const auto out = acc_uni_pd_grad(noisy().problem(), some_start(32, 2), options, own);
    EXPECT_LE(trace(out.factor), 1 + 1e-12);
    EXPECT_GE(out.gap, out.objective - optimum());
  }
}

TEST_F(AtN32, SingularValueProjectionFindsTheTruth) {
  const auto noiseless = test::dense_trace_problem(32, 400, 2, 0, 8);
  Options options;
  options.tolerance = 1e-11;
  const auto exact = svp(noiseless.problem(), some_start(32, 2), options);
  const auto randomised = rsvp(noiseless.problem(), some_start(32, 2), options);
  for (const auto* out : {&exact, &randomised}) {
    EXPECT_EQ(out->status, Status::converged);
    EXPECT_EQ(out->factor.cols(), 2);
    EXPECT_LE(relative_error(out->factor, noiseless.truth), 1e-8);
    EXPECT_LE(trace(out->factor), 1 + 1e-12);
    for (std::size_t k = 1; k < out->trace.size(); ++k) {
      EXPECT_LT(out->trace[k].objective, out->trace[k - 1].objective);
    }
  }
}

TEST_F(AtN32, NuclearNormSolvesItsOwnProblem) {
  NuclearNormOptions own;
  own.lambda = 0.05;
  Options options;
  options.tolerance = 1e-9;
  const auto out = nuclear_norm(noisy().problem(), some_start(32, 2), options, own);
  const double value = out.objective + own.lambda * trace(out.factor);
  const double best =
      test::dense_minimum(noisy(), std::numeric_limits<double>::infinity(), own.lambda, 800);
  EXPECT_EQ(out.status, Status::converged);
  EXPECT_NEAR(value, best, 1e-8 * best);
}

TEST(LowestEigenvector, TakesNoColumnFromTheHeapOnceItIsWarm) {
  if (!test::counts_allocations) GTEST_SKIP() << "this build has a heap of its own";
  constexpr Index n = 1 << 18;  // a column is larger than what Eigen packs for a product
  std::vector<EntriesOperator<double>::Place> diagonal;
  for (std::int32_t i = 0; i < n; ++i) diagonal.push_back({i, i});
  const EntriesOperator<double> op(n, diagonal);
  const Vector<double> w = test::random_vector<double>(n, 5);
  LowestEigenvector<EntriesOperator<double>> lowest(op, 1, [] { return true; });
  for (int call = 0; call < 6; ++call) {
    test::largest_allocation();
    lowest.find(w, 1e-3, 10);
    if (call >= 4) {  // it starts from as many of the last answers as it keeps
      EXPECT_LT(test::largest_allocation(), n * sizeof(double)) << call;
    }
  }
  EXPECT_LT(lowest.value(), -3);
}

// With every direction in the bundle its problem is the whole one; each step solves it to a part in
// a thousand of what is left. With few directions it never rises.
TEST(SpectralBundle, GoesToTheBestPointOfItsSpan) {
  const auto dense = test::dense_trace_problem(6, 30, 2, 0.2, 4);
  const auto problem = dense.problem();
  const double best = test::dense_minimum(dense, 1, 0, 2000);
  for (const Index width : {6, 1}) {
    SpectralBundle bundle(problem, width);
    Matrix<Complex> u = some_start(6, 1);
    Vector<double> p;
    problem.op.forward(u, p);
    double value = (p - problem.y).squaredNorm() / 2;
    for (Index k = 0; k < 12; ++k) {
      const Matrix<Complex> v = width == 6 ? Matrix<Complex>(Matrix<Complex>::Identity(6, 6))
                                           : test::random_factor<Complex>(6, 1, k + 1);
      bundle.step(v, u, p);
      const double next = (p - problem.y).squaredNorm() / 2;
      EXPECT_LE(next, value * (1 + 1e-12));
      EXPECT_LE(trace(u), 1 + 1e-12);
      value = next;
    }
    Vector<double> image;
    problem.op.forward(u, image);
    EXPECT_LE((image - p).norm(), 1e-12 * p.norm());
    if (width == 6) {
      EXPECT_NEAR(value, best, 1e-10 * best);
    }
  }
}

TEST(PrimalDualGap, IsNeverBelowTheTruth) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const auto dense = test::dense_trace_problem(6, 20, 2, 0.2, seed);
    const double best = test::dense_minimum(dense, 1, 0, 300);
    UniPdGradOptions own;
    own.accelerated = seed % 2 == 0;
    own.refined = seed % 3 != 0;
    Options options;
    options.max_iterations = static_cast<Index>(seed);
    const auto out = acc_uni_pd_grad(dense.problem(), some_start(6, 2), options, own);
    EXPECT_GE(out.gap, out.objective - best) << "seed " << seed;
  }
}

TEST(OptimalityGap, IsNeverBelowTheTruth) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const auto dense = test::dense_trace_problem(4, 10, 1, 0.2, seed);
    const double best = test::dense_minimum(dense, 1, 0, 60);
    Matrix<Complex> u = test::random_factor<Complex>(4, 2, seed);
    u /= u.norm();
    Options options;
    options.max_iterations = static_cast<Index>(seed % 20);
    const auto out = rsvp(dense.problem(), u, options);
    const OptimalityGap gap = optimality_gap(dense.problem(), out.factor);
    EXPECT_TRUE(gap.certified);
    EXPECT_GE(gap.value, out.objective - best) << "seed " << seed;
  }
}

TEST(OptimalityGap, VanishesAtTheOptimum) {
  const auto dense = test::dense_trace_problem(16, 200, 2, 0, 3);
  EXPECT_NEAR(optimality_gap(dense.problem(), dense.truth).value, 0, 1e-12);
  CertificateOptions iterative;
  iterative.dense_up_to = 0;
  // So much noise that the gap is below f, the bound that needs no eigenvalue.
  const auto noisy = test::dense_trace_problem(16, 200, 2, 10, 3);
  const auto exact = optimality_gap(noisy.problem(), noisy.truth),
             estimate = optimality_gap(noisy.problem(), noisy.truth, iterative);
  EXPECT_TRUE(exact.certified);
  EXPECT_FALSE(estimate.certified);
  EXPECT_NEAR(estimate.value, exact.value, 1e-3 * exact.value);
}

TEST(ComparedMethods, RefuseDataOfAnotherLength) {
  auto dense = test::dense_trace_problem(4, 10, 1, 0, 1);
  dense.y.conservativeResize(9);
  EXPECT_THROW(rsvp(dense.problem(), some_start(4, 1)), InputError);
  EXPECT_THROW(acc_uni_pd_grad(dense.problem(), some_start(4, 1)), InputError);
}

// Columns that the truth does not need become zero, and what is left of the range is narrower.
TEST_F(AtN32, RandomisedSvpTakesMoreColumnsThanTheTruthHas) {
  const auto small = test::dense_trace_problem(8, 80, 1, 1e-3, 7);
  for (const Index rank : {3, 8}) {
    const auto exact = svp(small.problem(), some_start(8, rank));
    const auto randomised = rsvp(small.problem(), some_start(8, rank));
    EXPECT_EQ(randomised.status, Status::converged) << rank;
    EXPECT_LE(randomised.objective, 1.01 * exact.objective) << rank;
  }
}

}  // namespace
}  // namespace projfgd
