#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "projfgd/solvers/atom_sum.hpp"
#include "projfgd/solvers/lowest_eigenvector.hpp"

namespace projfgd {

struct SparseApproxSdpOptions {
  bool exact_step = true;  ///< the best point of the segment, else a_k = 2 / (k + 2)
};

/// SparseApproxSDP (Hazan 2008): conditional gradients on {X >= 0, tr X <= tau}.
///
///   v = lowest eigenvector of A*(s), s = A(X) - y;  S = tau v v^H if lambda < 0, else 0
///   X <- X + a (S - X),  a = clip(<s, A(X) - A(S)> / ||A(S) - A(X)||^2, 0, 1)
///
/// The eigenvector is found as finely as the step asks for: what S gains to first order is at least
/// half of what the best S may gain, which keeps the rate with twice its constant.
///
/// f(X) - <s, A(X) - A(S)> is below f* where lambda is the lowest eigenvalue, which a rough one
/// need not be. The iterate that promises the largest of these is kept, and its eigenvalue found
/// with care in the end: that gives the gap of the answer.
template <MeasurementOperator A, class Watcher = NoObserver>
Result<typename A::Factor> sparse_approx_sdp(const TraceProblem<A>& problem,
                                             typename A::Factor start, const Options& options = {},
                                             const SparseApproxSdpOptions& own = {},
                                             Watcher watcher = {}) {
  using F = typename A::Factor;
  using Real = RealOf<F>;
  validate(problem);
  validate(options);
  Monitor<F, Watcher> monitor(options, watcher);
  AtomSum<typename F::Scalar> x(std::move(start));
  constexpr double roughest = 1e-2, finest = 1e-7;
  constexpr Index most_products = 60, most_products_for_gap = 300;
  LowestEigenvector<A> lowest(problem.op, options.seed, [&] { return monitor.in_time(); });
  RecentSteps recent(StopWindow::sparse_approx_sdp);
  Vector<Real> p, s, image, best_s;
  problem.op.forward(x.factor(), p);
  s = p - problem.y;
  double value = problem.value(p), intercept = 0, promised = 0;  // f* >= 0, whatever X is
  const auto bound = [&](double at_zero, double lambda) {        // on f*, from below
    return at_zero + problem.trace * std::min(lambda, 0.0);
  };
  bool stop = monitor.record(x.factor(), value, std::numeric_limits<double>::infinity());
  for (Index k = 0;
       monitor.goes_on(stop, x, lowest, recent, p, s, best_s, value, intercept, promised, k); ++k) {
    const double at_zero = value - s.dot(p);  // the tangent of f at X, at 0
    const auto enough = [&](double lambda, double residual) {
      const double gain = value - bound(at_zero, lambda);
      return residual <= roughest * std::abs(lambda) && problem.trace * residual <= gain;
    };
    lowest.find(s, finest, most_products, 1, enough);
    if (const double promise = bound(at_zero, lowest.value()); promise > promised) {
      promised = promise;
      intercept = at_zero;
      best_s = s;
    }
    const double weight = lowest.value() < 0 ? problem.trace : 0;
    problem.op.forward(lowest.vectors(), image);
    image = Real(weight) * image - p;  // A(S - X)
    const double a = own.exact_step ? segment_minimum(s, image) : 2.0 / static_cast<double>(k + 2);
    const double length = x.step(a, weight, lowest.vectors());
    p += Real(a) * image;
    s = p - problem.y;
    value = problem.value(p);
    stop = monitor.record(x.factor(), value, length, recent.longest_with(length));
  }
  x.compress();
  double below = 0;
  if (promised > 0 && monitor.in_time()) {
    lowest.find(best_s, finest, most_products_for_gap);
    if (monitor.in_time()) {
      below = std::max(0.0, bound(intercept, lowest.value() - lowest.residual()));
    }
  }
  Result<F> out = monitor.result(x.factor(), value);
  out.eigenproblems = lowest.calls();
  out.gap = value - below;
  return out;
}

}  // namespace projfgd
