// What all states of a rank together say of the data, instead of the likeliest of them alone.
#pragma once

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// The states X = U U^H of n rows and rank r with U random of unit length, weighed by a likelihood
///   exp(-curvature ||X - M||^2 / 2)
/// that is alike in all directions of X. With r = n they are all states, each as probable.
struct WeighedStates {
  double log_evidence = 0;     ///< the logarithm of the mean likelihood
  Vector<double> eigenvalues;  ///< of the square of the mean of sqrt X, along those of M
};

/// To second order in the roots of the eigenvalues: the integral about the most probable sqrt X,
/// and the shift of the mean that the change of its width gives. `peak` has the r eigenvalues of M,
/// some of which noise may have made negative.
WeighedStates weighed_states(const Vector<double>& peak, double curvature, Index n);

}  // namespace projfgd
