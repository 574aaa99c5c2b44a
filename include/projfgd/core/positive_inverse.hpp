#pragma once

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// The inverse of a Hermitian positive definite matrix.
template <class S>
Matrix<S> positive_inverse(const Matrix<S>& a);

}  // namespace projfgd
