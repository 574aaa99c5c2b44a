#include "projfgd/solvers/small_trace_problem.hpp"

#include <algorithm>
#include <complex>
#include <utility>

#include "projfgd/core/eigenpairs.hpp"
#include "projfgd/core/hermitian_coordinates.hpp"
#include "projfgd/core/small_matrix.hpp"
#include "projfgd/solvers/gradient_step_map.hpp"
#include "projfgd/solvers/momentum.hpp"

namespace projfgd {
namespace {

template <class S>
void to_vector(const Matrix<S>& s, RealOf<S> a, Vector<RealOf<S>>& x) {
  to_coordinates(s, x.data());
  x[x.size() - 1] = a;
}

/// The closest matrix and number with S >= 0, a >= 0 and tr S + a <= tau; keeps its work space.
template <class S>
class Feasible {
 public:
  using Real = RealOf<S>;

  Feasible(Index size, double tau)
      : size_(size), tau_(tau), matrix_(size, size), scaled_(size, size), d_(size + 1) {}

  void project(Vector<Real>& x) {
    from_coordinates(x.data(), matrix_);
    const HermitianEigen<S> eigen = hermitian_eigen<S>(matrix_);
    d_ << eigen.values, x[x.size() - 1];
    project_spectrum(tau_, d_);
    scaled_ = eigen.vectors * d_.head(size_).cwiseSqrt().asDiagonal();
    matrix_.noalias() = scaled_.lazyProduct(scaled_.adjoint());
    to_vector(matrix_, d_[size_], x);
  }

 private:
  Index size_;
  double tau_;
  Matrix<S> matrix_, scaled_;
  Vector<Real> d_;
};

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
  Vector<Real> x(entries(s.rows()));
  projfgd::to_vector<S>(s, a, x);
  return x;
}

template <class S>
Matrix<S> SmallTraceProblem<S>::to_matrix(const Vector<Real>& x, Index size) {
  Matrix<S> s(size, size);
  from_coordinates(x.data(), s);
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
  Feasible<S> feasible(size, trace);
  Vector<Real> x = x0, before = x0, ahead = x0, moved(x0.size()), slope(x0.size());
  NesterovWeights weights;
  for (int k = 0; k < limit; ++k) {
    moved = ahead - x0;
    slope.noalias() = hessian * moved;
    std::swap(before, x);
    x = ahead - (gradient + slope) / curvature;
    feasible.project(x);
    const double length = (x - ahead).norm();
    if (length <= std::max(tolerance * (x - x0).norm(), rounding * x.norm())) break;
    const bool turned = (ahead - x).dot(x - before) > 0;
    if (turned) weights.restart();
    const auto momentum = static_cast<Real>(weights.advance());
    ahead = x + (turned ? Real(0) : momentum) * (x - before);
  }
  moved = x - x0;  // f must not rise, whatever the momentum did
  slope.noalias() = hessian * moved;
  return moved.dot(gradient) + moved.dot(slope) / 2 <= 0 ? x : x0;
}

template struct SmallTraceProblem<float>;
template struct SmallTraceProblem<double>;
template struct SmallTraceProblem<std::complex<float>>;
template struct SmallTraceProblem<std::complex<double>>;

}  // namespace projfgd
