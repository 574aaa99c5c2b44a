#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "projfgd/core/eigenpairs.hpp"
#include "projfgd/solvers/compared.hpp"

namespace projfgd {

/// The lowest eigenvectors of A*(w) for one w after another, each started from the last few
/// answers.
template <MeasurementOperator A>
class LowestEigenvector {
 public:
  using F = typename A::Factor;
  using Real = RealOf<F>;

  LowestEigenvector(const A& op, std::uint64_t seed) : op_(op) { options_.seed = seed; }

  /// Finds `count` pairs of A*(w) with ||A*(w) v - lambda v|| <= tolerance ||A*(w)||, as far as
  /// `max_products` products allow.
  void find(const Vector<Real>& w, double tolerance, Index max_products = 60, Index count = 1) {
    const AdjointMap<A> map{op_, w};
    options_.tolerance = tolerance;
    options_.max_products = max_products;
    auto pairs = largest_eigenpairs(Negated<AdjointMap<A>>{map}, count, options_,
                                    calls_ == 0 ? nullptr : &recent_);
    ++options_.seed;
    ++calls_;
    products_ += pairs.products;
    value_ = -static_cast<double>(pairs.values[0]);
    residual_ = static_cast<double>(pairs.residual);
    vectors_ = std::move(pairs.vectors);
    remember();
  }

  double value() const { return value_; }        ///< the lowest lambda found
  double residual() const { return residual_; }  ///< how far off it may be
  const F& vectors() const { return vectors_; }  ///< orthonormal, the lowest first
  Index calls() const { return calls_; }
  Index products() const { return products_; }  ///< in all

 private:
  static constexpr Index kept = 3;

  void remember() {
    const Index found = vectors_.cols(), older = std::min(recent_.cols(), kept - 1);
    F next(vectors_.rows(), found + older);
    next.leftCols(found) = vectors_;
    if (older > 0) next.rightCols(older) = recent_.leftCols(older);
    recent_ = std::move(next);
  }

  const A& op_;
  EigenOptions options_;
  F vectors_, recent_;
  double value_ = 0, residual_ = 0;
  Index calls_ = 0, products_ = 0;
};

}  // namespace projfgd
