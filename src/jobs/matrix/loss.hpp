// The loss of a matrix problem, in any place.
#pragma once

#include <utility>

#include "projfgd/core/any.hpp"
#include "projfgd/losses/least_squares.hpp"
#include "projfgd/losses/logistic.hpp"
#include "projfgd/losses/poisson.hpp"
#include "projfgd/losses/weighted_least_squares.hpp"
#include "projfgd/operators/split.hpp"

namespace projfgd {

/// What a loss is made of.
template <class R>
struct MatrixLoss {
  enum class Kind { least_squares, weighted, poisson, logistic };

  Kind kind = Kind::least_squares;
  Vector<R> y;
  Vector<R> weights = {};  ///< of weighted squares; the exposures of counts
  R noise_scale = 1;       ///< of logistic

  /// Of all data, or of one process's part of them.
  template <class There>
  AnyLoss<R, There> in(const Parts* part = nullptr) const {
    using V = typename There::template Values<R>;
    const auto own = [part](const Vector<R>& all) {
      V there;
      copy_from_host(part == nullptr ? all : part->mine(all), there);
      return there;
    };
    switch (kind) {
      case Kind::weighted:
        return WeightedLeastSquares<R, V>(own(y), own(weights));
      case Kind::poisson:
        return Poisson<R, V>(own(y), own(weights));
      case Kind::logistic:
        return Logistic<R, V>(own(y), noise_scale);
      case Kind::least_squares:
        break;
    }
    return LeastSquares<R, V>(own(y));
  }
};

}  // namespace projfgd
