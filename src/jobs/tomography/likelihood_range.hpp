// What values a quantity may have in view of the data, whatever the rank of the state.
#pragma once

#include <optional>

#include "jobs/tomography/model.hpp"
#include "projfgd/measures/intervals.hpp"

namespace projfgd {

/// How much less likely than the best of all a state may be, in nats: half of what a chi-square
/// exceeds in 5 of 100 cases.
///
/// With one degree of freedom, 1.92, the values of a Pauli string are a 95% interval, also where
/// positivity alone bounds what was not measured (measured: 94 to 100%). Of a fidelity near 1 that
/// set misses the truth; with one degree for each number that the data determine it holds the true
/// state itself, and so the true value of everything.
enum class FittingStates { for_one_pauli, all };

/// The values of tr(O rho) in states of any rank that are no less likely than that.
///
/// An end is found by a tilt: the rho that minimises f(rho) + theta tr(O rho) bounds tr(O rho) from
/// below on that set by its own value + (its f - best f - fall) / theta, for every theta > 0; the
/// bound is largest where the bracket is 0.
template <class S>
class LikelihoodRange {
 public:
  /// Fits the full rank from a state near by. Keeps references to model and settings, whose limits
  /// and interrupt it respects.
  /// The noise is taken to be `times_noise` what the model says.
  LikelihoodRange(const StateModel<S>& model, const RunSettings& settings, const StateFactor& state,
                  double times_noise = 1);

  /// Whether the model has a likelihood that states of any rank can be compared by, in a dimension
  /// where fits of full rank take no more than seconds.
  static bool is_possible(const StateModel<S>& model);

  /// Nothing once the limits of the run, or the work that ranges may take, are used up.
  std::optional<Interval> of(const Matrix<S>& observable, FittingStates states);

 private:
  struct Point {
    Matrix<S> factor;
    double likelihood = 0;  ///< f of it
  };
  Point fit(const Matrix<S>& start, const Matrix<S>& observable, double theta) const;
  double lowest(const Matrix<S>& observable, double fall) const;

  const StateModel<S>& model_;
  const RunSettings& settings_;
  AnyConstraint<S> states_;  ///< tr X = 1
  Point best_;
  int ranges_left_;
  double times_noise_;
};

}  // namespace projfgd
