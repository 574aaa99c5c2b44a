// What the methods of the comparison share: the problem they solve and what they report.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "projfgd/core/error.hpp"
#include "projfgd/core/result.hpp"
#include "projfgd/solvers/monitor.hpp"

namespace projfgd {

/// min f(X) = 1/2 ||A(X) - y||^2 over X >= 0, tr X <= tau.
template <MeasurementOperator A>
struct TraceProblem {
  using Factor = typename A::Factor;
  using Real = RealOf<Factor>;

  const A& op;  ///< must outlive the problem
  Vector<Real> y;
  double trace = 1;  ///< tau, > 0
};

template <MeasurementOperator A>
void validate(const TraceProblem<A>& problem) {
  if (problem.y.size() != problem.op.measurements()) {
    throw InputError("the data must hold one number for each measurement");
  }
  if (!(problem.trace > 0)) throw InputError("the bound on the trace must be positive");
}

/// The longest of the last few steps. Where steps have all lengths, a short one is no sign of
/// convergence.
class RecentSteps {
 public:
  explicit RecentSteps(std::size_t count)
      : lengths_(count, std::numeric_limits<double>::infinity()) {}

  double longest_with(double length) {
    lengths_[next_++ % lengths_.size()] = length;
    return *std::max_element(lengths_.begin(), lengths_.end());
  }

 private:
  std::vector<double> lengths_;
  std::size_t next_ = 0;
};

/// A*(w), as a Hermitian map.
template <MeasurementOperator A>
struct AdjointMap {
  using Factor = typename A::Factor;
  const A& op;
  const Vector<RealOf<Factor>>& weights;
  Index rows() const { return op.rows(); }
  void times(const Factor& v, Factor& g) const { op.adjoint_times(weights, v, g); }
};

}  // namespace projfgd
