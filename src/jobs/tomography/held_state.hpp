// How strongly X >= 0 constrains a fit of full rank.
#pragma once

#include "projfgd/core/any.hpp"
#include "projfgd/core/small_matrix.hpp"

namespace projfgd {

/// The eigenvectors of a state X, its eigenvalues, the slopes of the loss along them, and how much
/// the loss curves along a direction; see measures/held_parameters.hpp.
template <class S>
struct HeldState {
  Matrix<S> eigenvectors;
  Vector<double> eigenvalues, slopes;
  double curvature = 0;
};

/// Of X = U U^H that predicts p.
template <class S>
HeldState<S> held_state(const AnyOperator<S>& op, const AnyLoss<RealOf<S>>& loss,
                        const Matrix<S>& u, const Vector<RealOf<S>>& p);

}  // namespace projfgd
