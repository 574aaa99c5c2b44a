#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "projfgd/concepts.hpp"
#include "projfgd/core/archive.hpp"

namespace projfgd {

/// The last pairs (s, y) of a quasi-Newton method and the product with its inverse matrix H,
/// by the two-loop recursion (Nocedal 1980). The matrix it starts from acts on the right:
/// H_0 = scale * K with K r x r, which is ScaledGD when K = (U^H U + lambda I)^{-1}.
template <Factor F>
class LbfgsMemory {
 public:
  using Real = RealOf<F>;
  using Small = Matrix<typename F::Scalar>;

  explicit LbfgsMemory(int capacity) : pairs_(capacity), weights_(capacity) {}

  bool empty() const { return count_ == 0; }
  void clear() { count_ = 0; }

  /// Keeps the pair unless its curvature is not safely positive; true if kept.
  bool push(const F& s, const F& y) {
    const Real sy = dot(s, y);
    constexpr Real least = std::max(Real(1e-10), 100 * std::numeric_limits<Real>::epsilon());
    if (!(sy > least * norm(s) * norm(y))) return false;
    newest_ = (newest_ + 1) % capacity();
    count_ = std::min(count_ + 1, capacity());
    Pair& pair = pairs_[newest_];
    pair.s = s;
    pair.y = y;
    pair.inverse_sy = 1 / sy;
    return true;
  }

  /// Multiplies every y, for residuals measured in another unit from now on.
  void rescale(Real factor) {
    for (int k = 0; k < count_; ++k) {
      Pair& pair = at(k);
      scale(factor, pair.y);
      pair.inverse_sy /= factor;
    }
  }

  /// d = -H r. `right` is K, or null for the identity.
  void direction(const F& r, const Small* right, F& d) {
    d = r;
    for (int k = 0; k < count_; ++k) {
      const Pair& pair = at(k);
      weights_[k] = pair.inverse_sy * dot(pair.s, d);
      axpy(-weights_[k], pair.y, d);
    }
    if (count_ > 0) apply_first_matrix(right, d);
    for (int k = count_ - 1; k >= 0; --k) {
      const Pair& pair = at(k);
      axpy(weights_[k] - pair.inverse_sy * dot(pair.y, d), pair.s, d);
    }
    scale(-1, d);
  }

  void keep(Archive& archive) {
    archive(newest_, count_);
    if (count_ < 0 || count_ > capacity() || newest_ < 0 || newest_ >= capacity()) {
      archive.refuse();
    }
    for (int k = 0; k < count_; ++k) archive(at(k).s, at(k).y, at(k).inverse_sy);
  }

 private:
  struct Pair {
    F s, y;
    Real inverse_sy;
  };

  int capacity() const { return static_cast<int>(pairs_.size()); }
  Pair& at(int age) { return pairs_[(newest_ - age + capacity()) % capacity()]; }

  /// d <- (<s,y> / <y, y K>) d K
  void apply_first_matrix(const Small* right, F& d) {
    const Pair& pair = at(0);
    if (right == nullptr) {
      scale(1 / (pair.inverse_sy * dot(pair.y, pair.y)), d);
      return;
    }
    multiply(pair.y, *right, scratch_);
    const Real unit = 1 / (pair.inverse_sy * dot(pair.y, scratch_));
    multiply(d, *right, scratch_);
    std::swap(d, scratch_);
    scale(unit, d);
  }

  std::vector<Pair> pairs_;
  std::vector<Real> weights_;
  F scratch_;
  int newest_ = 0, count_ = 0;
};

}  // namespace projfgd
