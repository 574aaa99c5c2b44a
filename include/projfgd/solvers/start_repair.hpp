#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>

#include "projfgd/measures/distance.hpp"
#include "projfgd/starts/random.hpp"

namespace projfgd {

/// Makes a start one that gradient steps can leave: not 0, not too small for its squares, of full
/// rank, and where f is finite.
template <Objective O, Constraint<typename O::Factor> C>
class StartRepair {
 public:
  using F = typename O::Factor;
  using S = typename F::Scalar;
  using Real = RealOf<F>;

  StartRepair(O& f, const C& set, std::uint64_t seed, std::function<bool()> go_on)
      : f_(f), set_(set), seed_(seed), go_on_(std::move(go_on)) {}

  /// The gradient G U of a zero column is zero, so it would never move: a start of lower rank than
  /// its columns gets a small random part.
  void fill_rank(F& u) const {
    const Real size = norm(u);
    if (size == 0) {
      u = random_start(f_, u.cols(), seed_, go_on_).factor;
      set_.project(u);
      return;
    }
    if (size * size * size * size < std::numeric_limits<Real>::min()) {
      go_to_best_of_ray(u);  // the squares of X are lost here
      set_.project(u);
    }
    if (is_deficient(u)) {
      add_noise(Real(1e-3), u);
      set_.project(u);
    }
  }

  /// Where f is infinite, as a likelihood is when something was counted that the start rules out,
  /// there is no gradient: the start gets a random part until it is not, and where that will not do
  /// it gets the moduli of its entries, whose products are all above 0. Returns f there.
  double enter_domain(F& u) const {
    double value = f_.at(u);
    for (Real share = Real(0.1); !std::isfinite(value) && share < 10; share *= 2) {
      add_noise(share, u);
      value = project(u);
    }
    if (std::isfinite(value)) return value;
    add_noise(1, u);
    copy_from_host(Matrix<S>(Matrix<S>(copy_to_host(u)).cwiseAbs().template cast<S>()), u);
    go_to_best_of_ray(u);
    return project(u);
  }

 private:
  static bool is_deficient(const F& u) {
    const Vector<Real> values = hermitian_eigenvalues<S>(gram(u, u));
    const Real lost = std::max(Real(1e-12), 10 * std::numeric_limits<Real>::epsilon());
    return !(values[0] > lost * values[values.size() - 1]);
  }

  double project(F& u) const {
    set_.project(u);
    return f_.at(u);
  }

  void add_noise(Real share, F& u) const {
    F noise;
    set_normal(RandomStream(seed_, 0xF111), u.rows(), u.cols(), noise);
    axpy(share * norm(u) / norm(noise), noise, u);
  }

  /// From where nothing is lost or infinite because U is tiny.
  void go_to_best_of_ray(F& u) const {
    scale(1 / norm(u), u);
    const double best = ray_minimum(f_, u, go_on_);
    if (best > 0 && std::isfinite(best)) scale(static_cast<Real>(std::sqrt(best)), u);
  }

  O& f_;
  const C& set_;
  std::uint64_t seed_;
  std::function<bool()> go_on_;
};

}  // namespace projfgd
