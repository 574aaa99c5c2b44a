// Statistics of counts of single projectors with an unknown intensity: count i is Poisson with the
// mean s e_i p_i + a_i, with exposures e, accidentals a and the intensity s.
#pragma once

#include "projfgd/measures/goodness.hpp"
#include "projfgd/measures/intervals.hpp"

namespace projfgd {

struct ProjectorCounts {
  const Vector<double>& counts;
  const Vector<double>& exposures;    ///< > 0
  const Vector<double>& accidentals;  ///< >= 0

  Index size() const { return counts.size(); }
};

/// The s that makes the counts likeliest for these probabilities p; 0 where accidentals explain
/// them all.
double likeliest_intensity(const ProjectorCounts& data, const Vector<double>& p);

/// Residual and chi-square at the likeliest intensity, which takes one degree of freedom.
Goodness goodness_of_projectors(const ProjectorCounts& data, const Vector<double>& p);

/// How many independent numbers of X the projectors tell, by the rank of their m x 4^q coordinates.
double count_determined(const Matrix<double>& coordinates);

/// Linear estimates x^ of the coordinates of s rho by weighted least squares, without a model. A
/// quantity of the state is the ratio tr(O s rho) / tr(s rho); at the value t of this ratio
/// tr((O - t) s rho) has the mean 0, and its variance is that of the Poisson counts, each with the
/// pseudo-counts of Agresti and Coull as in CountsEstimate.
class ProjectorEstimate : public StateEstimate {
 public:
  /// `fitted` are the probabilities of a fit, which give the weights.
  ProjectorEstimate(const Matrix<double>& coordinates, const ProjectorCounts& data,
                    const Vector<double>& fitted);

  std::optional<Interval> expectation(const Vector<double>& observable) const override;
  std::optional<Interval> purity() const override;

 private:
  /// Of the counts per exposure, after so many pseudo-counts were added to each of mean exposure.
  Vector<double> rates(double pseudo) const;
  Vector<double> variances(double pseudo) const;
  bool sees(const Vector<double>& observable) const;

  Vector<double> counts_, exposures_, accidentals_;
  Matrix<double> inverse_;  ///< x^ = inverse_ rates
  Matrix<double> unseen_;   ///< orthonormal: coordinates that no projector shows
};

}  // namespace projfgd
