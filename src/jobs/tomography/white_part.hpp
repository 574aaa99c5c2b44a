// States U U^H + white noise, as problems for the solver and as factors without a row for it.
#pragma once

#include "jobs/tomography/model.hpp"

namespace projfgd {

/// A factor of U U^H + white I/n: its Hermitian square root where there is white noise, and U cut
/// to the columns that it needs where there is none.
template <class S>
Matrix<S> with_white_part(const Matrix<S>& u, double white);

/// The weight of white noise that starts at full rank have, where a column that is 0 would stay so.
inline constexpr double white_at_start = 1e-3;

/// The share of white noise in the trace where a fit of it starts.
inline constexpr double white_share_at_start = 0.1;

/// The problem of rho = U U^H + white noise, on factors that have a row for it, of rank 1.
template <class S>
Problem<S> problem_with_white_noise(const StateModel<S>& model);

}  // namespace projfgd
