#include "projfgd/solvers/lbfgs_memory.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/support.hpp"

namespace projfgd::test {
namespace {

using F = Matrix<double>;

Vector<double> flat(const F& u) { return u.reshaped(); }

/// H as a matrix: H_0 = scale K on the right, then the BFGS update of one pair after the other.
Matrix<double> dense_inverse(const std::vector<F>& steps, const std::vector<F>& changes,
                             const Matrix<double>& right) {
  const Index rows = steps[0].rows(), cols = steps[0].cols(), size = rows * cols;
  const F& y = changes.back();
  const double scale = dot(steps.back(), y) / dot(y, F(y * right));
  Matrix<double> h = Matrix<double>::Zero(size, size);
  for (Index i = 0; i < cols; ++i) {
    for (Index j = 0; j < cols; ++j) {
      h.block(j * rows, i * rows, rows, rows).diagonal().setConstant(scale * right(i, j));
    }
  }
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const Vector<double> s = flat(steps[k]), change = flat(changes[k]);
    const double inverse = 1 / s.dot(change);
    const Matrix<double> left =
        Matrix<double>::Identity(size, size) - inverse * s * change.transpose();
    h = (left * h * left.transpose() + inverse * s * s.transpose()).eval();
  }
  return h;
}

TEST(LbfgsMemory, IsTheBfgsUpdateOfTheLastPairs) {
  constexpr Index rows = 7, cols = 2;
  constexpr int capacity = 3;
  const Matrix<double> a = random_factor<double>(rows * cols, rows * cols, 1);
  const Matrix<double> curvature = a * a.transpose();  // so that <s, y> > 0
  const Matrix<double> b = random_factor<double>(cols, cols, 2);
  const Matrix<double> identity = Matrix<double>::Identity(cols, cols), right = b * b.transpose();
  for (const Matrix<double>* k : {&identity, &right}) {
    LbfgsMemory<F> memory(capacity);
    std::vector<F> steps, changes;
    for (std::uint64_t round = 0; round < 6; ++round) {
      const F s = random_factor<double>(rows, cols, 10 + round);
      const F y = (curvature * flat(s)).reshaped(rows, cols);
      F kept_step = s, kept_change = y;
      ASSERT_TRUE(memory.push(kept_step, norm(s), kept_change));
      steps.push_back(s);
      changes.push_back(y);
      if (steps.size() > capacity) {
        steps.erase(steps.begin());
        changes.erase(changes.begin());
      }
      if (round == 4) {  // residuals in another unit
        memory.rescale(0.5);
        for (F& change : changes) change *= 0.5;
      }
      const F r = random_factor<double>(rows, cols, 20 + round);
      F d;
      memory.direction(r, k == &identity ? nullptr : k, d);
      const Vector<double> expected = -dense_inverse(steps, changes, *k) * flat(r);
      EXPECT_LE((flat(d) - expected).norm(), 1e-10 * expected.norm()) << round;
      memory.direction(changes.back(), k, d);  // the secant equation H y = s
      EXPECT_LE((d + steps.back()).norm(), 1e-10 * steps.back().norm()) << round;
    }
  }
}

}  // namespace
}  // namespace projfgd::test
