#pragma once

#include <cmath>
#include <limits>
#include <utility>

#include "projfgd/core/factor.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/core/sums.hpp"
#include "projfgd/losses/deviance.hpp"

namespace projfgd {

/// Poisson likelihood of counts k_i whose mean is e_i p_i, shifted so that the perfect fit has
/// value 0:  sum_i  e_i p_i - k_i + k_i log(k_i / (e_i p_i)).
///
/// Outcomes that were never seen (k_i = 0) stay in the sum with their term e_i p_i. When the
/// exposures e_i are the shots of complete settings, the minimiser over all X >= 0 has the trace of
/// a state and is the multinomial maximum-likelihood estimate.
template <class R>
class Poisson {
 public:
  using Real = R;

  Poisson(Vector<R> counts, Vector<R> exposures)
      : counts_(std::move(counts)), exposures_(std::move(exposures)) {
    require_size("exposures", exposures_.size(), counts_.size());
    require_all("counts", (counts_.array() >= 0).all(), "numbers >= 0");
    require_all("exposures", (exposures_.array() >= 0).all(), "numbers >= 0");
  }

  Index measurements() const { return counts_.size(); }

  /// Infinite where predictions are below 0 by more than rounding: no counts have such a mean.
  double value(const Vector<R>& p) const {
    const auto [sum, above, below] = sum_chunks(p.size(), [&](Index begin, Index length) {
      Sums part{};
      for (Index i = begin; i < begin + length; ++i) {
        const double mean = static_cast<double>(exposures_[i]) * p[i], k = counts_[i];
        part[0] += k > 0 ? k * deviance<R>(mean, k) : mean;
        (mean < 0 ? part[2] : part[1]) += std::abs(mean);
      }
      return part;
    });
    const double rounding = std::sqrt(double{std::numeric_limits<R>::epsilon()});
    return below > rounding * above ? std::numeric_limits<double>::infinity() : sum;
  }

  void gradient(const Vector<R>& p, Vector<R>& w) const {
    w.resize(p.size());
    sum_chunks(p.size(), [&](Index begin, Index length) {
      for (Index i = begin; i < begin + length; ++i) {
        w[i] = exposures_[i] - (counts_[i] > 0 ? counts_[i] / p[i] : R(0));
      }
      return Sums{};
    });
  }

  /// loss'(0) is infinite where counts were seen; the frequencies k_i / e_i are what X must
  /// explain.
  void start_weights(Vector<R>& w) const { w = counts_; }

 private:
  Vector<R> counts_, exposures_;
};

}  // namespace projfgd
