// The fixed and adaptive step sizes of the paper, equations for eta and eta-hat.
#pragma once

#include <cmath>

#include "projfgd/core/options.hpp"
#include "projfgd/measures/distance.hpp"
#include "projfgd/starts/spectral.hpp"

namespace projfgd {

/// eta = 1 / (c (L ||X_0||_2 + ||grad f(X_0)||_2)); f remembers X_0.
template <Objective O>
double theory_step(O& f, const typename O::Factor& u0, double smoothness, double c) {
  EigenOptions options;
  options.tolerance = 1e-6;
  options.max_products = 300;
  const double gradient = spectral_norm(GradientMap<O>{f}, options);
  return 1 / (c * (smoothness * product_spectral_norm(u0) + gradient));
}

/// eta_t = 1 / (c (L ||X_t||_2 + ||Q Q^H grad f(X_t)||_2)), Q a basis of the columns of U_t;
/// f remembers X_t.
template <Objective O>
double adaptive_theory_step(O& f, const typename O::Factor& u, double smoothness, double c) {
  using F = typename O::Factor;
  const F q = orthonormal_basis(u);
  F g;
  f.gradient_times(q, g);
  const double gradient = std::sqrt(product_spectral_norm(g));
  return 1 / (c * (smoothness * product_spectral_norm(u) + gradient));
}

}  // namespace projfgd
