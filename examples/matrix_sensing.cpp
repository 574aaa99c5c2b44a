// Matrix sensing: a 40 x 40 matrix of rank 2 from 480 inner products with random symmetric
// matrices.
#include <cstdio>
#include <vector>

#include "projfgd/constraints/frobenius.hpp"
#include "projfgd/core/composite.hpp"
#include "projfgd/core/random.hpp"
#include "projfgd/losses/least_squares.hpp"
#include "projfgd/operators/dense.hpp"
#include "projfgd/solvers/projfgd.hpp"

using projfgd::Index;
using Matrix = projfgd::Matrix<double>;

int main() {
  constexpr Index n = 40, rank = 2, measurements = 480;
  Matrix truth(n, rank);
  fill_normal(projfgd::RandomStream(/*seed=*/1, /*stream=*/0), truth);
  truth /= truth.norm();  // tr X = 1

  std::vector<Matrix> a(measurements, Matrix(n, n));
  for (Index i = 0; i < measurements; ++i) {
    fill_normal(projfgd::RandomStream(1, static_cast<std::uint64_t>(i) + 1), a[i]);
    a[i] = (a[i] + a[i].transpose()).eval() / 2;
  }
  const projfgd::DenseOperator<double> op(a);
  projfgd::Vector<double> y;
  op.forward(truth, y);  // y_i = <A_i, X>

  projfgd::Composite f(op, projfgd::LeastSquares<double>(y));  // 1/2 ||A(U U^T) - y||^2
  projfgd::Options options;
  options.tolerance = 1e-12;
  const auto result = projfgd::projfgd(f, projfgd::FrobeniusBall(1), rank, options);

  const double error = projfgd::relative_error(result.factor, truth);
  std::printf("%td numbers for %td unknowns: error %.2g after %td iterations\n", measurements,
              n * rank, error, result.iterations);
  return error < 1e-10 ? 0 : 1;
}
