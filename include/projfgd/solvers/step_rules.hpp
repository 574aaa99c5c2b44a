// The fixed and adaptive step sizes of the paper, equations for eta and eta-hat.
#pragma once

#include <cmath>
#include <functional>
#include <utility>

#include "projfgd/core/options.hpp"
#include "projfgd/measures/distance.hpp"
#include "projfgd/starts/spectral.hpp"

namespace projfgd {

/// eta = 1 / (c (L ||X_0||_2 + ||grad f(X_0)||_2)); f remembers X_0. The norm is what was found of
/// it when go_on() is false.
template <Objective O>
double theory_step(O& f, const typename O::Factor& u0, double smoothness, double c,
                   std::function<bool()> go_on = {}) {
  EigenOptions options;
  options.go_on = std::move(go_on);
  options.tolerance = 1e-6;
  options.max_products = 300;
  const double gradient = spectral_norm(GradientMap<O>{f}, options);
  return 1 / (c * (smoothness * product_spectral_norm(u0) + gradient));
}

/// eta_t = 1 / (c (L ||X_t||_2 + ||Q Q^H G||_2)) with G = grad f(X_t), Q a basis of the columns of
/// U_t; f remembers X_t. One product G Q gives the step and `gu` = G U = (G Q)(Q^H U).
template <Objective O>
double adaptive_theory_step(O& f, const typename O::Factor& u, double smoothness, double c,
                            typename O::Factor& gu) {
  using F = typename O::Factor;
  const F q = orthonormal_basis(u);
  F gq;
  f.gradient_times(q, gq);
  if (q.cols() == u.cols()) {
    multiply(gq, gram(q, u), gu);
  } else {
    f.gradient_times(u, gu);  // Q lacks a column that is small, and may have to grow
  }
  const double gradient = std::sqrt(product_spectral_norm(gq));
  return 1 / (c * (smoothness * product_spectral_norm(u) + gradient));
}

}  // namespace projfgd
