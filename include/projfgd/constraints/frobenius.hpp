#pragma once

#include "projfgd/constraints/radius.hpp"
#include "projfgd/core/factor.hpp"

namespace projfgd {

/// u *= radius / norm(u) where that is longer. A kind of factor may have a function of its own that
/// needs no answer on the way.
template <class F>
void shorten(F& u, double radius) {
  const auto size = norm(u);
  if (size > radius) scale(static_cast<RealOf<F>>(radius / size), u);
}

/// ||U||_F <= radius, that is tr X <= radius^2.
class FrobeniusBall {
 public:
  explicit FrobeniusBall(double radius) : radius_(checked_radius(radius, "Frobenius ball")) {}

  template <class F>
  void project(F& u) const {
    shorten(u, radius_);
  }
  bool convex() const { return true; }
  bool rotation_invariant() const { return true; }

 private:
  double radius_;
};

/// ||U||_F = radius, that is tr X = radius^2. Not convex; U = 0 goes to a constant factor.
class FrobeniusSphere {
 public:
  explicit FrobeniusSphere(double radius) : radius_(checked_radius(radius, "Frobenius sphere")) {}

  template <class F>
  void project(F& u) const {
    auto size = norm(u);
    if (size == 0) {
      using Small = Matrix<typename F::Scalar>;
      copy_from_host(Small(Small::Ones(u.rows(), u.cols())), u);
      size = norm(u);
    }
    scale(static_cast<RealOf<F>>(radius_ / size), u);
  }
  bool convex() const { return false; }
  bool rotation_invariant() const { return true; }

 private:
  double radius_;
};

}  // namespace projfgd
