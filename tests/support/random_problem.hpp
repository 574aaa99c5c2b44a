// Random small problems over every operator, set, loss, rank and scale of data.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "projfgd/constraints/entrywise.hpp"
#include "projfgd/constraints/frobenius.hpp"
#include "projfgd/constraints/l1.hpp"
#include "projfgd/constraints/none.hpp"
#include "projfgd/constraints/schatten.hpp"
#include "projfgd/constraints/within.hpp"
#include "projfgd/core/any.hpp"
#include "projfgd/core/small_matrix.hpp"
#include "projfgd/losses/least_squares.hpp"
#include "projfgd/losses/logistic.hpp"
#include "projfgd/losses/poisson.hpp"
#include "projfgd/losses/weighted_least_squares.hpp"
#include "projfgd/operators/dense.hpp"
#include "projfgd/operators/entries.hpp"
#include "projfgd/operators/identity.hpp"
#include "projfgd/operators/rank_one.hpp"
#include "support/support.hpp"

namespace projfgd::test {

template <class S>
struct Problem {
  std::string name;
  Index rank;
  AnyOperator<S> op;
  AnyLoss<RealOf<S>> loss;
  AnyConstraint<S> set;
};

/// Draws one random thing after another.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed, 0xD1CE) {}
  Index below(Index bound) { return static_cast<Index>(random_.below(bound, next_++)); }
  double uniform(double low, double high) { return low + (high - low) * random_.uniform(next_++); }
  double normal() { return random_.normal(next_++); }
  /// Poisson with a small mean, by counting exponential waiting times.
  double poisson(double mean) {
    double count = -1;
    for (double sum = 0; sum < mean; ++count) sum -= std::log(random_.uniform(next_++));
    return count;
  }

 private:
  RandomStream random_;
  std::uint64_t next_ = 0;
};

template <class S>
AnyOperator<S> random_operator(Index kind, Index n, Index r, std::uint64_t seed, Dice& dice) {
  const Index m = std::min(n * (n + 1) / 2, n * r * (2 + dice.below(3)));
  switch (kind) {
    case 0: {
      std::vector<Matrix<S>> matrices;
      for (Index i = 0; i < m; ++i) {
        matrices.push_back(random_hermitian<S>(n, 1000 * seed + i) / RealOf<S>(std::sqrt(m)));
      }
      return DenseOperator<S>(matrices);
    }
    case 1:
      return RankOneOperator<S>(random_factor<S>(2 * m, n, seed));
    case 2: {
      std::vector<typename EntriesOperator<S>::Place> places;
      for (std::int32_t i = 0; i < n; ++i) {
        for (std::int32_t j = 0; j <= i; ++j) {
          // With its diagonal X cannot grow without bound: a minimiser exists.
          if (i == j || dice.uniform(0, 1) < 0.6) places.push_back({i, j});
        }
      }
      return EntriesOperator<S>(n, places);
    }
    default:
      return IdentityOperator<S>(n);
  }
}

/// A set of the given kind whose size is `tightness` times what the truth needs.
template <class S>
AnyConstraint<S> random_set(Index kind, const Matrix<S>& truth, double tightness, Dice& dice) {
  const Vector<double> values =
      hermitian_eigen(gram(truth, truth)).values.cwiseMax(0).cwiseSqrt().template cast<double>();
  std::vector<bool> inside(truth.rows());
  for (auto&& member : inside) member = dice.uniform(0, 1) < 0.8;
  inside[0] = true;
  const double l1 = truth.cwiseAbs().sum(), frobenius = truth.norm();
  switch (kind) {
    case 0:
      return FrobeniusBall(tightness * frobenius);
    case 1:
      return FrobeniusSphere(tightness * frobenius);
    case 2:
      return L1Ball(tightness * l1);
    case 3:
      return NonnegativeL1Ball(tightness * l1);
    case 4:
      return NuclearBall(tightness * values.sum());
    case 5:
      return SpectralBall(tightness * values.maxCoeff());
    case 6:
      return RowNormBall(tightness * truth.rowwise().norm().maxCoeff());
    case 7:
      return Within(Support(inside), L1Ball(tightness * l1));
    case 8:
      return Support(inside);
    case 9:
      return Nonnegative();
    case 10:
      return Within(Support(inside), Nonnegative());
    case 11:
      return RealValued();
    default:
      return Unconstrained();
  }
}

template <class S>
AnyLoss<RealOf<S>> random_loss(Index kind, const AnyOperator<S>& op, const Matrix<S>& truth,
                               double scale, Dice& dice) {
  using Real = RealOf<S>;
  Vector<Real> y;
  op.forward(truth, y);
  const double typical = y.norm() / std::sqrt(static_cast<double>(y.size()));
  Vector<Real> other(y.size());
  if (kind == 3) {  // one bit each, the sign of a noisy measurement
    for (Index i = 0; i < y.size(); ++i) y[i] = y[i] + typical * dice.normal() > 0 ? 1 : -1;
    return Logistic<Real>(y, static_cast<Real>(typical));
  }
  if (kind == 2) {  // about ten counts a measurement, and some without any
    for (Index i = 0; i < y.size(); ++i) {
      other[i] = static_cast<Real>(10 / typical * dice.uniform(0.2, 1));
      y[i] = static_cast<Real>(dice.poisson(other[i] * y[i]));
    }
    return Poisson<Real>(y, other);
  }
  const double noise = dice.below(2) == 0 ? 0 : dice.uniform(0, 0.2);
  for (Index i = 0; i < y.size(); ++i) y[i] += static_cast<Real>(noise * typical * dice.normal());
  if (kind == 0) return LeastSquares<Real>(y);
  for (Index i = 0; i < y.size(); ++i) {
    other[i] = static_cast<Real>(dice.uniform(0.1, 2) / (scale * scale));
  }
  return WeightedLeastSquares<Real>(y, other);
}

/// Problem number k: kinds go round, everything else is random.
template <class S>
Problem<S> random_problem(std::uint64_t k) {
  static const char* const operators[] = {"dense", "rank-one", "entries", "identity"};
  static const char* const sets[] = {"ball",
                                     "sphere",
                                     "l1",
                                     "nonnegative l1",
                                     "nuclear",
                                     "spectral",
                                     "row-norm",
                                     "l1 on support",
                                     "support",
                                     "nonnegative",
                                     "nonnegative on support",
                                     "real",
                                     "none"};
  static const char* const losses[] = {"least squares", "weighted", "Poisson", "logistic"};
  constexpr Index bounded_sets = 8, all_sets = 13;
  Dice dice(k);
  const auto op_kind = static_cast<Index>(k % 4);
  const auto set_kind = static_cast<Index>(k % all_sets);
  // Counts need means >= 0, and a separable logistic problem has no minimiser on unbounded sets.
  Index loss_kind = dice.below(4);
  if (loss_kind == 2 && op_kind != 1) loss_kind = 0;
  if (loss_kind == 3 && set_kind >= bounded_sets) loss_kind = 1;
  const Index n = 6 + dice.below(5), r = 1 + dice.below(4), true_rank = 1 + dice.below(r);
  const double scale = std::pow(10.0, dice.uniform(-6, 6));
  Matrix<S> truth = random_factor<S>(n, true_rank, 77 + k);
  if (set_kind == 3 || set_kind == 9 || set_kind == 10) Nonnegative().project(truth);
  truth *= static_cast<RealOf<S>>(std::sqrt(scale) / truth.norm());
  const auto op = random_operator<S>(op_kind, n, r, k, dice);
  const auto set = random_set<S>(set_kind, truth, dice.uniform(0.6, 1.3), dice);
  const auto loss = random_loss<S>(loss_kind, op, truth, scale, dice);
  return {std::string(operators[op_kind]) + ", " + sets[set_kind] + ", " + losses[loss_kind] +
              ", n " + std::to_string(n) + ", rank " + std::to_string(r) + " for " +
              std::to_string(true_rank),
          r, op, loss, set};
}

}  // namespace projfgd::test
