// Losses that are sums over measurements, sum_i h(p_i, y_i) with p_i = |a_i^H z|^2: what phase
// retrieval minimises. Each kernel knows h, h' and h'' in p.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "projfgd/core/error.hpp"
#include "projfgd/core/factor.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/losses/deviance.hpp"

namespace projfgd {

/// 1/2 (p - y)^2: Gaussian noise on the intensities.
struct IntensityKernel {
  template <class R>
  static constexpr R value(R p, R y) {
    return (p - y) * (p - y) / 2;
  }
  template <class R>
  static constexpr R slope(R p, R y) {
    return p - y;
  }
  template <class R>
  static constexpr R curvature(R, R) {
    return 1;
  }
};

/// 1/2 (sqrt p - sqrt y)^2: Gaussian noise on the amplitudes, close to Poisson noise.
struct AmplitudeKernel {
  template <class R>
  static constexpr R value(R p, R y) {
    const R r = std::sqrt(p) - std::sqrt(y);
    return r * r / 2;
  }
  /// At p = 0 the phase of a^H z is free: 0 leaves it where it is.
  template <class R>
  static constexpr R slope(R p, R y) {
    return p > 0 ? (1 - std::sqrt(y / p)) / 2 : R(0);
  }
  template <class R>
  static constexpr R curvature(R p, R y) {
    return p > 0 ? std::sqrt(y / p) / (4 * p) : R(0);
  }
};

/// p - y + y log(y / p): photon counting.
struct PoissonKernel {
  template <class R>
  static constexpr R value(R p, R y) {
    if (!(y > 0)) return p;
    return static_cast<R>(y * deviance<double>(p, y));
  }
  template <class R>
  static constexpr R slope(R p, R y) {
    return p > 0 ? 1 - y / p : R(0);
  }
  template <class R>
  static constexpr R curvature(R p, R y) {
    return p > 0 ? y / (p * p) : R(0);
  }
};

/// The same for counts with a background that model and data share,
///
///   (p + c) - (y + c) + (y + c) log((y + c) / (p + c)).
///
/// Photon counting pulls without bound at a p near 0 where anything was counted, and an image that
/// is still far off has many such. A background ends that. The slope is 0 on average at the true p,
/// as without it, and numbers of p counts keep the part p / (p + c) of what they tell.
struct CountKernel {
  static constexpr double background = 1.0 / 64;
  template <class R>
  static R value(R p, R y) {
    return PoissonKernel::value<R>(p + c<R>, y + c<R>);
  }
  template <class R>
  static R slope(R p, R y) {
    return PoissonKernel::slope<R>(p + c<R>, y + c<R>);
  }
  template <class R>
  static R curvature(R p, R y) {
    return PoissonKernel::curvature<R>(p + c<R>, y + c<R>);
  }

 private:
  template <class R>
  static constexpr R c = static_cast<R>(background);
};

enum class PointwiseLoss { intensity, amplitude, poisson };

inline constexpr PointwiseLoss pointwise_losses[] = {
    PointwiseLoss::intensity, PointwiseLoss::amplitude, PointwiseLoss::poisson};

constexpr std::string_view to_string(PointwiseLoss loss) {
  switch (loss) {
    case PointwiseLoss::intensity:
      return "intensity";
    case PointwiseLoss::amplitude:
      return "amplitude";
    case PointwiseLoss::poisson:
      break;
  }
  return "poisson";
}

/// "intensity", "amplitude", "poisson"
inline std::vector<std::string> pointwise_loss_names() {
  std::vector<std::string> names;
  for (const PointwiseLoss loss : pointwise_losses) names.emplace_back(to_string(loss));
  return names;
}

/// The loss of that name. Throws InputError.
inline PointwiseLoss pointwise_loss(std::string_view name) {
  require_name("loss", name, pointwise_loss_names());
  return *std::ranges::find(pointwise_losses, name,
                            [](PointwiseLoss loss) { return to_string(loss); });
}

/// use(kernel) with the kernel of that name.
template <class Use>
decltype(auto) with_kernel(PointwiseLoss loss, const Use& use) {
  switch (loss) {
    case PointwiseLoss::intensity:
      return use(IntensityKernel{});
    case PointwiseLoss::amplitude:
      return use(AmplitudeKernel{});
    case PointwiseLoss::poisson:
      break;
  }
  return use(PoissonKernel{});
}

}  // namespace projfgd
