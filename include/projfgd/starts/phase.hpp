// Where phase retrieval begins.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

#include "projfgd/core/eigenpairs.hpp"
#include "projfgd/core/intensities.hpp"

namespace projfgd {

/// Gaussian entries, with the energy that the data ask for when A^H A is the identity on average.
template <LinearMeasurement A>
typename A::Factor random_phase_start(const A& op, const typename A::Values& y,
                                      std::uint64_t seed) {
  typename A::Factor z;
  set_normal(RandomStream(seed, 0x57A7), op.rows(), 1, z);
  scale(static_cast<RealOf<typename A::Factor>>(std::sqrt(mean_intensity(op, y)) / norm(z)), z);
  return z;
}

/// As many as the paper takes.
inline constexpr Index paper_power_iterations = 50;

/// The start of Wirtinger Flow: power iterations with A^H diag(y) A, and the norm sqrt(mean y).
/// They end early when go_on() says so.
template <LinearMeasurement A>
typename A::Factor power_phase_start(
    const A& op, const typename A::Values& y, Index iterations, std::uint64_t seed,
    const std::function<bool()>& go_on = [] { return true; }) {
  auto z = random_phase_start(op, y, seed);
  typename A::Factor next;
  for (Index k = 0; k < iterations && go_on(); ++k) {
    op.adjoint_times(y, z, next);
    std::swap(z, next);
    scale(1 / norm(z), z);
  }
  scale(static_cast<RealOf<typename A::Factor>>(std::sqrt(mean_intensity(op, y)) / norm(z)), z);
  return z;
}

/// A LinearMeasurement that knows an R with A^H A = R^H R.
template <class A>
concept RootedMeasurement = LinearMeasurement<A> && requires(const A& op, typename A::Factor g) {
  op.solve_root(g);          // g = R^{-1} g
  op.solve_root_adjoint(g);  // g = R^{-H} g
};

/// R^{-H} A^H diag(w) A R^{-1} with A^H A = R^H R, as a Hermitian map.
template <RootedMeasurement A>
struct WhitenedNormalMap {
  using Factor = typename A::Factor;
  const A& op;
  const typename A::Values& weights;
  mutable Factor rooted = {};  ///< work space: R^{-1} v
  Index rows() const { return op.rows(); }
  void times(const Factor& v, Factor& g) const {
    rooted = v;
    op.solve_root(rooted);
    op.adjoint_times(weights, rooted, g);
    op.solve_root_adjoint(g);
  }
};

/// The z for which z^H A^H diag(1 - exp(-y / mean y)) A z over ||A z||^2 is largest, after a few
/// Lanczos steps, with ||A z||^2 = sum y, were all of it measured. Bright measurements cannot take
/// over, and neither can entries that more of the rows see than of others: 6 steps do what 50 power
/// iterations do. They end early when go_on() says so.
template <RootedMeasurement A>
typename A::Factor lanczos_phase_start(const A& op, const typename A::Values& y, Index steps,
                                       std::uint64_t seed, std::function<bool()> go_on = {}) {
  using Real = RealOf<typename A::Factor>;
  const auto mean = static_cast<Real>(mean_intensity(op, y));
  typename A::Values weights;
  map_values(weights, element::Saturation<Real>{mean}, y);
  EigenOptions options;
  options.max_products = steps;
  options.tolerance = std::numeric_limits<Real>::epsilon();
  options.seed = seed;
  options.go_on = std::move(go_on);
  auto z = largest_eigenpairs(WhitenedNormalMap<A>{op, weights}, 1, options).vectors;
  scale(std::sqrt(static_cast<double>(mean) * static_cast<double>(y.size())) / norm(z), z);
  op.solve_root(z);
  return z;
}

}  // namespace projfgd
