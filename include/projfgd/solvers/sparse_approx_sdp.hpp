#pragma once

#include <algorithm>
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
/// f(X) - <s, A(X) - A(S)> is below f*, as far as lambda is the lowest eigenvalue; the largest of
/// these, one from every iterate, gives the gap of the answer. The eigenvector of
/// step k is wanted to a residual of 1 / (k + 2) of the norm of A*(s), which more than meets the
/// accuracy C_f / k^2 that the rate needs of the eigenvalue.
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
  LowestEigenvector<A> lowest(problem.op, options.seed);
  RecentSteps recent(20);
  Vector<Real> p, s, image;
  problem.op.forward(x.factor(), p);
  s = p - problem.y;
  double value = s.squaredNorm() / 2;
  double below = 0;  // f* >= 0, whatever X is
  bool stop = monitor.record(x.factor(), value, std::numeric_limits<double>::infinity());
  for (Index k = 0; !stop; ++k) {
    lowest.find(s, std::clamp(1.0 / static_cast<double>(k + 2), 1e-6, 1e-2));
    const double weight = lowest.value() < 0 ? problem.trace : 0;
    problem.op.forward(lowest.vectors(), image);
    image = p - Real(weight) * image;  // A(X - S)
    const double gap = s.dot(image);
    below = std::max(below, value - gap - problem.trace * lowest.residual());
    double a = 2.0 / static_cast<double>(k + 2);
    if (own.exact_step) {
      const double square = image.squaredNorm();
      a = square > 0 ? std::clamp(gap / square, 0.0, 1.0) : 0;
    }
    const double change = recent.longest_with(x.step(a, weight, lowest.vectors()));
    p -= Real(a) * image;
    s = p - problem.y;
    value = s.squaredNorm() / 2;
    stop = monitor.record(x.factor(), value, change);
  }
  x.compress();
  Result<F> out = monitor.result(x.factor(), value);
  out.eigenproblems = lowest.calls();
  out.gap = value - below;
  return out;
}

}  // namespace projfgd
