// The shape checks that operators share: InputError where an argument does not fit.
#pragma once

#include "projfgd/core/factor.hpp"
#include "projfgd/core/require.hpp"

namespace projfgd {

/// A factor has as many rows as the operator.
template <class F>
void require_factor(const F& u, Index rows) {
  require_size("rows of the factor", u.rows(), rows);
}

/// A direction has the shape of the factor it goes with.
template <class F>
void require_factors(const F& u, const F& d, Index rows) {
  require_factor(u, rows);
  require_size("rows of the direction", d.rows(), rows);
  require_size("columns of the direction", d.cols(), u.cols());
}

/// There is one weight for each measurement.
template <class V, class F>
void require_weights(const V& w, Index measurements, const F& v, Index rows) {
  require_size("weights", w.size(), measurements);
  require_factor(v, rows);
}

}  // namespace projfgd
