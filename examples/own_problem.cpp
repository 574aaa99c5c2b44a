// Your own f and your own set: find the X = U U^T nearest to a given matrix B in the sense of a
// Huber-like loss, with every row of U on or inside the unit circle's upper half plane.
#include <Eigen/Core>
#include <cmath>
#include <cstdio>

#include "projfgd/solvers/projfgd.hpp"

using projfgd::Index;
using Matrix = projfgd::Matrix<double>;

// f(X) = sum_ij sqrt(1 + (X_ij - B_ij)^2) - 1, whose gradient is smooth and bounded.
struct PseudoHuber {
  using Factor = Matrix;
  Matrix target, slope;

  Index rows() const { return target.rows(); }
  double at(const Matrix& u) {  // f(U U^T); remembers the point
    const Eigen::ArrayXXd gap = (u * u.transpose() - target).array();
    const Eigen::ArrayXXd root = (1 + gap.square()).sqrt();
    slope = gap / root;
    return (gap.square() / (root + 1)).sum();  // root - 1, without cancellation
  }
  void gradient_times(const Matrix& v, Matrix& g) const { g = slope * v; }  // grad f(X) V
};

// Every row of U in the half disc {x: |x| <= 1, x_1 >= 0}: clip, then shrink; exact.
struct HalfDiscs {
  void project(Matrix& u) const {
    u.col(0) = u.col(0).cwiseMax(0);
    for (Index i = 0; i < u.rows(); ++i) u.row(i) /= std::max(1.0, u.row(i).norm());
  }
  bool convex() const { return true; }
};

int main() {
  Matrix truth = Matrix::Random(50, 2);
  HalfDiscs().project(truth);
  PseudoHuber f{truth * truth.transpose(), {}};

  projfgd::Options options;
  options.tolerance = 1e-12;
  const auto result = projfgd::projfgd(f, HalfDiscs(), /*rank=*/2, options);

  const double error = projfgd::relative_error(result.factor, truth);
  std::printf("%s after %td iterations: %s\nf = %.3g, error of X = %.3g\n",
              projfgd::to_string(result.status).data(), result.iterations, result.message.c_str(),
              result.objective, error);
  return error < 1e-6 ? 0 : 1;
}
