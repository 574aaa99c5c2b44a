// The shape checks that operators share: InputError where an argument does not fit.
#pragma once

#include "projfgd/core/factor.hpp"
#include "projfgd/core/require.hpp"

namespace projfgd {

/// A factor has as many rows as the operator.
template <class S>
void require_factor(const Matrix<S>& u, Index rows) {
  require_size("rows of the factor", u.rows(), rows);
}

/// A direction has the shape of the factor it goes with.
template <class S>
void require_factors(const Matrix<S>& u, const Matrix<S>& d, Index rows) {
  require_factor(u, rows);
  require_size("rows of the direction", d.rows(), rows);
  require_size("columns of the direction", d.cols(), u.cols());
}

/// There is one weight for each measurement.
template <class S>
void require_weights(const Vector<RealOf<S>>& w, Index measurements, const Matrix<S>& v,
                     Index rows) {
  require_size("weights", w.size(), measurements);
  require_factor(v, rows);
}

}  // namespace projfgd
