// A factor, measurement vectors and an operator of somebody else's, with the installed library: the
// numbers are not Eigen's and nobody sees where they are.
#include <cstdio>
#include <projfgd/constraints/frobenius.hpp>
#include <projfgd/core/composite.hpp>
#include <projfgd/losses/least_squares.hpp>
#include <projfgd/measures/distance.hpp>
#include <projfgd/solvers/projfgd.hpp>

#include "support/opaque.hpp"

using Matrix = projfgd::Matrix<double>;
using Vector = projfgd::Vector<double>;
using projfgd::Index;

/// y_i = a_i^T X a_i.
struct QuadraticForms {
  using Factor = Matrix;
  using Values = Vector;
  Matrix a;

  Index rows() const { return a.cols(); }
  Index measurements() const { return a.rows(); }
  void forward(const Matrix& u, Vector& y) const { forward(u, u, y); }
  void forward(const Matrix& u, const Matrix& d, Vector& y) const {
    y = (a * u).cwiseProduct(a * d).rowwise().sum();
  }
  void adjoint_times(const Vector& w, const Matrix& v, Matrix& g) const {
    g = a.transpose() * (w.asDiagonal() * (a * v));
  }
};

int main() {
  using Place = projfgd::test::OpaqueOperator<QuadraticForms>;
  const QuadraticForms forms{Matrix::Random(120, 10)};
  const Matrix truth = Matrix::Random(10, 2);
  Vector y;
  forms.forward(truth, y);
  Place::Values data;
  copy_from_host(y, data);

  const Place op(forms);
  projfgd::Composite f(op, projfgd::LeastSquares<double, Place::Values>(data));
  projfgd::Options options;
  options.tolerance = 1e-10;
  const auto found = projfgd::projfgd(f, projfgd::FrobeniusBall(100), /*rank=*/2, options);
  const double error = projfgd::relative_error(copy_to_host(found.factor), truth);
  std::printf("%s, error of X = %.3g\n", projfgd::to_string(found.status).data(), error);
  return error < 1e-6 ? 0 : 1;
}
