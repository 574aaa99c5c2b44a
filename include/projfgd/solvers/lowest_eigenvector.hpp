#pragma once

#include <algorithm>

#include "projfgd/core/eigenpairs.hpp"
#include "projfgd/solvers/compared.hpp"

namespace projfgd {

/// The lowest eigenvector of A*(w) for one w after another, each started from the last few answers.
template <MeasurementOperator A>
class LowestEigenvector {
 public:
  using F = typename A::Factor;
  using Real = RealOf<F>;

  LowestEigenvector(const A& op, std::uint64_t seed) : op_(op) { options_.seed = seed; }

  /// Finds the pair for A*(w) with ||A*(w) v - lambda v|| <= tolerance ||A*(w)||, as far as
  /// `max_products` products allow.
  void find(const Vector<Real>& w, double tolerance, Index max_products = 60) {
    const AdjointMap<A> map{op_, w};
    options_.tolerance = tolerance;
    options_.max_products = max_products;
    auto pairs = largest_eigenpairs(Negated<AdjointMap<A>>{map}, 1, options_,
                                    calls_ == 0 ? nullptr : &recent_);
    ++options_.seed;
    ++calls_;
    value_ = -static_cast<double>(pairs.values[0]);
    vector_ = std::move(pairs.vectors);
    remember();
  }

  double value() const { return value_; }      ///< lambda
  const F& vector() const { return vector_; }  ///< v, ||v|| = 1
  Index calls() const { return calls_; }

 private:
  static constexpr Index kept = 3;

  void remember() {
    const Index width = std::min(recent_.cols() + 1, kept);
    F next(vector_.rows(), width);
    next.col(0) = vector_.col(0);
    if (width > 1) next.rightCols(width - 1) = recent_.leftCols(width - 1);
    recent_ = std::move(next);
  }

  const A& op_;
  EigenOptions options_;
  F vector_, recent_;
  double value_ = 0;
  Index calls_ = 0;
};

}  // namespace projfgd
