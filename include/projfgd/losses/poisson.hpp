#pragma once

#include <cmath>
#include <limits>
#include <utility>

#include "projfgd/core/factor.hpp"
#include "projfgd/core/sums.hpp"

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
      : counts_(std::move(counts)), exposures_(std::move(exposures)) {}

  Index measurements() const { return counts_.size(); }

  double value(const Vector<R>& p) const {
    return sum_chunks(p.size(), [&](Index begin, Index length) {
      double sum = 0;
      for (Index i = begin; i < begin + length; ++i) {
        const double mean = static_cast<double>(exposures_[i]) * p[i], k = counts_[i];
        sum += k > 0 ? k * deviance(mean, k) : mean;
      }
      return Sums{sum};
    })[0];
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
  /// x - log(1 + x) of x = (mean - count) / count, by its series where the difference would cancel.
  /// A mean that is nothing but rounding is as good as 0.
  static double deviance(double mean, double count) {
    if (!(mean > count * std::numeric_limits<R>::epsilon()))
      return std::numeric_limits<double>::infinity();
    const double x = (mean - count) / count;
    if (std::abs(x) > 0.1) return x - std::log(mean / count);
    // log(1 + x) = 2 artanh(s) with s = x / (2 + x), so that x - log(1 + x) is
    // x^2 / 2 - s (x^2 / 2 + 2 s^2 (1/3 + s^2 / 5 + s^4 / 7 + ...)), and s^2 < 0.003. Written
    // like this nothing cancels.
    const double s = x / (2 + x), s2 = s * s;
    double sum = 0;
    for (int k = 15; k >= 3; k -= 2) sum = 1.0 / k + s2 * sum;
    return x * x / 2 - s * (x * x / 2 + 2 * s2 * sum);
  }

  Vector<R> counts_, exposures_;
};

}  // namespace projfgd
