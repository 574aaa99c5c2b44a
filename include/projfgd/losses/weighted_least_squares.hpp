#pragma once

#include <utility>

#include "projfgd/core/factor.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/core/sums.hpp"

namespace projfgd {

/// 1/2 sum_i c_i (p_i - y_i)^2 with weights c_i >= 0, usually 1 / variance.
template <class R>
class WeightedLeastSquares {
 public:
  using Real = R;

  WeightedLeastSquares(Vector<R> y, Vector<R> weights)
      : y_(std::move(y)), weights_(std::move(weights)) {
    require_size("weights", weights_.size(), y_.size());
    require_all("weights", (weights_.array() >= 0).all(), "numbers >= 0");
  }

  Index measurements() const { return y_.size(); }
  double value(const Vector<R>& p) const {
    return sum_chunks(p.size(), [&](Index begin, Index length) {
      const auto rest = p.segment(begin, length) - y_.segment(begin, length);
      const auto weights = weights_.segment(begin, length).template cast<double>();
      return Sums{(weights.array() * rest.template cast<double>().array().square()).sum() / 2};
    })[0];
  }
  void gradient(const Vector<R>& p, Vector<R>& w) const { w = weights_.cwiseProduct(p - y_); }
  void start_weights(Vector<R>& w) const { w = weights_.cwiseProduct(y_); }
  double inner(const Vector<R>& p, const Vector<R>& q) const {
    return sum_chunks(p.size(), [&](Index begin, Index length) {
      const auto part = [&](const Vector<R>& v) {
        return v.segment(begin, length).template cast<double>().array();
      };
      return Sums{(part(weights_) * part(p) * part(q)).sum()};
    })[0];
  }

  const Vector<R>& curvature() const { return weights_; }

 private:
  Vector<R> y_, weights_;
};

}  // namespace projfgd
