#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>

#include "projfgd/core/random.hpp"
#include "projfgd/starts/spectral.hpp"

namespace projfgd {

/// A Gaussian U_0, scaled to the best point of its ray, or to what is found of it before go_on() is
/// false. It does not tell L.
template <Objective O>
Start<typename O::Factor> random_start(O& f, Index rank, std::uint64_t seed,
                                       const std::function<bool()>& go_on = {}) {
  using F = typename O::Factor;
  using Real = RealOf<F>;
  validate_rank(rank, f.rows());
  F u;
  set_normal(RandomStream(seed, 0x57A7), f.rows(), rank, u);
  scale(1 / norm(u), u);
  double step = ray_minimum(f, u, go_on);
  if (!(step > 0) || !std::isfinite(step)) step = 1;
  scale(static_cast<Real>(std::sqrt(step)), u);
  return {std::move(u), 0};
}

}  // namespace projfgd
