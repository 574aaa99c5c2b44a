#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>

#include "projfgd/core/small_matrix.hpp"
#include "projfgd/solvers/svp.hpp"

namespace projfgd {

/// The r leading eigenpairs by a randomised range finder (Halko, Martinsson, Tropp 2011): the
/// columns already known and l Gaussian ones, multiplied by the map and orthonormalised `rounds`
/// times, then a Rayleigh-Ritz step.
template <Factor F>
class RandomisedLeading {
 public:
  using S = typename F::Scalar;

  RandomisedLeading(Index oversampling, int rounds, std::uint64_t seed)
      : oversampling_(oversampling), rounds_(rounds), seed_(seed) {}

  template <class Map>
  auto& operator()(const Map& map, const F& near, const std::function<bool()>& /*go_on*/) {
    const Index n = map.rows(), width = std::min(n, near.cols() + oversampling_);
    q_.resize(n, width);
    fill_normal(RandomStream(seed_, 0x25C0 + calls_++), q_);
    const RealOf<S> size = norm(near) / std::sqrt(RealOf<S>(2 * n));
    q_ *= size;  // so that neither part is lost in the other's rounding
    for (Index c = 0; c < near.cols(); ++c) {
      if (!near.col(c).isZero(0)) q_.col(c) = near.col(c);
    }
    for (int round = 0; round < rounds_; ++round) {
      orthonormalise(q_);
      map.times(q_, product_);
      std::swap(q_, product_);
    }
    orthonormalise(q_);
    map.times(q_, product_);
    const Matrix<S> small = gram(q_, product_);
    const HermitianEigen<S> eigen = hermitian_eigen<S>((small + small.adjoint()) / RealOf<S>(2));
    const Index rank = std::min(near.cols(), q_.cols());
    const Matrix<S> y = eigen.vectors.rightCols(rank).rowwise().reverse();
    pairs_.values = eigen.values.tail(rank).reverse();
    pairs_.vectors.resize(n, rank);
    pairs_.vectors.noalias() = q_ * y;
    return pairs_;
  }

  void keep(Archive& archive) { archive(calls_); }

 private:
  F q_, product_;
  Eigenpairs<F> pairs_;
  Index oversampling_;
  int rounds_;
  std::uint64_t seed_, calls_ = 0;
};

/// Randomised SVP (Becker, Cevher, Kyrillidis 2013) from U_0 = start, whose columns set the rank.
template <MeasurementOperator A, class Watcher = NoObserver>
Result<typename A::Factor> rsvp(const TraceProblem<A>& problem, typename A::Factor start,
                                const Options& options = {}, Watcher watcher = {}) {
  validate(problem);
  validate(options);
  // The last factor leads the range finder, so the least of what is usual will do.
  constexpr Index oversampling = 5;
  constexpr int rounds = 1;
  using Leading = RandomisedLeading<typename A::Factor>;
  const Leading leading(oversampling, rounds, options.seed);
  return SvpSolver<A, Leading, Watcher>(problem, leading, options, watcher).run(std::move(start));
}

}  // namespace projfgd
