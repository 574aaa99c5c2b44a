#pragma once

#include "projfgd/core/any.hpp"
#include "projfgd/core/random.hpp"

namespace projfgd {

/// How much a loss curves on average over the directions of X at predictions p, as one random
/// direction shows it.
template <class S>
double mean_curvature(const AnyOperator<S>& op, const AnyLoss<RealOf<S>>& loss,
                      const Vector<RealOf<S>>& p) {
  const Index n = op.rows();
  Matrix<S> direction(n, n);
  fill_normal(RandomStream(1, 0xC04E), direction);
  direction = (direction + direction.adjoint()).eval();
  Vector<RealOf<S>> change, curvature;
  op.forward(Matrix<S>::Identity(n, n), direction, change);
  loss.curvature(p, curvature);
  return curvature.dot(change.cwiseAbs2()) / direction.squaredNorm();
}

}  // namespace projfgd
