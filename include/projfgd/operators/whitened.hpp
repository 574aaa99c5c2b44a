#pragma once

#include <utility>

#include "projfgd/concepts.hpp"
#include "projfgd/core/elements.hpp"
#include "projfgd/operators/check.hpp"

namespace projfgd {

/// X -> D A(X) with a diagonal D >= 0: 1/2 <A(X) - y, D^2 (A(X) - y)> is then a plain sum of
/// squares. An empty D stands for the identity. Keeps a reference to A, which must outlive it, and
/// its work space: one thread at a time.
template <MeasurementOperator A>
class WhitenedOperator {
 public:
  using Factor = typename A::Factor;
  using Real = RealOf<Factor>;
  using Values = typename A::Values;

  WhitenedOperator(const A& op, Values diagonal) : operator_(op), diagonal_(std::move(diagonal)) {
    if (diagonal_.size() > 0) require_size("diagonal", diagonal_.size(), op.measurements());
  }

  Index rows() const { return operator_.rows(); }
  Index measurements() const { return operator_.measurements(); }
  void forward(const Factor& u, Values& y) const {
    operator_.forward(u, y);
    whiten(y);
  }
  void forward(const Factor& u, const Factor& d, Values& y) const {
    operator_.forward(u, d, y);
    whiten(y);
  }
  void adjoint_times(const Values& w, const Factor& v, Factor& g) const {
    if (diagonal_.size() == 0) return operator_.adjoint_times(w, v, g);
    require_size("weights", w.size(), measurements());
    map_values(weights_, element::Times{}, diagonal_, w);
    operator_.adjoint_times(weights_, v, g);
  }

 private:
  void whiten(Values& y) const {
    if (diagonal_.size() > 0) map_values(y, element::Times{}, diagonal_, y);
  }

  const A& operator_;
  Values diagonal_;
  mutable Values weights_;  // D w
};

}  // namespace projfgd
