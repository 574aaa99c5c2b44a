// What the methods of the comparison share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "projfgd/core/result.hpp"
#include "projfgd/core/trace_problem.hpp"
#include "projfgd/solvers/monitor.hpp"

namespace projfgd {

/// Runs a solver class made of (problem, own options, options, watcher) on a sound problem.
template <template <class, class> class Solver, MeasurementOperator A, class Own, class Watcher>
Result<typename A::Factor> solve_trace_problem(const TraceProblem<A>& problem,
                                               typename A::Factor start, const Options& options,
                                               const Own& own, Watcher& watcher) {
  validate(problem);
  validate(options);
  return Solver<A, Watcher>(problem, own, options, watcher).run(std::move(start));
}

/// The a in [0, 1] that makes ||r + a d|| smallest.
template <class R>
double segment_minimum(const Vector<R>& r, const Vector<R>& d) {
  const double square = d.squaredNorm();
  return square > 0 ? std::clamp<double>(-r.dot(d) / square, 0, 1) : 0;
}

/// How many steps in a row must be short before a method stops.
struct StopWindow {
  static constexpr std::size_t svp = 5;  ///< momentum makes steps long and short by turns
  static constexpr std::size_t sparse_approx_sdp = 20;
  static constexpr std::size_t uni_pd_grad = 40;
};

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

  void keep(Archive& archive) { archive(lengths_, next_); }

 private:
  std::vector<double> lengths_;
  std::size_t next_ = 0;
};

}  // namespace projfgd
