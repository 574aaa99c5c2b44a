#pragma once

#include <type_traits>

#include "projfgd/concepts.hpp"

namespace projfgd {

/// f(z z^H) = sum_i h(|a_i^H z|^2, y_i) for a single column z, with h one of losses/pointwise.hpp.
///
/// Value and gradient come from one pass over the blocks of A: one product with A and one with its
/// adjoint, and work space O(n).
template <LinearMeasurement A, class Kernel>
class PhaseObjective {
 public:
  using Factor = typename A::Factor;
  using Real = RealOf<Factor>;
  using Scalar = typename Factor::Scalar;

  /// Keeps references to both, which must outlive the objective.
  PhaseObjective(const A& op, const Vector<Real>& y) : operator_(op), y_(y) {}

  Index rows() const { return operator_.rows(); }

  double at(const Factor& u) {
    point_ = u;
    return operator_.pass(
        u,
        [this](Index begin, Index count, Scalar* v) {
          const Real* y = y_.data() + begin;
          const auto add = [&](Index i, double& sum) {
            const Real p = std::norm(v[i]);
            sum += static_cast<double>(Kernel::value(p, y[i]));
            v[i] *= Kernel::slope(p, y[i]);
          };
          double a = 0, b = 0, c = 0, d = 0;  // four sums, so that none waits for itself
          Index i = 0;
          for (; i + 4 <= count; i += 4) add(i, a), add(i + 1, b), add(i + 2, c), add(i + 3, d);
          for (; i < count; ++i) add(i, a);
          return (a + b) + (c + d);
        },
        gradient_);
  }

  void gradient_times(const Factor& v, Factor& g) {
    if (v == point_) {
      g = gradient_;
      return;
    }
    Vector<Real> weights;
    operator_.forward(point_, weights);
    for (Index i = 0; i < weights.size(); ++i) weights[i] = Kernel::slope(weights[i], y_[i]);
    operator_.adjoint_times(weights, v, g);
  }

  /// g = A^H diag(y) A v, the matrix whose leading eigenvector points at the signal.
  void start_times(const Factor& v, Factor& g) { operator_.adjoint_times(y_, v, g); }

 private:
  const A& operator_;
  const Vector<Real>& y_;
  Factor point_, gradient_;
};

}  // namespace projfgd
