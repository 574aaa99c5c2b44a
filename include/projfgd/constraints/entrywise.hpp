// Sets that are a condition on each entry or each row alone.
#pragma once

#include <utility>
#include <vector>

#include "projfgd/constraints/radius.hpp"
#include "projfgd/core/factor.hpp"

namespace projfgd {

/// u_ij real and >= 0: the imaginary part is dropped, negative numbers become 0.
struct Nonnegative {
  template <class S>
  void project(Matrix<S>& u) const {
    u = u.real().cwiseMax(RealOf<S>(0)).template cast<S>();
  }
  bool convex() const { return true; }
  bool rotation_invariant() const { return false; }
};

/// u_ij real: the imaginary part is dropped.
struct RealValued {
  template <class S>
  void project(Matrix<S>& u) const {
    if constexpr (is_complex<S>) u.imag().setZero();
  }
  bool convex() const { return true; }
  bool rotation_invariant() const { return false; }
};

/// ||row i of U||_2 <= radius for every i: the (2, infinity) ball of incoherent factors.
class RowNormBall {
 public:
  explicit RowNormBall(double radius) : radius_(checked_radius(radius, "row-norm ball")) {}

  template <class S>
  void project(Matrix<S>& u) const {
    for (Index i = 0; i < u.rows(); ++i) {
      const double size = u.row(i).stableNorm();
      if (size > radius_) u.row(i) *= static_cast<RealOf<S>>(radius_ / size);
    }
  }
  bool convex() const { return true; }
  bool rotation_invariant() const { return true; }

 private:
  double radius_;
};

/// Row i of U is 0 unless inside[i].
class Support {
 public:
  explicit Support(std::vector<bool> inside) : inside_(std::move(inside)) {}

  template <class S>
  void project(Matrix<S>& u) const {
    require_rows(u.rows());
    for (Index i = 0; i < u.rows(); ++i) {
      if (!inside_[i]) u.row(i).setZero();
    }
  }
  bool convex() const { return true; }
  bool rotation_invariant() const { return true; }

 private:
  void require_rows(Index rows) const;

  std::vector<bool> inside_;
};

}  // namespace projfgd
