#pragma once

#include <cmath>

namespace projfgd {

/// Nesterov's weights t_1 = 1, t_{k+1} = (1 + sqrt(1 + 4 t_k^2)) / 2.
class NesterovWeights {
 public:
  double now() const { return t_; }  ///< t_k
  void restart() { t_ = 1; }

  /// Goes from t_k to t_{k+1}; returns (t_k - 1) / t_{k+1}, the momentum of the step.
  double advance() {
    const double next = (1 + std::sqrt(1 + 4 * t_ * t_)) / 2, momentum = (t_ - 1) / next;
    t_ = next;
    return momentum;
  }

 private:
  double t_ = 1;
};

}  // namespace projfgd
