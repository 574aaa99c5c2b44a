#pragma once

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// Projects x >= 0 onto {w : w >= 0, sum w <= radius}, in O(n) expected time.
///
/// With d_i = max x - x_i the answer is w_i = max(level - d_i, 0), where the level solves
/// sum_i max(level - d_i, 0) = radius. It is found by partitioning about random pivots (Duchi et
/// al. 2008). The d_i, unlike the usual threshold max x - level, lose no digits when radius is much
/// smaller than x.
template <class R>
void project_simplex(Eigen::Ref<Vector<R>> x, double radius);

}  // namespace projfgd
