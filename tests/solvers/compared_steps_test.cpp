#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "projfgd/measures/distance.hpp"
#include "projfgd/solvers/acc_uni_pd_grad.hpp"
#include "projfgd/solvers/nuclear_norm.hpp"
#include "projfgd/solvers/rsvp.hpp"
#include "projfgd/solvers/sparse_approx_sdp.hpp"
#include "support/dense_trace_problem.hpp"
#include "support/watch.hpp"

namespace projfgd {
namespace {

using test::Complex;
using Watch = test::Watch<Complex>;

// One short step does not end a run, but the trace tells how long each was.
TEST(TracesOfComparedMethods, HaveTheStepOfEachIteration) {
  Options options;
  options.tolerance = 0;
  options.max_iterations = 30;
  const auto check = [&](const char* name, double most,
                         const std::function<void(const Watch&)>& solve) {
    Matrix<Complex> before;
    const Watch watch = [&](const Snapshot<Matrix<Complex>>& at) {
      if (at.row.iteration > 0) {
        const double step = relative_error(before, at.factor);
        EXPECT_GE(at.row.relative_change, step - 1e-7) << name << " " << at.row.iteration;
        EXPECT_LE(at.row.relative_change, most * step + 1e-7) << name << " " << at.row.iteration;
      }
      before = at.factor;
      return true;
    };
    solve(watch);
    EXPECT_GT(before.cols(), 0) << name;
  };
  const auto noisy = test::dense_trace_problem(16, 120, 2, 0.3, 5);
  const auto problem = noisy.problem();
  Matrix<Complex> start = test::random_factor<Complex>(16, 2, 99);
  start /= start.norm();
  check("svp", 1, [&](const Watch& watch) { svp(problem, start, options, watch); });
  check("rsvp", 1, [&](const Watch& watch) { rsvp(problem, start, options, watch); });
  check("sparse-approx-sdp", 1,
        [&](const Watch& watch) { sparse_approx_sdp(problem, start, options, {}, watch); });
  check("nuclear-norm", 1,
        [&](const Watch& watch) { nuclear_norm(problem, start, options, {}, watch); });
  UniPdGradOptions published;
  published.refined = false;
  check("published acc-uni-pd-grad", 1,
        [&](const Watch& watch) { acc_uni_pd_grad(problem, start, options, published, watch); });
  const Matrix<Complex> zero = Matrix<Complex>::Zero(16, 1);
  check("sparse-approx-sdp from 0", 1,
        [&](const Watch& watch) { sparse_approx_sdp(problem, zero, options, {}, watch); });
  check("published acc-uni-pd-grad from 0", 1,
        [&](const Watch& watch) { acc_uni_pd_grad(problem, zero, options, published, watch); });
  // A correction goes on from the step before it, and both are counted.
  check("acc-uni-pd-grad", 30,
        [&](const Watch& watch) { acc_uni_pd_grad(problem, start, options, {}, watch); });
}

}  // namespace
}  // namespace projfgd
