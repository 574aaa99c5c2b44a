#pragma once

#include <utility>

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// 1/2 sum_i c_i (p_i - y_i)^2 with weights c_i >= 0, usually 1 / variance.
template <class R>
class WeightedLeastSquares {
 public:
  using Real = R;

  WeightedLeastSquares(Vector<R> y, Vector<R> weights)
      : y_(std::move(y)), weights_(std::move(weights)) {}

  Index measurements() const { return y_.size(); }
  R value(const Vector<R>& p) const {
    return (weights_.array() * (p - y_).array().square()).sum() / 2;
  }
  void gradient(const Vector<R>& p, Vector<R>& w) const { w = weights_.cwiseProduct(p - y_); }
  void start_weights(Vector<R>& w) const { w = weights_.cwiseProduct(y_); }
  R inner(const Vector<R>& p, const Vector<R>& q) const {
    return (weights_.array() * p.array() * q.array()).sum();
  }

  const Vector<R>& curvature() const { return weights_; }

 private:
  Vector<R> y_, weights_;
};

}  // namespace projfgd
