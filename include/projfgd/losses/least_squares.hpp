#pragma once

#include <utility>

#include "projfgd/concepts.hpp"
#include "projfgd/core/elements.hpp"

namespace projfgd {

/// 1/2 ||p - y||^2
template <class R, Values V = Vector<R>>
class LeastSquares {
 public:
  using Real = R;
  using Values = V;

  explicit LeastSquares(V y) : y_(std::move(y)) {}

  Index measurements() const { return y_.size(); }
  double value(const V& p) const { return sum_values(element::HalfSquare{}, p, y_); }
  void gradient(const V& p, V& w) const { subtract(p, y_, w); }
  void curvature(const V& p, V& h) const { map_values(h, element::Constant<R>{R(1)}, p); }
  void start_weights(V& w) const { w = y_; }
  double inner(const V& p, const V& q) const { return sum_values(element::Product{}, p, q); }

 private:
  V y_;
};

}  // namespace projfgd
