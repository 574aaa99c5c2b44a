#pragma once

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "projfgd/core/error.hpp"
#include "projfgd/measures/distance.hpp"
#include "projfgd/solvers/monitor.hpp"

namespace projfgd {

struct PhaseLiftRules {
  double trace_weight = 0;  ///< lambda, >= 0
  Index largest = 512;      ///< refuses more rows: X is a dense n x n matrix here
};

/// PhaseLift (Candes, Strohmer, Voroninski 2013): min 1/2 ||A(X) - y||^2 + lambda tr X over X >= 0,
/// by accelerated proximal gradients with restarts; the proximal step drops the negative
/// eigenvalues. A is linear, so A at the extrapolated point costs nothing. The answer is the best
/// rank-one part of X.
template <MeasurementOperator A, class Watcher = NoObserver>
Result<typename A::Factor> phaselift(const A& op, const Vector<RealOf<typename A::Factor>>& y,
                                     const Options& options = {}, Watcher watcher = {},
                                     const PhaseLiftRules& rules = {}) {
  using F = typename A::Factor;
  using Real = RealOf<F>;
  const Index n = op.rows();
  if (n > rules.largest) {
    throw InputError("phaselift: found " + std::to_string(n) + " unknowns, expected at most " +
                     std::to_string(rules.largest) + "; it works on dense n x n matrices");
  }
  Monitor<F, Watcher> monitor(options, watcher);
  const F identity = F::Identity(n, n);
  F x = F::Zero(n, n), last = x, point, gradient, u;
  Vector<Real> ax = Vector<Real>::Zero(y.size()), last_ax = ax, ap;
  double t = 1, step = 0, value = y.squaredNorm() / 2;
  bool stop = monitor.record(F::Zero(n, 1), value, std::numeric_limits<double>::infinity());
  while (!stop) {
    const double next_t = (1 + std::sqrt(1 + 4 * t * t)) / 2;
    const Real momentum = static_cast<Real>((t - 1) / next_t);
    point = x + momentum * (x - last);
    ap = ax + momentum * (ax - last_ax);
    op.adjoint_times(ap - y, identity, gradient);
    if (step == 0) {  // the curvature along the gradient, then backtracking
      const Eigen::SelfAdjointEigenSolver<F> eigen(gradient);
      u = eigen.eigenvectors().col(0);
      Vector<Real> along;
      op.forward(u, along);
      step = 1 / along.squaredNorm();
    }
    const double here = (ap - y).squaredNorm() / 2;
    last = x, last_ax = ax;
    while (true) {
      const F moved = point - static_cast<Real>(step) * gradient;
      const Eigen::SelfAdjointEigenSolver<F> eigen((moved + moved.adjoint()) / Real(2));
      const Vector<Real> kept =
          (eigen.eigenvalues().array() - Real(step * rules.trace_weight)).max(Real(0));
      u = eigen.eigenvectors() * kept.cwiseSqrt().asDiagonal();
      x = u * u.adjoint();
      op.forward(u, ax);
      const F d = x - point;
      const double bound = here + std::real((gradient.adjoint() * d).trace()) +
                           static_cast<double>(d.squaredNorm()) / (2 * step);
      const double found = (ax - y).squaredNorm() / 2;
      if (found <= bound * (1 + 1e-6) || step < 1e-300) break;
      step /= 2;
    }
    const double next =
        (ax - y).squaredNorm() / 2 + rules.trace_weight * static_cast<double>(u.squaredNorm());
    t = next > value ? 1 : next_t;  // a rise: start the momentum anew
    value = next;
    const F leading = u.rightCols(1);
    stop = monitor.record(leading, value, (x - last).norm() / std::max(x.norm(), Real(1e-30)));
  }
  return monitor.result(F(u.cols() > 0 ? F(u.rightCols(1)) : F::Zero(n, 1)), value, 0);
}

}  // namespace projfgd
