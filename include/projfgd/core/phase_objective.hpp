#pragma once

#include "projfgd/concepts.hpp"
#include "projfgd/core/archive.hpp"
#include "projfgd/core/phase.hpp"

namespace projfgd {
namespace element {

/// v = h'(|v|^2, y) v; h(|v|^2, y).
template <class Kernel>
struct LossGradient {
  template <class S, class R>
  constexpr double operator()(S& v, const R& y) const {
    const R p = squared_modulus(v);
    v *= Kernel::slope(p, y);
    return static_cast<double>(Kernel::value(p, y));
  }
};

/// h'(p, y)
template <class Kernel>
struct LossSlope {
  template <class R>
  constexpr R operator()(R p, R y) const {
    return Kernel::slope(p, y);
  }
};

}  // namespace element

/// f(z z^H) = sum_i h(|a_i^H z|^2, y_i) for a single column z, with h one of losses/pointwise.hpp.
///
/// Value and gradient come from one pass over the blocks of A: one product with A and one with its
/// adjoint, and work space O(n).
template <LinearMeasurement A, class Kernel>
class PhaseObjective {
 public:
  using Factor = typename A::Factor;
  using Values = typename A::Values;

  /// Keeps references to both, which must outlive the objective.
  PhaseObjective(const A& op, const Values& y) : operator_(op), y_(y) {}

  Index rows() const { return operator_.rows(); }

  /// The remembered point with its gradient.
  void keep(Archive& archive) { archive(point_, gradient_); }

  double at(const Factor& u) {
    point_ = u;
    return operator_.pass(u, element::LossGradient<Kernel>{}, gradient_, y_);
  }

  void gradient_times(const Factor& v, Factor& g) {
    if (v.cols() == point_.cols()) {
      subtract(v, point_, g);
      if (norm(g) == 0) {
        g = gradient_;
        return;
      }
    }
    Values weights;
    operator_.forward(point_, weights);
    map_values(weights, element::LossSlope<Kernel>{}, weights, y_);
    operator_.adjoint_times(weights, v, g);
  }

  /// g = A^H diag(y) A v, the matrix whose leading eigenvector points at the signal.
  void start_times(const Factor& v, Factor& g) { operator_.adjoint_times(y_, v, g); }

 private:
  const A& operator_;
  const Values& y_;
  Factor point_, gradient_;
};

}  // namespace projfgd
