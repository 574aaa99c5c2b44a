// min 1/2 ||A(X) - y||^2 over X >= 0, tr X <= tau with dense A_i, and a solver for it that shares
// nothing with the library: accelerated projected gradients with full eigendecompositions.
#pragma once

#include <Eigen/Eigenvalues>
#include <cmath>
#include <complex>
#include <vector>

#include "projfgd/operators/dense.hpp"
#include "projfgd/solvers/compared.hpp"
#include "support/support.hpp"

namespace projfgd::test {

using Complex = std::complex<double>;

struct DenseTraceProblem {
  std::vector<Matrix<Complex>> matrices;
  DenseOperator<Complex> op;
  Matrix<Complex> truth;  ///< of trace 1
  Vector<double> y;
  double smoothness;  ///< ||A||^2, from the Gram matrix of the A_i

  TraceProblem<DenseOperator<Complex>> problem() const { return {op, y, 1.0}; }
};

inline DenseTraceProblem dense_trace_problem(Index n, Index m, Index rank, double noise,
                                             std::uint64_t seed) {
  std::vector<Matrix<Complex>> matrices;
  for (Index i = 0; i < m; ++i) {
    matrices.push_back(random_hermitian<Complex>(n, seed * 10007 + static_cast<unsigned>(i)) /
                       std::sqrt(static_cast<double>(m)));
  }
  Matrix<double> products(m, m);
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < m; ++j) {
      products(i, j) = std::real((matrices[i].adjoint() * matrices[j]).trace());
    }
  }
  DenseOperator<Complex> op(matrices);
  Matrix<Complex> truth = random_factor<Complex>(n, rank, seed + 17);
  truth /= truth.norm();
  Vector<double> y;
  op.forward(truth, y);
  const Vector<double> e = random_vector<double>(m, seed + 29);
  y += noise / e.norm() * e;
  const double smoothness =
      Eigen::SelfAdjointEigenSolver<Matrix<double>>(products).eigenvalues()[m - 1];
  return {std::move(matrices), std::move(op), std::move(truth), std::move(y), smoothness};
}

/// The smallest 1/2 ||A(X) - y||^2 + lambda tr X over X >= 0 and tr X <= tau.
inline double dense_minimum(const DenseTraceProblem& p, double tau, double lambda, int iterations) {
  const Index n = p.truth.rows(), m = p.y.size();
  Matrix<Complex> rows(m, n * n);  // <A_i, X> = rows_i vec(X)
  for (Index i = 0; i < m; ++i) {
    rows.row(i) = p.matrices[i].conjugate().reshaped().transpose();
  }
  Matrix<Complex> x = Matrix<Complex>::Zero(n, n), ahead = x;
  double t = 1, best = p.y.squaredNorm() / 2;
  for (int k = 0; k < iterations; ++k) {
    const Vector<double> s = (rows * ahead.reshaped()).real() - p.y;
    const Matrix<Complex> g = (rows.adjoint() * s.cast<Complex>()).reshaped(n, n);
    const Matrix<Complex> step =
        ahead - (g + lambda * Matrix<Complex>::Identity(n, n)) / p.smoothness;
    const Eigen::SelfAdjointEigenSolver<Matrix<Complex>> eigen((step + step.adjoint()) / 2.0);
    double low = 0, high = std::max(0.0, eigen.eigenvalues()[n - 1]);
    const auto total = [&](double shift) {
      return (eigen.eigenvalues().array() - shift).cwiseMax(0.0).sum();
    };
    if (total(0) > tau) {
      for (int b = 0; b < 60; ++b) (total((low + high) / 2) > tau ? low : high) = (low + high) / 2;
    }
    const double shift = total(0) > tau ? high : 0;
    const Vector<double> d = (eigen.eigenvalues().array() - shift).cwiseMax(0.0);
    const Matrix<Complex> next =
        eigen.eigenvectors() * d.asDiagonal() * eigen.eigenvectors().adjoint();
    const double value =
        ((rows * next.reshaped()).real() - p.y).squaredNorm() / 2 + lambda * d.sum();
    const double next_t = value > best ? 1 : (1 + std::sqrt(1 + 4 * t * t)) / 2;
    ahead = next + (value > best ? 0.0 : (t - 1) / next_t) * (next - x);
    x = next;
    t = next_t;
    best = std::min(best, value);
  }
  return best;
}

}  // namespace projfgd::test
