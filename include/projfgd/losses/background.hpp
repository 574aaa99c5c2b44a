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
  double value(const Values& p) const { return loss_.value(sum(p)); }
  void gradient(const Values& p, Values& w) const { loss_.gradient(sum(p), w); }
  void curvature(const Values& p, Values& h) const { loss_.curvature(sum(p), h); }
  void start_weights(Values& w) const { loss_.start_weights(w); }

 private:
  Values sum(const Values& p) const {
    Values total = p;
    axpy(Real(1), background_, total);
    return total;
  }

  L loss_;
  Values background_;
};

}  // namespace projfgd
