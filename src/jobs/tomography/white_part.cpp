#include "jobs/tomography/white_part.hpp"

#include <cmath>
#include <complex>
#include <limits>
#include <utility>

#include "projfgd/core/small_matrix.hpp"
#include "projfgd/jobs/constraints.hpp"
#include "projfgd/jobs/place.hpp"
#include "projfgd/operators/white_noise.hpp"

namespace projfgd {

template <class S>
Matrix<S> with_white_part(const Matrix<S>& u, double white) {
  using Real = RealOf<S>;
  const Index n = u.rows();
  const HermitianEigen<S> eigen = hermitian_eigen(gram(u, u));
  const Real least = eigen.values.tail(1)[0] * std::numeric_limits<Real>::epsilon() * Real(n);
  const Index count = (eigen.values.array() > least).count();
  const Vector<Real> values = eigen.values.tail(count);
  Matrix<S> axes;  // orthogonal columns, sqrt(value) long
  multiply(u, Matrix<S>(eigen.vectors.rightCols(count).rowwise().reverse()), axes);
  if (!(white > 0)) return axes;
  const Real floor = static_cast<Real>(white / static_cast<double>(n));
  Matrix<S> root = std::sqrt(floor) * Matrix<S>::Identity(n, n);
  const Vector<Real> longer = ((values.array() + floor).sqrt() - std::sqrt(floor)) / values.array();
  root.noalias() += axes * longer.reverse().asDiagonal() * axes.adjoint();
  return root;
}

template <class S>
Problem<S> problem_with_white_noise(const StateModel<S>& model) {
  const Problem<S>& plain = model.problem;
  Problem<S> noisy = plain;
  const Vector<RealOf<S>> white = model.facts.white_predictions.template cast<RealOf<S>>();
  noisy.op = WhiteNoiseOperator<AnyOperator<S>>(plain.op, white);
  noisy.set = make_constraint<S>(model.facts.set, plain.op.rows() + 1);
  noisy.rank = 1;
  if (const PlacedProblem<S>* there = plain.elsewhere()) {
    noisy.placed = there->with_white_noise(noisy, white, model.facts.set);
  }
  if (plain.error) {
    noisy.error = [error = plain.error](const Matrix<S>& v) {
      return error(with_white_part<S>(low_rank_part(v), white_weight(v)));
    };
  }
  return noisy;
}

#define PROJFGD_INSTANTIATE(S)                                  \
  template Matrix<S> with_white_part(const Matrix<S>&, double); \
  template Problem<S> problem_with_white_noise(const StateModel<S>&);

PROJFGD_INSTANTIATE(std::complex<float>)
PROJFGD_INSTANTIATE(std::complex<double>)
#undef PROJFGD_INSTANTIATE

}  // namespace projfgd
