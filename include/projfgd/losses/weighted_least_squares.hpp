#pragma once

#include <utility>

#include "projfgd/concepts.hpp"
#include "projfgd/core/elements.hpp"
#include "projfgd/core/require.hpp"

namespace projfgd {

namespace element {

/// c/2 (p - y)^2
struct WeightedHalfSquare {
  template <class R>
  constexpr double operator()(R p, R y, R c) const {
    return static_cast<double>(c) * HalfSquare{}(p, y);
  }
};

/// c (p - y)
struct WeightedRest {
  template <class R>
  constexpr R operator()(R p, R y, R c) const {
    return c * (p - y);
  }
};

/// c p q, in double precision
struct WeightedProduct {
  template <class R>
  constexpr double operator()(R p, R q, R c) const {
    return static_cast<double>(c) * Product{}(p, q);
  }
};

}  // namespace element

/// 1/2 sum_i c_i (p_i - y_i)^2 with weights c_i >= 0, usually 1 / variance.
template <class R, Values V = Vector<R>>
class WeightedLeastSquares {
 public:
  using Real = R;
  using Values = V;

  WeightedLeastSquares(V y, V weights) : y_(std::move(y)), weights_(std::move(weights)) {
    require_size("weights", weights_.size(), y_.size());
    require_all("weights", sum_values(element::IsNotNonnegative{}, weights_) == 0, "numbers >= 0");
  }

  Index measurements() const { return y_.size(); }
  double value(const V& p) const {
    return sum_values(element::WeightedHalfSquare{}, p, y_, weights_);
  }
  void gradient(const V& p, V& w) const { map_values(w, element::WeightedRest{}, p, y_, weights_); }
  void curvature(const V&, V& h) const { h = weights_; }
  void start_weights(V& w) const { map_values(w, element::Times{}, y_, weights_); }
  double inner(const V& p, const V& q) const {
    return sum_values(element::WeightedProduct{}, p, q, weights_);
  }

 private:
  V y_, weights_;
};

}  // namespace projfgd
