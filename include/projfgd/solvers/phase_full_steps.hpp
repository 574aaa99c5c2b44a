// Phase retrieval by steps on all data at once, whichever the loss and the set.
#pragma once

#include <utility>

#include "projfgd/core/phase_objective.hpp"
#include "projfgd/losses/pointwise.hpp"
#include "projfgd/solvers/phase_descent.hpp"
#include "projfgd/solvers/projfgd.hpp"

namespace projfgd {

/// Full steps from z on the loss of that name: preconditioned conjugate gradients without a set,
/// projected quasi-Newton steps with one.
template <LinearMeasurement A, Constraint<typename A::Factor> C, class Watcher>
Result<typename A::Factor> full_steps(const A& op, const Vector<RealOf<typename A::Factor>>& y,
                                      PointwiseLoss loss, const C* set, typename A::Factor z,
                                      const Options& options, Watcher watcher) {
  return with_kernel(loss, [&](auto kernel) {
    using Kernel = decltype(kernel);
    if (set == nullptr) {
      return phase_descent<Kernel>(op, y, std::move(z), options, std::move(watcher));
    }
    PhaseObjective<A, Kernel> f(op, y);
    return projfgd(f, *set, Start<typename A::Factor>{std::move(z), 0}, options,
                   std::move(watcher));
  });
}

}  // namespace projfgd
