// How well predictions explain measured numbers, beside what their noise leaves.
#pragma once

#include <vector>

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// Residual and chi-square of predictions against data.
struct Goodness {
  double residual = 0;    ///< ||prediction - data|| in expectations or frequencies
  double floor = 0;       ///< what the known noise leaves of it; 0 when unknown
  double chi_square = 0;  ///< Pearson's; not a number when the noise is unknown
  /// The mean of chi-square for the right state: one for each number measured, but for outcomes of
  /// which next to nothing is expected.
  double expected = 0;
  double residual_variance = 0;  ///< of residual^2, by chance
  double excess_variance = 0;    ///< of chi-square, by chance, beside 2 a degree of freedom

  /// How many times larger the residual is than noise leaves it.
  double ratio() const { return residual / floor; }
};

/// Of values with normal errors, of which `independent` are not known beforehand; no errors: their
/// noise is unknown.
Goodness goodness_of_values(const Vector<double>& predicted, const Vector<double>& measured,
                            const Vector<double>& errors, double independent);

/// Of counts. Setting s has as many outcomes as the others, at places one after the other, and
/// shots[s] shots; `predicted` are probabilities. Where the shots are not known they are 1 and the
/// counts are frequencies.
Goodness goodness_of_counts(const Vector<double>& predicted, const Vector<double>& counts,
                            const Vector<double>& shots, bool shots_known);

/// Parameters that a fit adapts to the data: a state of these eigenvalues and dimension n has so
/// many, and no more than the data determine. An eigenvalue that the fit has pushed to 0 is held
/// there by X >= 0 whatever the noise, so it frees nothing.
double fitted_parameters(double determined, Index n, const Vector<double>& eigenvalues);

/// The mean of chi-square at a fit: what is expected of the right state, less what the fit adapts
/// to. A parameter takes one away for `data` numbers that are expected to add one each, and less in
/// proportion where few counts are expected.
double degrees_of_freedom(const Goodness& good, double data, double parameters);

/// The one place that says whether a fit explains the data.
struct GoodnessTest {
  Goodness good = {};
  double freedom = 0;       ///< degrees of freedom
  bool likelihood = false;  ///< the loss weighs the data by their noise, as chi-square does

  /// The noise is known, so that there is something to test by.
  bool is_possible() const { return good.floor > 0; }
  /// How many times larger the misfit is than noise explains.
  double times_noise() const;
  /// By how many standard deviations the misfit is above its mean by chance.
  double deviations() const;
  /// The chance of a misfit as large as this, were the model right.
  double p_value() const;
  /// Chance explains the misfit.
  bool fits() const;
  /// The data scatter less than their noise would make them.
  bool is_too_good() const;
  /// The misfit is several times the noise, not only more than chance explains.
  bool is_far() const;
};

}  // namespace projfgd
