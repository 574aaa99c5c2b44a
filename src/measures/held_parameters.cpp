#include "projfgd/measures/held_parameters.hpp"

#include <algorithm>

#include "projfgd/measures/noise.hpp"

namespace projfgd {

double held_parameters(const Vector<double>& eigenvalues, const Vector<double>& slopes,
                       double curvature) {
  const Index n = eigenvalues.size();
  double sum = 0;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const double free = curvature * (eigenvalues[i] + eigenvalues[j]);
      if (free > 0) sum += free / (free + slopes[i] + slopes[j]);
    }
  }
  return std::max(sum, parameters(n, 1)) - 1;
}

}  // namespace projfgd
