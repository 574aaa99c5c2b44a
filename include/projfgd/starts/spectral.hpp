#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "projfgd/core/eigenpairs.hpp"
#include "projfgd/core/gradient_check.hpp"
#include "projfgd/core/line_search.hpp"
#include "projfgd/core/options.hpp"

namespace projfgd {

/// grad f(X) at the objective's remembered point, as a Hermitian map.
template <Objective O>
struct GradientMap {
  using Factor = typename O::Factor;
  O& f;
  Index rows() const { return f.rows(); }
  void times(const Factor& v, Factor& g) const { f.gradient_times(v, g); }
};

/// Whether the objective knows what stands in for grad f(0) where that is infinite.
template <class O>
concept KnowsStart = requires(O& f, const typename O::Factor& v, typename O::Factor& g) {
  f.start_times(v, g);
};

template <Factor F>
F column_of_ones(Index rows) {
  F ones;
  copy_from_host(Matrix<typename F::Scalar>(Matrix<typename F::Scalar>::Ones(rows, 1)), ones);
  return ones;
}

/// Whether f has a gradient at 0 to start from.
template <Objective O>
bool is_finite_at_zero(O& f) {
  if constexpr (KnowsStart<O>) {
    return true;
  } else {
    using F = typename O::Factor;
    F ones = column_of_ones<F>(f.rows()), zero, g;
    set_zero(f.rows(), 1, zero);
    if (!std::isfinite(f.at(zero))) return false;
    f.gradient_times(ones, g);
    require_gradient(ones, g);
    return std::isfinite(norm(g));
  }
}

/// -grad f(0), as a Hermitian map; sets the remembered point to 0 unless the objective knows
/// better.
template <Objective O>
class StartMap {
 public:
  using Factor = typename O::Factor;

  explicit StartMap(O& f) : f_(f) {
    if constexpr (!KnowsStart<O>) {
      Factor zero;
      set_zero(f_.rows(), 1, zero);
      f_.at(zero);
    }
  }
  Index rows() const { return f_.rows(); }
  void times(const Factor& v, Factor& g) const {
    if constexpr (KnowsStart<O>) {
      f_.start_times(v, g);
    } else {
      f_.gradient_times(v, g);
      scale(-1, g);
    }
  }

 private:
  O& f_;
};

/// The t > 0 that makes f(t X) smallest along the ray through X = U U^H; 0 where f rises from the
/// beginning, infinite where it falls as far as can be seen. Any of these once go_on() is false.
template <Objective O>
double ray_minimum(O& f, const typename O::Factor& u, const std::function<bool()>& go_on = {}) {
  using F = typename O::Factor;
  if (go_on && !go_on()) return 0;
  if constexpr (requires { f.scale_minimum(); }) {
    f.at(u);
    return f.scale_minimum();
  } else {
    using Real = RealOf<F>;
    constexpr double far = 1e50, near = 1e-6;
    F v, g;
    const auto slope = [&](double t) -> double {  // <grad f(t X), X>
      if (go_on && !go_on()) return std::numeric_limits<double>::quiet_NaN();
      if constexpr (!KnowsGradientMap<O>) t = std::max(t, near);  // G V is 0 at V = 0
      v = u;
      scale(static_cast<Real>(std::sqrt(t)), v);
      const double value = f.at(v);
      if (!std::isfinite(value)) return value;
      f.gradient_times(KnowsGradientMap<O> ? u : v, g);
      return KnowsGradientMap<O> ? dot(u, g) : dot(v, g) / t;
    };
    // Squares of what is found must not overflow.
    const double longest = std::min<double>(
        far, std::sqrt(std::numeric_limits<Real>::max()) / static_cast<double>(dot(u, u)));
    const double best = first_zero(slope, std::min(1.0, longest), longest);
    return best < longest ? best : std::numeric_limits<double>::infinity();
  }
}

template <Factor F>
struct Start {
  F factor;           ///< U_0, before the projection onto C
  double smoothness;  ///< the L of X_0 = (1/L) P_+(-grad f(0)); 0: not known
};

/// A start needs its eigenvectors only roughly: the first iterations remove what is left of the
/// error at the same price. Few blocks are kept, which matters at high rank.
inline EigenOptions start_accuracy(std::uint64_t seed) {
  EigenOptions options;
  options.tolerance = 3e-2;
  options.max_basis = 12;
  options.seed = seed;
  return options;
}

/// Lines 2 and 3 of Algorithm 1: X_0 = (1/L) P_+(-grad f(0)) cut to rank r, without forming it.
///
/// With L unknown (0) it is the curvature of f along P_+(-grad f(0)), so that X_0 is the best point
/// of that ray: for f = 1/2 ||A(X) - y||^2 the restricted L, not the global one. Directions in
/// which -grad f(0) has no positive part get small random columns; zero columns would never move.
/// An eigenvector has either sign; the one with the larger sum is nearer to nonnegative numbers.
template <Objective O>
Start<typename O::Factor> spectral_start(O& f, Index rank, double smoothness = 0,
                                         const EigenOptions& options = start_accuracy(1)) {
  using F = typename O::Factor;
  using Real = RealOf<F>;
  validate_rank(rank, f.rows());
  auto pairs = largest_eigenpairs(StartMap<O>(f), rank, options);
  const Real largest = pairs.values[0] > 0 ? pairs.values[0] : Real(1);
  const Matrix<typename F::Scalar> sums = gram(column_of_ones<F>(f.rows()), pairs.vectors);
  Matrix<typename F::Scalar> sizes = Matrix<typename F::Scalar>::Zero(rank, rank);
  for (Index c = 0; c < rank; ++c) {
    const Real sign = std::real(sums(0, c)) < 0 ? Real(-1) : Real(1);
    sizes(c, c) = sign * std::sqrt(std::max(pairs.values[c], largest * Real(1e-6)));
  }
  F u;
  multiply(pairs.vectors, sizes, u);
  double step = smoothness > 0 ? 1 / smoothness : ray_minimum(f, u, options.go_on);
  if (!(step > 0) || !std::isfinite(step)) step = 1 / static_cast<double>(largest);
  scale(static_cast<Real>(std::sqrt(step)), u);
  return {std::move(u), 1 / step};
}

}  // namespace projfgd
