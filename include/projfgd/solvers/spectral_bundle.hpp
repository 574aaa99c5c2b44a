#pragma once

#include <algorithm>
#include <cmath>

#include "projfgd/core/eigenpairs.hpp"
#include "projfgd/core/small_matrix.hpp"
#include "projfgd/solvers/compared.hpp"
#include "projfgd/solvers/small_trace_problem.hpp"

namespace projfgd {

/// The best point of f = 1/2 ||A(X) - y||^2 among
///
///   a T T^H + P S P^H,  a >= 0, S >= 0, trace at most tau,
///
/// where P is a basis of the leading columns of U and of further vectors V, and T has the other
/// columns of U: the step of the spectral bundle method (Helmberg and Rendl 2000). It is a small
/// problem, whatever n; f never rises, and the rank of the answer follows that of the solution.
template <MeasurementOperator A>
class SpectralBundle {
 public:
  using F = typename A::Factor;
  using S = typename F::Scalar;
  using Real = RealOf<F>;

  /// At most `width` columns of U are in P.
  SpectralBundle(const TraceProblem<A>& problem, Index width) : problem_(problem), width_(width) {}

  /// Moves U, whose columns must be orthogonal and descend in length, and p = A(U U^H). Returns a
  /// bound on how far X went, in the Frobenius norm.
  double step(const F& v, F& u, Vector<Real>& p) {
    const Index head = std::min(width_, u.cols()), tail = u.cols() - head;
    F columns(u.rows(), head + v.cols());
    columns << u.leftCols(head).colwise().normalized(), v;
    const F basis = orthonormal_basis(columns), rest = u.rightCols(tail);
    const Index size = basis.cols();
    const Real weight = rest.squaredNorm();
    measure(basis, rest, weight);

    const Matrix<S> part = gram(basis, F(u.leftCols(head)));
    const Vector<Real> x0 = Small::to_vector(part * part.adjoint(), weight);
    const Small small{gram(images_, images_), gram(images_, Matrix<Real>(p - problem_.y)),
                      problem_.trace, size};
    const Vector<Real> x = small.solve(x0, inner_tolerance);
    p += images_ * (x - x0);

    const HermitianEigen<S> eigen = hermitian_eigen<S>(Small::to_matrix(x, size));
    const Real floor = eigen.values[size - 1] * Real(size) * Eigen::NumTraits<Real>::epsilon();
    Index keep = 1;
    while (keep < size && eigen.values[size - 1 - keep] > floor) ++keep;
    const Vector<Real> d = eigen.values.tail(keep).reverse().cwiseMax(Real(0)).cwiseSqrt();
    u.resize(basis.rows(), keep + tail);
    u << basis * (eigen.vectors.rightCols(keep).rowwise().reverse() * d.asDiagonal()),
        rest * std::sqrt(weight > 0 ? x[x.size() - 1] / weight : Real(0));
    const Vector<Real> moved = x - x0;
    return moved.head(x.size() - 1).norm() + std::abs(moved[x.size() - 1]);
  }

  /// What a step costs at most, in products A(u v^H).
  Index cost(Index further) const { return Small::entries(width_ + further); }

 private:
  using Small = SmallTraceProblem<S>;
  static constexpr double inner_tolerance = 1e-3;

  /// A of every direction of x, one column each.
  void measure(const F& basis, const F& rest, Real weight) {
    images_.resize(problem_.y.size(), Small::entries(basis.cols()));
    const Real root = std::sqrt(Real(2));
    Index k = 0;
    for (Index j = 0; j < basis.cols(); ++j) {
      const F right = basis.col(j);
      for (Index i = 0; i < j; ++i) {
        F left = basis.col(i);
        problem_.op.forward(left, right, image_);
        images_.col(k++) = root * image_;
        if constexpr (is_complex<S>) {
          left *= S(0, 1);
          problem_.op.forward(left, right, image_);
          images_.col(k++) = root * image_;
        }
      }
      problem_.op.forward(right, image_);
      images_.col(k++) = image_;
    }
    images_.col(k).setZero();
    if (weight > 0) {
      problem_.op.forward(rest, image_);
      images_.col(k) = image_ / weight;
    }
  }

  const TraceProblem<A>& problem_;
  Index width_;
  Matrix<Real> images_;
  Vector<Real> image_;
};

}  // namespace projfgd
