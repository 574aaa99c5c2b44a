#pragma once

#include <algorithm>
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
        along_(size_of(capacity)),
        steps_(size_of(capacity)),
        changes_(size_of(capacity)) {}

  bool empty() const { return count_ == 0; }
  void clear() { count_ = 0; }

  /// Keeps the pair unless its curvature is not safely positive; true if kept.
  bool push(const F& s, const F& y) {
    const Real sy = dot(s, y);
    constexpr Real least = std::max(Real(1e-10), 100 * std::numeric_limits<Real>::epsilon());
    if (!(sy > least * norm(s) * norm(y))) return false;
    newest_ = (newest_ + 1) % capacity();
    count_ = std::min(count_ + 1, capacity());
    Pair& pair = pair_of(0);
    pair.s = s;
    pair.y = y;
    list_pairs();
    pair.along_steps.resize(count_);
    dots(those(steps_), y, std::span<Real>(pair.along_steps.data(), size_of(count_)));
    return true;
  }

  /// Multiplies every y, for residuals measured in another unit from now on.
  void rescale(Real factor) {
    for (int age = 0; age < count_; ++age) {
      scale(factor, pair_of(age).y);
      pair_of(age).along_steps *= factor;
    }
  }

  /// d = -H r. `right` is K, or null for the identity.
  void direction(const F& r, const Small* right, F& d) {
    d = r;
    if (count_ > 0) {
      list_pairs();
      // From the newest to the oldest: a_i = <s_i, r - sum over newer j of a_j y_j> / <s_i, y_i>.
      along_all(steps_, d);
      for (int i = 0; i < count_; ++i) {
        Real along = along_[size_of(i)];
        for (int j = 0; j < i; ++j) along += weights_[size_of(j)] * product(i, j);
        weights_[size_of(i)] = -along / product(i, i);
      }
      add_all(changes_, d);
      apply_first_matrix(right, d);
      // And back: a_i - <y_i, d + sum over older j of their weights s_j> / <s_i, y_i>.
      along_all(changes_, d);
      for (int i = count_ - 1; i >= 0; --i) {
        Real along = along_[size_of(i)];
        for (int j = i + 1; j < count_; ++j) along += weights_[size_of(j)] * product(j, i);
        weights_[size_of(i)] = -weights_[size_of(i)] - along / product(i, i);
      }
      add_all(steps_, d);
    }
    scale(-1, d);
  }

  void keep(Archive& archive) {
    archive(newest_, count_);
    if (count_ < 0 || count_ > capacity() || newest_ < 0 || newest_ >= capacity()) {
      archive.refuse();
    }
    for (int age = 0; age < count_; ++age) {
      Pair& pair = pair_of(age);
      archive(pair.s, pair.y, pair.along_steps);
      if (pair.along_steps.size() < count_ - age) archive.refuse();
    }
  }

 private:
  struct Pair {
    F s, y;
    Vector<Real> along_steps;  ///< <s_i, y> for s of this pair and those before it, in this order
  };
  using List = std::vector<const F*>;

  static std::size_t size_of(int count) { return static_cast<std::size_t>(count); }
  int capacity() const { return static_cast<int>(pairs_.size()); }
  Pair& pair_of(int age) { return pairs_[size_of((newest_ - age + capacity()) % capacity())]; }
  /// <s_i, y_j> of the pairs of these ages, s no newer than y.
  Real product(int i, int j) { return pair_of(j).along_steps[i - j]; }

  /// The newest first.
  void list_pairs() {
    for (int age = 0; age < count_; ++age) {
      steps_[size_of(age)] = &pair_of(age).s;
      changes_[size_of(age)] = &pair_of(age).y;
    }
  }
  FactorList<F> those(const List& list) const { return {list.data(), size_of(count_)}; }
  void along_all(const List& list, const F& v) {
    dots(those(list), v, std::span<Real>(along_.data(), size_of(count_)));
  }
  void add_all(const List& list, F& v) {
    axpys(std::span<const Real>(weights_.data(), size_of(count_)), those(list), v);
  }

  /// d <- (<s,y> / <y, y K>) d K
  void apply_first_matrix(const Small* right, F& d) {
    const F& y = *changes_[0];
    if (right == nullptr) {
      scale(product(0, 0) / dot(y, y), d);
      return;
    }
    multiply(y, *right, scratch_);
    const Real unit = product(0, 0) / dot(y, scratch_);
    multiply(d, *right, scratch_);
    std::swap(d, scratch_);
    scale(unit, d);
  }

  std::vector<Pair> pairs_;
  std::vector<Real> weights_, along_;  ///< by age
  List steps_, changes_;
  F scratch_;
  int newest_ = 0, count_ = 0;
};

}  // namespace projfgd
