#pragma once

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// Parameters that the best fit of all states adapts to the data, where X >= 0 holds it softly. The
/// gradient G of the loss has the slopes m_i = <v_i, G v_i> >= 0 along the eigenvectors of X. With
/// the loss curved by h along a direction of unit length, a shift of the data by one moves the
/// entry (i, j) of X in their basis by
///   h (l_i + l_j) / (h (l_i + l_j) + m_i + m_j),   l the eigenvalues,
/// as it does for the projection onto X >= 0; the parameters are the sum of these, less the trace,
/// and no fewer than a pure state has. Where nothing is held they are n^2 - 1.
double held_parameters(const Vector<double>& eigenvalues, const Vector<double>& slopes,
                       double curvature);

}  // namespace projfgd
