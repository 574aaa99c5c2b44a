#pragma once

#include <cmath>
#include <limits>
#include <utility>

#include "projfgd/core/phase_elements.hpp"
#include "projfgd/measures/distance.hpp"
#include "projfgd/measures/image.hpp"
#include "projfgd/solvers/monitor.hpp"

namespace projfgd {

/// Relaxed averaged alternating reflections (Luke 2005) between the vectors x of C^m with moduli b
/// and those of the form A z, z in C, swept block by block. With m_l = b_l phase(x_l) the point is
///
///   z = P_C((A^H A)^+ sum_l A_l^H (2 m_l - x_l)),
///
/// and a visit to block l sets x_l <- beta (x_l + A_l z - m_l) + (1 - beta) m_l and renews its term
/// of the sum, so that the next block sees it: one product with A_l and one with its adjoint. x
/// remembers how the two sets disagree, which leads out of points where alternating projections
/// stay. The first sweep takes one z for all blocks, because no x_l is known yet.
///
/// 1 / (1 - beta) is the number of sweeps that x remembers: 10 at first, and one more every four
/// sweeps. A short memory settles where the misfit is small, a long one goes on searching where it
/// is not; a problem that is not solved by one is met by a longer one. It takes m numbers.
template <LinearMeasurement A, Constraint<typename A::Factor> C>
class SequentialRaar {
 public:
  using F = typename A::Factor;
  using Values = typename A::Values;

  /// Keeps references to the operator and the amplitudes, which must outlive it.
  SequentialRaar(const A& op, const Values& amplitude, C set, F start)
      : op_(op), amplitude_(amplitude), set_(std::move(set)), point_(std::move(start)) {
    set_.project(point_);
    sum_ = point_;
    scale(0, sum_);
    set_zero(op_.measurements(), x_);
    op_.measured_rows(measured_);
  }

  /// One visit to every block; 1/2 || |A z| - b ||^2 as it was seen on the way.
  double sweep() {
    constexpr double first_memory = 10, memory_a_sweep = 0.25;
    const double beta = 1 - 1 / (first_memory + memory_a_sweep * static_cast<double>(sweeps_));
    double misfit = 0;
    for (Index b = 0; b < op_.blocks(); ++b) {
      misfit += op_.pass_whole_block(b, point_, element::RelaxedReflection{beta, sweeps_ == 0},
                                     sum_, x_, amplitude_, measured_);
      if (sweeps_ > 0 || b + 1 == op_.blocks()) move();
    }
    ++sweeps_;
    return misfit;
  }

  const F& point() const { return point_; }
  /// 1/2 || |A z| - b ||^2 there, for one more product with A.
  double misfit() const { return amplitude_objective(op_, amplitude_, point_); }
  Index sweeps() const { return sweeps_; }
  void keep(Archive& archive) { archive(point_, sum_, x_, sweeps_); }

 private:
  void move() {
    point_ = sum_;
    op_.solve_normal(point_);
    set_.project(point_);
  }

  const A& op_;
  const Values& amplitude_;
  C set_;
  F point_, sum_;
  Values measured_;  // 0 for rows that are left out
  typename A::ComplexValues x_;
  Index sweeps_ = 0;
};

/// Sweeps on from where the reflections are until a limit or the watcher ends them.
template <LinearMeasurement A, Constraint<typename A::Factor> C, class Watcher = NoObserver>
Result<typename A::Factor> sequential_raar(SequentialRaar<A, C>& reflections,
                                           const Options& options = {}, Watcher watcher = {}) {
  using F = typename A::Factor;
  validate(options);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Monitor<F, Watcher> monitor(options, watcher);
  F last, step;
  double misfit = infinity;
  bool stop = monitor.record(reflections.point(), misfit, infinity);
  while (monitor.goes_on(stop, reflections, misfit)) {
    last = reflections.point();
    misfit = reflections.sweep();
    subtract(reflections.point(), last, step);
    if (!std::isfinite(misfit)) {
      monitor.stop(Status::diverged, "an iterate was not finite");
      break;
    }
    stop = monitor.record(reflections.point(), misfit,
                          change_by_small_step(reflections.point(), step));
  }
  if (!std::isfinite(misfit) && monitor.status() != Status::diverged) {  // there was no sweep
    misfit = reflections.misfit();
  }
  return monitor.result(reflections.point(), misfit);
}

/// The same from a start.
template <LinearMeasurement A, Constraint<typename A::Factor> C, class Watcher = NoObserver>
Result<typename A::Factor> sequential_raar(const A& op, const typename A::Values& amplitude,
                                           const C& set, typename A::Factor start,
                                           const Options& options = {}, Watcher watcher = {}) {
  SequentialRaar<A, C> reflections(op, amplitude, set, std::move(start));
  return sequential_raar(reflections, options, std::move(watcher));
}

}  // namespace projfgd
