#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "projfgd/concepts.hpp"
#include "projfgd/core/require.hpp"

namespace projfgd {

namespace element {

/// log(1 + exp(-b p / s)), with 1 / s
template <class R>
struct LogisticLoss {
  R inverse_scale;
  constexpr double operator()(R p, R sign) const {
    const double margin = static_cast<double>(sign) * p * inverse_scale;
    return std::log1p(std::exp(-std::abs(margin))) + std::max(-margin, 0.0);
  }
};

/// Its derivative in p.
template <class R>
struct LogisticSlope {
  R inverse_scale;
  constexpr R operator()(R p, R sign) const {
    return -sign * inverse_scale / (1 + std::exp(sign * p * inverse_scale));
  }
};

/// Its second derivative.
template <class R>
struct LogisticCurvature {
  R inverse_scale;
  constexpr R operator()(R p) const {
    const R cosine = std::cosh(p * inverse_scale / 2);
    return inverse_scale * inverse_scale / (4 * cosine * cosine);
  }
};

/// 1 unless x is -1 or 1
struct IsNotSign {
  template <class R>
  constexpr double operator()(R x) const {
    return x == 1 || x == -1 ? 0 : 1;
  }
};

}  // namespace element

/// One-bit measurements b_i in {-1, +1} with P(b_i = 1) = 1 / (1 + exp(-p_i / s)):
/// sum_i log(1 + exp(-b_i p_i / s)), s the noise scale.
template <class R, Values V = Vector<R>>
class Logistic {
 public:
  using Real = R;
  using Values = V;

  explicit Logistic(V signs, R noise_scale = 1)
      : signs_(std::move(signs)), inverse_scale_(1 / noise_scale) {
    require_option(noise_scale > 0, "noise scale", noise_scale, "a number > 0");
    require_all("signs", sum_values(element::IsNotSign{}, signs_) == 0, "-1 or 1 alone");
  }

  Index measurements() const { return signs_.size(); }
  double value(const V& p) const {
    return sum_values(element::LogisticLoss<R>{inverse_scale_}, p, signs_);
  }
  void gradient(const V& p, V& w) const {
    map_values(w, element::LogisticSlope<R>{inverse_scale_}, p, signs_);
  }
  void curvature(const V& p, V& h) const {
    map_values(h, element::LogisticCurvature<R>{inverse_scale_}, p);
  }
  void start_weights(V& w) const {
    w = signs_;
    scale(inverse_scale_ / 2, w);
  }

 private:
  V signs_;
  R inverse_scale_;
};

}  // namespace projfgd
