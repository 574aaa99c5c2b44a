// What a run still does after its user wanted the end, at any moment.
#include <gtest/gtest.h>

#include <algorithm>

#include "projfgd/constraints/frobenius.hpp"
#include "projfgd/core/composite.hpp"
#include "projfgd/losses/least_squares.hpp"
#include "projfgd/solvers/projfgd.hpp"
#include "support/dense_trace_problem.hpp"

namespace projfgd {
namespace {

using test::Complex;

/// Counts the columns that are multiplied, which is what products cost.
class ColumnCounter {
 public:
  using Factor = Matrix<Complex>;
  using Values = Vector<double>;

  explicit ColumnCounter(const DenseOperator<Complex>& op) : op_(op) {}
  Index rows() const { return op_.rows(); }
  Index measurements() const { return op_.measurements(); }
  void forward(const Factor& u, Values& p) const {
    columns += u.cols();
    op_.forward(u, p);
  }
  void forward(const Factor& u, const Factor& d, Values& p) const {
    columns += u.cols();
    op_.forward(u, d, p);
  }
  void adjoint_times(const Values& w, const Factor& v, Factor& g) const {
    columns += v.cols();
    op_.adjoint_times(w, v, g);
  }

  mutable Index columns = 0;

 private:
  const DenseOperator<Complex>& op_;
};

TEST(Interrupt, CostsAProductInTheStartAndAfterItAnIteration) {
  constexpr Index rank = 6;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto p = test::dense_trace_problem(8, 60, 2, 0.05, seed);
    const ColumnCounter op(p.op);
    Composite f(op, LeastSquares<double>(p.y));
    Index in_starts = 0, in_iterations = 0, runs = 0;
    for (Index last = 1;; ++last) {
      op.columns = 0;
      const Interrupt interrupt = [&] { return op.columns >= last; };
      Options options;
      options.interrupt = &interrupt;
      const auto result = projfgd(f, FrobeniusBall(1), rank, options);
      if (result.status != Status::interrupted) break;
      ++runs;
      Index& most = result.iterations == 0 ? in_starts : in_iterations;
      most = std::max(most, op.columns - last);
      EXPECT_TRUE(result.factor.allFinite());
    }
    EXPECT_GT(runs, 20 * rank);
    // One that had begun, of a few more columns than are wanted, and f at the point that it led to.
    EXPECT_LT(in_starts, 2 * rank + 4);
    // f at the end of a step that is too long, on the line to it, and the gradient where it is
    // least.
    EXPECT_LT(in_iterations, 4 * rank);
  }
}

}  // namespace
}  // namespace projfgd
