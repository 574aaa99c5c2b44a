// Intervals that hold the true value of a quantity as often as they say, whatever the state: from
// linear estimates, which have no bias near the boundary of the states as a fit has.
#pragma once

#include <optional>
#include <vector>

#include "projfgd/measures/state.hpp"
#include "projfgd/operators/outcome_map.hpp"

namespace projfgd {

struct Interval {
  double low, high;
};

/// The intervals hold the truth in 95 of 100 repetitions of the experiment.
inline constexpr double interval_level = 0.95;
/// The matching quantile of the normal distribution, both sides.
inline constexpr double normal_quantile = 1.959964;

/// The part of an interval that lies in [low, high]; an end outside moves to the nearest.
Interval clipped(const Interval& interval, double low, double high);

/// The same centre and `times` the width.
Interval widened(const Interval& interval, double times);

/// The smallest interval that also holds the value.
Interval including(const Interval& interval, double value);

/// For the largest eigenvalue of a state of dimension n, from the interval of <v| rho |v> that the
/// data show for the leading eigenvector v of a fit to the same data. `eigenvalues` are those of
/// the fit, largest first; what is missing is 0. v leans to where the noise is high: with a gap g
/// and noise of deviation s in every direction each further eigenvector raises the value by
/// (sqrt(g^2 + 4 s^2) - g) / 2, the shift of two levels, and all of them by no more than 2 s sqrt
/// n, the norm of such noise. The low end is the eigenvalue that, raised by as much as its gaps
/// allow, is just not rejected: conservative where eigenvalues are close together.
Interval largest_eigenvalue_interval(const Interval& of_leading, const Vector<double>& eigenvalues,
                                     Index n);

/// From estimates of data that were drawn anew from the estimate at hand. Their mean shows its
/// bias, which is taken off; their standard deviation is its error. Of what was measured of such
/// intervals this one misses least near the boundary of the states, but it does.
Interval refitted_interval(const std::vector<double>& refits, double estimate);

/// Estimates of linear functions and of the purity of a state, made from data alone: no rank, no
/// model, no positivity.
class StateEstimate {
 public:
  virtual ~StateEstimate() = default;

  /// For tr(O rho) = sum_P o_P x_P, with the coordinates x of OutcomeMap and o_P = tr(O P) / 2^q.
  /// Nothing where the data do not determine it.
  virtual std::optional<Interval> expectation(const Vector<double>& observable) const = 0;
  /// For tr rho^2. Nothing where the data are not informationally complete.
  virtual std::optional<Interval> purity() const = 0;
};

/// The o of tr(P rho).
Vector<double> pauli_observable(const PauliString& pauli, int qubits);
/// The o of <psi| rho |psi>, psi the only column of the factor.
Vector<double> projector_observable(const StateFactor& psi);
/// The o of a Hermitian n x n matrix.
Vector<double> hermitian_observable(const StateFactor& matrix);

/// From counts: x^ = (T^T W T)^+ T^T W f, f the frequencies, with weights W = N / p~ by the
/// probabilities p~ = 0.9 p + 0.1/2^q of a fit p. Any fixed weights leave the estimate unbiased;
/// good ones make it precise. For tr(O rho) = sum h f the variance is that of the multinomial
/// counts, after a = 1.96^2 / S pseudo-counts were spread over the outcomes of every setting, S
/// the effective number of settings: without them rare outcomes that were not seen make the
/// interval of a nearly pure state too short, as Agresti and Coull found for one proportion.
/// Everything is done by conjugate gradients on the 4^q coordinates.
class CountsEstimate : public StateEstimate {
 public:
  /// Keeps a reference to the map. `fitted` are the probabilities of a fit.
  CountsEstimate(const OutcomeMap& map, const Vector<double>& counts, const Vector<double>& shots,
                 const Vector<double>& fitted);

  std::optional<Interval> expectation(const Vector<double>& observable) const override;
  /// |x^|^2 - tr C over 2^q, which is unbiased, with the variance 4 x^T C x + 2 tr C^2; C is the
  /// covariance of x^. Traces by random signs where there are many coordinates.
  std::optional<Interval> purity() const override;

 private:
  struct Weights {
    Vector<double> w;         ///< of the outcomes
    Vector<double> diagonal;  ///< of T^T W T
  };
  Weights weights(const Vector<double>& probabilities) const;
  /// (T^T W T)^+ b on traceless coordinates; nothing where there is no solution.
  std::optional<Vector<double>> solve(const Weights& weights, Vector<double> b) const;
  /// The covariance of the frequencies times h.
  Vector<double> covariance_times(const Vector<double>& h) const;

  const OutcomeMap& map_;
  Vector<double> shots_, frequencies_, white_;  // white_: what I/n predicts
  Weights weights_;
};

/// From expectations of Pauli strings with standard errors. Strings may repeat.
class PauliEstimate : public StateEstimate {
 public:
  PauliEstimate(int qubits, const std::vector<PauliString>& strings, const Vector<double>& values,
                const Vector<double>& errors);

  std::optional<Interval> expectation(const Vector<double>& observable) const override;
  std::optional<Interval> purity() const override;

 private:
  Vector<double> means_, variances_;  // of the coordinates; infinite where not measured
};

/// What a purity says of the entropy in bits of a state of dimension n: at least that of Renyi,
/// -log_2 of the purity, and at most that of one large and n - 1 equal eigenvalues (Berry and
/// Sanders, J. Phys. A 36 (2003)). Conservative: it holds for every spectrum of such a purity.
Interval entropy_interval(const Interval& purity, Index n);

}  // namespace projfgd
