#pragma once

#include <cmath>

#include "projfgd/core/archive.hpp"

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

  void keep(Archive& archive) { archive(t_); }

 private:
  double t_ = 1;
};

}  // namespace projfgd
