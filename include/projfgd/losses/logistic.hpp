#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "projfgd/core/factor.hpp"
#include "projfgd/core/require.hpp"

namespace projfgd {

/// One-bit measurements b_i in {-1, +1} with P(b_i = 1) = 1 / (1 + exp(-p_i / s)):
/// sum_i log(1 + exp(-b_i p_i / s)), s the noise scale.
template <class R>
class Logistic {
 public:
  using Real = R;

  explicit Logistic(Vector<R> signs, R noise_scale = 1)
      : signs_(std::move(signs)), inverse_scale_(1 / noise_scale) {
    require_option(noise_scale > 0, "noise scale", noise_scale, "a number > 0");
    require_all("signs", (signs_.array().abs() == R(1)).all(), "-1 or 1 alone");
  }

  Index measurements() const { return signs_.size(); }

  double value(const Vector<R>& p) const {
    double sum = 0;
    for (Index i = 0; i < p.size(); ++i) {
      const double margin = static_cast<double>(signs_[i]) * p[i] * inverse_scale_;
      sum += std::log1p(std::exp(-std::abs(margin))) + std::max(-margin, 0.0);
    }
    return sum;
  }

  void gradient(const Vector<R>& p, Vector<R>& w) const {
    w.resize(p.size());
    for (Index i = 0; i < p.size(); ++i) {
      const R margin = signs_[i] * p[i] * inverse_scale_;
      w[i] = -signs_[i] * inverse_scale_ / (1 + std::exp(margin));
    }
  }

  void start_weights(Vector<R>& w) const { w = signs_ * (inverse_scale_ / 2); }

 private:
  Vector<R> signs_;
  R inverse_scale_;
};

}  // namespace projfgd
