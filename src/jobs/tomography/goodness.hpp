// How well a state explains the data, beside what their noise leaves.
#pragma once

#include "projfgd/io/measurements.hpp"
#include "projfgd/jobs/report.hpp"

namespace projfgd {

/// Residual and chi-square of a state against the data.
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

/// What the operator multiplies expectations by.
double scale_of(const PauliData& data);

bool noise_is_known(const PauliData& data);
bool noise_is_known(const CountsData& data);

/// Of predictions as the operator makes them.
Goodness goodness(const PauliData& data, const Vector<double>& predictions);
Goodness goodness(const CountsData& data, const Vector<double>& predictions);

/// Whether a fit misses expectations by more than their errors can be, where nothing is said of
/// these: more than 1/10 in the root mean square. The error of N shots is 1 / sqrt(N) at most, and
/// who has fewer than 100 a string has to say so. Of counts the settings tell.
bool misses_values(const PauliData& data, const Goodness& good);
bool misses_values(const CountsData& data, const Goodness& good);

/// Independent numbers measured, each with noise of its own: one for each expectation but those of
/// the identity, 2^q - 1 for each setting.
double count_data(const PauliData& data);
double count_data(const CountsData& data);

/// How many numbers of the state these are: the distinct Pauli strings, but for the identity. A
/// setting shows the strings that have its letters or I, and shares them with others.
double count_determined(const PauliData& data);
double count_determined(const CountsData& data);

/// Numbers measured beyond those that a fit adapts to: a state of these eigenvalues and dimension n
/// has so many parameters, and no more than the data determine. An eigenvalue that the fit has
/// pushed to 0 is held there by X >= 0 whatever the noise, so it frees nothing.
double degrees_of_freedom(double data, double determined, Index n,
                          const std::vector<double>& eigenvalues);

/// A fit and what it may be compared with: the one place that says whether it fits.
struct Judged {
  Goodness good;
  double freedom = 0;       ///< degrees of freedom
  bool likelihood = false;  ///< the loss weighs the data by their noise, as chi-square does

  /// How many times larger the misfit is than noise explains.
  double times_noise() const;
  /// By how many standard deviations the misfit is above its mean by chance.
  double deviations() const;
  /// Chance explains the misfit.
  bool fits() const;
  /// The data scatter less than their noise would make them.
  bool is_too_good() const;
  /// The misfit is several times the noise, not only more than chance explains.
  bool is_far() const;
};

/// Measured against predicted for the report; of many numbers an even selection.
Fit fit_of(const PauliData& data, const Vector<double>& predictions);
Fit fit_of(const CountsData& data, const Vector<double>& predictions);

}  // namespace projfgd
