#include "projfgd/solvers/small_trace_problem.hpp"

#include <utility>

#include "projfgd/core/eigenpairs.hpp"
#include "projfgd/core/small_matrix.hpp"
#include "projfgd/solvers/gradient_step_map.hpp"
#include "projfgd/solvers/momentum.hpp"

namespace projfgd {
namespace {

/// The closest matrix and number with S >= 0, a >= 0 and tr S + a <= tau.
template <class S>
Vector<RealOf<S>> feasible(const Vector<RealOf<S>>& x, Index size, double tau) {
  using Real = RealOf<S>;
  const HermitianEigen<S> eigen = hermitian_eigen<S>(SmallTraceProblem<S>::to_matrix(x, size));
  Vector<Real> d(size + 1);
  d << eigen.values, x[x.size() - 1];
  project_spectrum(tau, d);
  Matrix<S> product;
  multiply<S>(eigen.vectors * d.head(size).asDiagonal(), eigen.vectors.adjoint(), product);
  return SmallTraceProblem<S>::to_vector(product, d[size]);
}

template <class R>
struct SmallMap {
  using Factor = Matrix<R>;
  const Matrix<R>& matrix;
  Index rows() const { return matrix.rows(); }
  void times(const Factor& v, Factor& g) const { multiply(matrix, v, g); }
};

}  // namespace

template <class S>
Vector<RealOf<S>> SmallTraceProblem<S>::to_vector(const Matrix<S>& s, Real a) {
  const Real root = std::sqrt(Real(2));
  Vector<Real> x(entries(s.rows()));
  Index k = 0;
  for (Index j = 0; j < s.rows(); ++j) {
    for (Index i = 0; i < j; ++i) {
      x[k++] = root * std::real(s(i, j));
      if constexpr (is_complex<S>) x[k++] = root * std::imag(s(i, j));
    }
    x[k++] = std::real(s(j, j));
  }
  x[k] = a;
  return x;
}

template <class S>
Matrix<S> SmallTraceProblem<S>::to_matrix(const Vector<Real>& x, Index size) {
  const Real root = std::sqrt(Real(0.5));
  Matrix<S> s(size, size);
  Index k = 0;
  for (Index j = 0; j < size; ++j) {
    for (Index i = 0; i < j; ++i) {
      if constexpr (is_complex<S>) {
        s(i, j) = S(root * x[k], root * x[k + 1]);
        s(j, i) = std::conj(s(i, j));
        k += 2;
      } else {
        s(i, j) = s(j, i) = root * x[k++];
      }
    }
    s(j, j) = x[k++];
  }
  return s;
}

template <class S>
Vector<RealOf<S>> SmallTraceProblem<S>::solve(const Vector<Real>& x0, double tolerance) const {
  constexpr int limit = 2000;
  constexpr Real margin = Real(1.02);  // the eigenvalue comes from below
  const Real curvature =
      margin * largest_eigenpairs(SmallMap<Real>{hessian}, 1, {.tolerance = 1e-2}).values[0];
  if (!(curvature > 0)) return x0;
  const double rounding = 8 * Eigen::NumTraits<Real>::epsilon();
  Vector<Real> x = x0, before, ahead = x0;
  NesterovWeights weights;
  for (int k = 0; k < limit; ++k) {
    before = std::exchange(
        x, feasible<S>(ahead - (gradient + hessian * (ahead - x0)) / curvature, size, trace));
    const double length = (x - ahead).norm();
    if (length <= std::max(tolerance * (x - x0).norm(), rounding * x.norm())) break;
    const bool turned = (ahead - x).dot(x - before) > 0;
    if (turned) weights.restart();
    const auto momentum = static_cast<Real>(weights.advance());
    ahead = x + (turned ? Real(0) : momentum) * (x - before);
  }
  const Vector<Real> moved = x - x0;  // f must not rise, whatever the momentum did
  return moved.dot(gradient) + moved.dot(hessian * moved) / 2 <= 0 ? x : x0;
}

template struct SmallTraceProblem<float>;
template struct SmallTraceProblem<double>;
template struct SmallTraceProblem<std::complex<float>>;
template struct SmallTraceProblem<std::complex<double>>;

}  // namespace projfgd
