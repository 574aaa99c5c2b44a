#pragma once

#include <cmath>
#include <limits>
#include <utility>

#include "projfgd/concepts.hpp"
#include "projfgd/core/elements.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/losses/deviance.hpp"

namespace projfgd {

namespace element {

/// e p - k + k log(k / (e p)), and the sizes of means above and below 0
struct PoissonDeviance {
  template <class R>
  constexpr Sums operator()(R p, R counts, R exposure) const {
    const double mean = static_cast<double>(exposure) * p, k = counts;
    const double term = k > 0 ? k * deviance<R>(mean, k) : mean;
    return mean < 0 ? Sums{term, 0, -mean} : Sums{term, mean, 0};
  }
};

/// e - k / p
struct PoissonSlope {
  template <class R>
  constexpr R operator()(R p, R counts, R exposure) const {
    return exposure - counts / (counts > 0 ? p : R(1));  // no branch that chance decides
  }
};

/// k / p^2
struct PoissonCurvature {
  template <class R>
  constexpr R operator()(R p, R counts) const {
    return counts > 0 ? counts / (p * p) : R(0);
  }
};

}  // namespace element

/// Of numbers of the host in vectors, which a logarithm for each would hold up most of all.
Sums sum_values(const element::PoissonDeviance& f, const Vector<double>& p,
                const Vector<double>& counts, const Vector<double>& exposures);

/// Poisson likelihood of counts k_i whose mean is e_i p_i, shifted so that the perfect fit has
/// value 0:  sum_i  e_i p_i - k_i + k_i log(k_i / (e_i p_i)).
///
/// Outcomes that were never seen (k_i = 0) stay in the sum with their term e_i p_i. When the
/// exposures e_i are the shots of complete settings, the minimiser over all X >= 0 has the trace of
/// a state and is the multinomial maximum-likelihood estimate.
template <class R, Values V = Vector<R>>
class Poisson {
 public:
  using Real = R;
  using Values = V;

  Poisson(V counts, V exposures) : counts_(std::move(counts)), exposures_(std::move(exposures)) {
    require_size("exposures", exposures_.size(), counts_.size());
    const auto nonnegative = [](const V& v) {
      return sum_values(element::IsNotNonnegative{}, v) == 0;
    };
    require_all("counts", nonnegative(counts_), "numbers >= 0");
    require_all("exposures", nonnegative(exposures_), "numbers >= 0");
  }

  Index measurements() const { return counts_.size(); }

  /// Infinite where predictions are below 0 by more than rounding: no counts have such a mean.
  double value(const V& p) const {
    const auto [sum, above, below] = sum_values(element::PoissonDeviance{}, p, counts_, exposures_);
    const double rounding = std::sqrt(double{std::numeric_limits<R>::epsilon()});
    return below > rounding * above ? std::numeric_limits<double>::infinity() : sum;
  }

  void gradient(const V& p, V& w) const {
    map_values(w, element::PoissonSlope{}, p, counts_, exposures_);
  }
  void curvature(const V& p, V& h) const { map_values(h, element::PoissonCurvature{}, p, counts_); }

  /// loss'(0) is infinite where counts were seen; the frequencies k_i / e_i are what X must
  /// explain.
  void start_weights(V& w) const { w = counts_; }

 private:
  V counts_, exposures_;
};

}  // namespace projfgd
