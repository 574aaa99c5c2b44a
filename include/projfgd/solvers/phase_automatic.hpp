// The method `auto` of phase retrieval: block passes to get near, full steps to finish.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "projfgd/core/phase_objective.hpp"
#include "projfgd/losses/pointwise.hpp"
#include "projfgd/solvers/block_kaczmarz.hpp"
#include "projfgd/solvers/phase_descent.hpp"
#include "projfgd/solvers/projfgd.hpp"

namespace projfgd {

/// An observer of a later stage: iterations and objectives go on from where the stage before ended.
template <class Watcher>
struct LaterStage {
  Watcher& watcher;
  Index iterations_before;
  template <class Snap>
  bool operator()(const Snap& now) {
    if (now.row.iteration == 0) return true;  // the last row of the stage before
    Snap shifted = now;
    shifted.row.iteration += iterations_before;
    return watcher(shifted);
  }
};

/// What is left of the limits after so many iterations and seconds.
inline Options remaining(Options options, Index iterations, double seconds) {
  options.max_iterations = std::max<Index>(0, options.max_iterations - iterations);
  options.time_limit = time_left(options.time_limit, seconds);
  return options;
}

/// Joins the books of two runs, one after the other; the answer is that of the second.
template <Factor F>
Result<F> joined(const Result<F>& first, Result<F> second) {
  for (TraceRow& row : second.trace) {
    row.iteration += first.iterations;
    row.seconds += first.seconds;
  }
  if (!second.trace.empty()) second.trace.erase(second.trace.begin());
  second.trace.insert(second.trace.begin(), first.trace.begin(), first.trace.end());
  second.iterations += first.iterations;
  second.seconds += first.seconds;
  return second;
}

/// Whether the errors p - y grow with p, as those of counted photons do, or not, as those of a
/// detector's noise: compares their mean squares where p is small and where it is large.
template <LinearMeasurement A>
PointwiseLoss fitting_loss(const A& op, const Vector<RealOf<typename A::Factor>>& y,
                           const typename A::Factor& z) {
  using S = typename A::Factor::Scalar;
  Vector<RealOf<S>> p;
  op.forward(z, p);
  const double mean = y.mean();
  double square[2] = {0, 0}, size[2] = {0, 0};
  Index count[2] = {0, 0};
  for (Index i = 0; i < p.size(); ++i) {
    const int bright = p[i] > 2 * mean ? 1 : 0;
    if (bright == 0 && p[i] > mean / 2) continue;
    const double r = p[i] - y[i];
    square[bright] += r * r, size[bright] += p[i], ++count[bright];
  }
  if (count[0] == 0 || count[1] == 0) return PointwiseLoss::amplitude;
  const double growth = square[1] / count[1] / (square[0] / count[0]);
  const double brightness = size[1] / count[1] / (size[0] / count[0]);
  return growth < std::sqrt(brightness) ? PointwiseLoss::intensity : PointwiseLoss::poisson;
}

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
