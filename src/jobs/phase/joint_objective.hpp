// Object and probe of a scan as one factor.
#pragma once

#include "projfgd/core/any.hpp"
#include "projfgd/core/phase_objective.hpp"
#include "projfgd/losses/pointwise.hpp"
#include "projfgd/operators/ptychography.hpp"

namespace projfgd {

/// A set that the object of (object, probe) lies in; the probe is free.
template <class S>
struct OfObject {
  AnyConstraint<S> set;
  Index pixels;
  void project(Matrix<S>& both) const {
    Matrix<S> object = both.topRows(pixels);
    set.project(object);
    both.topRows(pixels) = object;
  }
};

/// sum_i h(|(A z)_i|^2, y_i) of object and probe z together.
template <class S>
class JointObjective {
 public:
  using Factor = Matrix<S>;
  using OnlyTimesItsPoint = void;

  /// Keeps references to both, which must outlive it.
  JointObjective(PointwiseLoss loss, JointScanOperator<S>& op, const Vector<RealOf<S>>& y)
      : loss_(loss), op_(op), y_(y) {}

  Index rows() const { return op_.rows(); }
  double at(const Factor& z) {
    op_.move_to(z / RealOf<S>(2));
    const double value = with_kernel(loss_, [&](auto kernel) {
      return op_.pass(z, element::LossGradient<decltype(kernel)>{}, gradient_, y_);
    });
    scale(2, gradient_);  // the derivative at z is twice that at z / 2
    return value;
  }
  void gradient_times(const Factor&, Factor& g) { g = gradient_; }
  void keep(Archive& archive) { archive(gradient_); }

 private:
  PointwiseLoss loss_;
  JointScanOperator<S>& op_;
  const Vector<RealOf<S>>& y_;
  Factor gradient_;
};

}  // namespace projfgd
