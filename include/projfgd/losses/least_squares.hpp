#pragma once

#include <utility>

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// 1/2 ||p - y||^2
template <class R>
class LeastSquares {
 public:
  using Real = R;

  explicit LeastSquares(Vector<R> y) : y_(std::move(y)) {}

  Index measurements() const { return y_.size(); }
  R value(const Vector<R>& p) const { return (p - y_).squaredNorm() / 2; }
  void gradient(const Vector<R>& p, Vector<R>& w) const { w = p - y_; }
  void start_weights(Vector<R>& w) const { w = y_; }
  R inner(const Vector<R>& p, const Vector<R>& q) const { return p.dot(q); }

 private:
  Vector<R> y_;
};

}  // namespace projfgd
