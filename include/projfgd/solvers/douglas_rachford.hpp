#pragma once

#include <cmath>
#include <complex>
#include <limits>
#include <utility>

#include "projfgd/core/parts.hpp"
#include "projfgd/core/phase_elements.hpp"
#include "projfgd/measures/distance.hpp"
#include "projfgd/solvers/monitor.hpp"

namespace projfgd {

/// Tells from the misfits of a search that it is over: on average over a while they are far below
/// what they were at first and fall no more, or above that.
class SearchEnd {
 public:
  /// Whether so, after one more.
  bool add(double misfit) {
    sum_ += misfit;
    if (++count_ % window != 0) return false;
    const bool found = last_ < far_below * first_ && sum_ > level * last_;
    if (count_ == window) first_ = sum_;
    const bool astray = sum_ > first_;
    last_ = std::exchange(sum_, 0);
    return found || astray;
  }

  void keep(Archive& archive) { archive(first_, last_, sum_, count_); }

 private:
  static constexpr Index window = 20;
  static constexpr double far_below = 0.36, level = 0.97;
  double first_ = 0, last_ = std::numeric_limits<double>::infinity(), sum_ = 0;
  Index count_ = 0;
};

/// Douglas-Rachford splitting between the vectors x of C^m with moduli b and those of the form A z,
/// z in C (Bauschke, Combettes, Luke 2002; for coded patterns Chen, Fannjiang 2018). From
/// x + P_M(2 P_A x - x) - P_A x follow, with z the point of P_A x and q = 2 A z - x,
///
///   d = b phase(q) - q,   x <- A z + d,   z <- P_C(z + (A^H A)^{-1} A^H d),
///
/// which would be error reduction if x were A z. x remembers how the two sets disagree: that leads
/// out of points where alternating projections stay. It takes m numbers; an iteration costs one
/// product with A and one with its adjoint. Under noise z goes round the answer for ever, or away
/// from it: once it does, the steps become those of error reduction, which settle, from the point
/// with the least misfit. P_A is meant roughly where rows are left out, and where P_C is not the
/// nearest point by the norm of A z.
template <LinearMeasurement A, Constraint<typename A::Factor> C, class Watcher = NoObserver>
Result<typename A::Factor> douglas_rachford(const A& op, const typename A::Values& amplitude,
                                            const C& set, typename A::Factor z,
                                            const Options& options = {}, Watcher watcher = {}) {
  using F = typename A::Factor;
  validate(options);
  Monitor<F, Watcher> monitor(options, watcher);
  set.project(z);
  typename A::ComplexValues x;
  set_zero(op.measurements(), x);
  KeptRows<A, typename A::ComplexValues> kept{op, x};
  F step, last;
  SearchEnd search;
  BestPoint<F> best;
  double misfit = 0, change = std::numeric_limits<double>::infinity();
  bool searching = false, found = false;  // before the first step x is A z
  while (true) {
    misfit = op.pass(z, element::Reflection{searching}, step, x, amplitude);
    if (!std::isfinite(misfit)) {
      monitor.stop(Status::diverged, "an iterate was not finite");
      break;
    }
    const bool stop = monitor.record(z, misfit, change);
    if (!monitor.goes_on(stop, z, kept, step, search, best, misfit, change, searching, found))
      break;
    if (!found) {
      best.keep(z, misfit, 0);
      found = search.add(misfit);
      searching = !found;
      if (found) {
        z = std::move(best.point);
        continue;
      }
    }
    op.solve_normal(step);
    last = z;
    axpy(1, step, z);
    set.project(z);
    subtract(z, last, step);
    change = change_by_step(z, step);
  }
  return monitor.result(std::move(z), misfit);
}

}  // namespace projfgd
