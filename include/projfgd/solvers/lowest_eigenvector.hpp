#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "projfgd/core/eigenpairs.hpp"
#include "projfgd/solvers/compared.hpp"

namespace projfgd {

template <Factor F>
struct LowestPairs {
  F vectors;            ///< orthonormal, the lowest first
  double value = 0;     ///< the lowest lambda found
  double residual = 0;  ///< how far off it may be
};

/// The lowest eigenvectors of A*(w) for one w after another, each started from the last few
/// answers.
template <MeasurementOperator A>
class LowestEigenvector {
 public:
  using F = typename A::Factor;
  using Real = RealOf<F>;

  /// `go_on` turns false when there is no time left, and a search then ends with what it has.
  LowestEigenvector(const A& op, std::uint64_t seed, std::function<bool()> go_on) : op_(op) {
    options_.seed = seed;
    options_.go_on = std::move(go_on);
  }

  /// Finds `count` pairs of A*(w) with ||A*(w) v - lambda v|| <= tolerance ||A*(w)||, as far as
  /// `max_products` products allow, or one that is `enough` by its lambda and that residual.
  void find(const Vector<Real>& w, double tolerance, Index max_products = 60, Index count = 1,
            const std::function<bool(double lambda, double residual)>& enough = {}) {
    const AdjointMap<A> map{op_, w};
    EigenOptions now = options_;
    now.tolerance = tolerance;
    now.max_products = max_products;
    if (enough) now.enough = [&](double value, double left) { return enough(-value, left); };
    auto& pairs =
        largest_(Negated<AdjointMap<A>>{map}, count, now, calls_ == 0 ? nullptr : &recent_);
    ++options_.seed;
    ++calls_;
    products_ += pairs.products;
    std::swap(found_.vectors, pairs.vectors);
    found_.value = -static_cast<double>(pairs.values[0]);
    found_.residual = static_cast<double>(pairs.residual);
    remember();
  }

  double value() const { return found_.value; }
  double residual() const { return found_.residual; }
  const F& vectors() const { return found_.vectors; }
  const LowestPairs<F>& found() const { return found_; }
  /// Makes what was found earlier the last that was found.
  void put_back(LowestPairs<F> earlier) { found_ = std::move(earlier); }
  Index calls() const { return calls_; }
  Index products() const { return products_; }  ///< in all

  void keep(Archive& archive) {
    archive(options_.seed, found_.vectors, found_.value, found_.residual, recent_, calls_,
            products_);
  }

 private:
  static constexpr Index kept = 3;

  void remember() {
    const Index found = vectors().cols(), older = std::min(recent_.cols(), kept - 1);
    next_.resize(vectors().rows(), found + older);
    next_.leftCols(found) = vectors();
    if (older > 0) next_.rightCols(older) = recent_.leftCols(older);
    std::swap(recent_, next_);
  }

  const A& op_;
  EigenOptions options_;
  LargestEigenpairs<F> largest_;
  LowestPairs<F> found_;
  F recent_, next_;
  Index calls_ = 0, products_ = 0;
};

}  // namespace projfgd
