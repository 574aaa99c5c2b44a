// Sparse principal component: min 1/2 ||u u^T - S||_F^2 over ||u||_1 <= lambda, where S is the
// covariance of few samples of many variables and only ten variables move together.
#include <cmath>
#include <cstdio>

#include "projfgd/constraints/l1.hpp"
#include "projfgd/constraints/none.hpp"
#include "projfgd/core/composite.hpp"
#include "projfgd/core/random.hpp"
#include "projfgd/losses/least_squares.hpp"
#include "projfgd/operators/identity.hpp"
#include "projfgd/solvers/projfgd.hpp"

using projfgd::Index;
using Matrix = projfgd::Matrix<double>;

// |<u, v>| / (||u|| ||v||): 1 for the right direction.
double cosine(const Matrix& u, const Matrix& v) {
  return std::abs(u.col(0).dot(v.col(0))) / (u.norm() * v.norm());
}

int main() {
  constexpr Index variables = 200, samples = 60, active = 10;
  Matrix component = Matrix::Zero(variables, 1);
  component.topRows(active).setConstant(1 / std::sqrt(10.0));

  // Columns: samples 3 g component + noise, over sqrt(samples), so that S = data data^T.
  Matrix data(variables, samples), strength(samples, 1);
  fill_normal(projfgd::RandomStream(/*seed=*/1, /*stream=*/0), data);
  fill_normal(projfgd::RandomStream(1, 1), strength);
  data = (data + 3 * component * strength.transpose()) / std::sqrt(double(samples));

  const projfgd::IdentityOperator<double> op(variables);
  projfgd::Vector<double> covariance;
  op.forward(data, covariance);
  projfgd::Composite f(op, projfgd::LeastSquares<double>(covariance));

  const auto plain = projfgd::projfgd(f, projfgd::Unconstrained(), /*rank=*/1);
  const double radius = std::sqrt(double(active)) * plain.factor.norm();  // of ten equal entries
  const auto sparse = projfgd::projfgd(f, projfgd::L1Ball(radius), /*rank=*/1);

  const auto count = (sparse.factor.array() != 0).count();
  const double before = cosine(plain.factor, component), after = cosine(sparse.factor, component);
  std::printf("plain: cosine %.3f with %td variables; l1 ball: cosine %.3f with %td variables\n",
              before, variables, after, count);
  return after > before && after > 0.9 && count < variables / 3 ? 0 : 1;
}
