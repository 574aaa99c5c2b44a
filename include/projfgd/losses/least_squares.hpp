#pragma once

#include <utility>

#include "projfgd/core/factor.hpp"
#include "projfgd/core/sums.hpp"

namespace projfgd {

/// 1/2 ||p - y||^2
template <class R>
class LeastSquares {
 public:
  using Real = R;

  explicit LeastSquares(Vector<R> y) : y_(std::move(y)) {}

  Index measurements() const { return y_.size(); }
  double value(const Vector<R>& p) const {
    return sum_chunks(p.size(), [&](Index begin, Index length) {
      const auto rest = p.segment(begin, length) - y_.segment(begin, length);
      return Sums{rest.template cast<double>().squaredNorm() / 2};
    })[0];
  }
  void gradient(const Vector<R>& p, Vector<R>& w) const { w = p - y_; }
  void start_weights(Vector<R>& w) const { w = y_; }
  double inner(const Vector<R>& p, const Vector<R>& q) const {
    return sum_chunks(p.size(), [&](Index begin, Index length) {
      return Sums{p.segment(begin, length)
                      .template cast<double>()
                      .dot(q.segment(begin, length).template cast<double>())};
    })[0];
  }

 private:
  Vector<R> y_;
};

}  // namespace projfgd
