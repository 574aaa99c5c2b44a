#pragma once

#include <utility>

#include "projfgd/concepts.hpp"
#include "projfgd/core/require.hpp"

namespace projfgd {

/// loss(p + b) of predictions p on a background b that has nothing to do with X: counts that come
/// by accident are part of the model so that their noise is, too.
template <Loss L>
class WithBackground {
 public:
  using Real = typename L::Real;
  using Values = typename L::Values;

  WithBackground(L loss, Values background)
      : loss_(std::move(loss)), background_(std::move(background)) {
    require_size("background", background_.size(), loss_.measurements());
  }

  Index measurements() const { return loss_.measurements(); }
  double value(const Values& p) const {
    Values sum;
    add(p, sum);
    return loss_.value(sum);
  }
  void gradient(const Values& p, Values& w) const {
    add(p, w);
    loss_.gradient(w, w);
  }
  void curvature(const Values& p, Values& h) const {
    add(p, h);
    loss_.curvature(h, h);
  }
  void start_weights(Values& w) const { loss_.start_weights(w); }

 private:
  void add(const Values& p, Values& sum) const {
    sum = p;
    axpy(Real(1), background_, sum);
  }

  L loss_;
  Values background_;
};

}  // namespace projfgd
