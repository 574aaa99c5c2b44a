#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "projfgd/concepts.hpp"
#include "projfgd/core/archive.hpp"
#include "projfgd/core/factor_lists.hpp"

namespace projfgd {

/// The last pairs (s, y) of a quasi-Newton method and the product with its inverse matrix H, by the
/// two-loop recursion (Nocedal 1980). The recursion runs on inner products: those of r with all s,
/// and <s_i, y_j>, which are kept; so it goes through all s and all y twice in all, whatever their
/// number. The matrix it starts from acts on the right: H_0 = scale * K with K r x r, which is
/// ScaledGD when K = (U^H U + lambda I)^{-1}.
template <Factor F>
class LbfgsMemory {
 public:
  using Real = RealOf<F>;
  using Small = Matrix<typename F::Scalar>;

  explicit LbfgsMemory(int capacity)
      : pairs_(size_of(capacity)),
        weights_(size_of(capacity)),
        along_(size_of(capacity) + 1),
        terms_(size_of(capacity) + 1),
        list_(size_of(capacity) + 1) {}

  bool empty() const { return count_ == 0; }
  void clear() { count_ = 0; }

  /// Keeps the pair unless its curvature is not safely positive; true if kept. `length` is ||s||.
  /// s and y are swapped with old factors.
  bool push(F& s, Real length, F& y) {
    // All of <s_i, y>, s itself the first of them, and <y, y>.
    const int kept = std::min(count_, capacity() - 1);
    const std::size_t products = size_of(kept) + 2;
    list_[0] = &s;
    for (int age = 0; age < kept; ++age) list_[size_of(age) + 1] = &pair_of(age).s;
    list_[products - 1] = &y;
    dots(FactorList<F>(list_.data(), products), y, std::span<Real>(along_.data(), products));
    const Real sy = along_[0], square = along_[products - 1];
    constexpr Real least = std::max(Real(1e-10), 100 * std::numeric_limits<Real>::epsilon());
    if (!(sy > least * length * std::sqrt(square))) return false;
    newest_ = (newest_ + 1) % capacity();
    count_ = kept + 1;
    Pair& pair = pair_of(0);
    std::swap(pair.s, s);
    std::swap(pair.y, y);
    pair.square = square;
    pair.along_steps = Eigen::Map<const Vector<Real>>(along_.data(), count_);
    return true;
  }

  /// Multiplies every y, for residuals measured in another unit from now on.
  void rescale(Real factor) {
    for (int age = 0; age < count_; ++age) {
      Pair& pair = pair_of(age);
      scale(factor, pair.y);
      pair.along_steps *= factor;
      pair.square *= factor * factor;
    }
  }

  /// d = -H r. `right` is K, or null for the identity.
  void direction(const F& r, const Small* right, F& d) {
    if (count_ == 0) {
      d = r;
      return scale(-1, d);
    }
    // From the newest to the oldest: a_i = <s_i, r - sum over newer j of a_j y_j> / <s_i, y_i>.
    list(&Pair::s);
    along_all(r);
    for (int i = 0; i < count_; ++i) {
      Real along = along_[size_of(i)];
      for (int j = 0; j < i; ++j) along += weights_[size_of(j)] * product(i, j);
      weights_[size_of(i)] = -along / product(i, i);
    }
    first_product(r, right, d);
    // And back on d, which has the sign of the answer: a_i + <y_i, d + sum over older j of their
    // weights s_j> / <s_i, y_i>, with the other sign.
    list(&Pair::y);
    along_all(d);
    for (int i = count_ - 1; i >= 0; --i) {
      Real along = along_[size_of(i)];
      for (int j = i + 1; j < count_; ++j) along += weights_[size_of(j)] * product(j, i);
      weights_[size_of(i)] -= along / product(i, i);
    }
    list(&Pair::s);
    axpys(std::span<const Real>(weights_.data(), size_of(count_)), those(), d);
  }

  void keep(Archive& archive) {
    archive(newest_, count_);
    if (count_ < 0 || count_ > capacity() || newest_ < 0 || newest_ >= capacity()) {
      archive.refuse();
    }
    for (int age = 0; age < count_; ++age) {
      Pair& pair = pair_of(age);
      archive(pair.s, pair.y, pair.square, pair.along_steps);
      if (pair.along_steps.size() < count_ - age) archive.refuse();
    }
  }

 private:
  struct Pair {
    F s, y;
    Real square = 0;           ///< <y, y>
    Vector<Real> along_steps;  ///< <s_i, y> for s of this pair and those before it, in this order
  };

  static std::size_t size_of(int count) { return static_cast<std::size_t>(count); }
  int capacity() const { return static_cast<int>(pairs_.size()); }
  Pair& pair_of(int age) { return pairs_[size_of((newest_ - age + capacity()) % capacity())]; }
  /// <s_i, y_j> of the pairs of these ages, s no newer than y.
  Real product(int i, int j) { return pair_of(j).along_steps[i - j]; }

  /// The newest first.
  void list(F Pair::*part) {
    for (int age = 0; age < count_; ++age) list_[size_of(age)] = &(pair_of(age).*part);
  }
  FactorList<F> those() const { return {list_.data(), size_of(count_)}; }
  void along_all(const F& v) { dots(those(), v, std::span<Real>(along_.data(), size_of(count_))); }

  /// d = -unit (r + sum of the weights y) K with unit = <s,y> / <y, y K>
  void first_product(const F& r, const Small* right, F& d) {
    F& sum = right == nullptr ? d : scratch_;
    const Real unit = right == nullptr ? product(0, 0) / pair_of(0).square : Real(1);
    terms_[0] = -unit;
    for (int i = 0; i < count_; ++i) terms_[size_of(i) + 1] = -unit * weights_[size_of(i)];
    list(&Pair::y);
    std::copy_backward(list_.begin(), list_.begin() + count_, list_.begin() + count_ + 1);
    list_[0] = &r;
    const std::size_t terms = size_of(count_) + 1;
    combine(std::span<const Real>(terms_.data(), terms), FactorList<F>(list_.data(), terms), sum);
    if (right == nullptr) return;
    const F& y = pair_of(0).y;
    multiply(y, *right, d);
    multiply(scratch_, Small(*right * (product(0, 0) / dot(y, d))), d);
  }

  std::vector<Pair> pairs_;
  std::vector<Real> weights_, along_, terms_;  ///< by age
  std::vector<const F*> list_;
  F scratch_;
  int newest_ = 0, count_ = 0;
};

}  // namespace projfgd
