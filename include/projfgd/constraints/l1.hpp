#pragma once

#include "projfgd/constraints/radius.hpp"
#include "projfgd/core/factor.hpp"

namespace projfgd {

/// sum_ij |u_ij|
template <class S>
double l1_norm(const Matrix<S>& u) {
  return static_cast<double>(u.cwiseAbs().sum());
}

/// A factor that lives elsewhere brings its own projection onto both sets.
template <class F>
concept ProjectsL1 = requires(F& u, double radius, bool nonnegative) {
  project_l1(u, radius, nonnegative);
};

/// sum_ij |u_ij| <= radius. The projection lowers every modulus by the same amount, down to 0, and
/// keeps signs and phases.
class L1Ball {
 public:
  explicit L1Ball(double radius) : radius_(checked_radius(radius, "l1 ball")) {}

  template <class S>
  void project(Matrix<S>& u) const;
  template <ProjectsL1 F>
  void project(F& u) const {
    project_l1(u, radius_, false);
  }
  bool convex() const { return true; }
  bool rotation_invariant() const { return false; }

 private:
  double radius_;
};

/// u_ij >= 0 and sum_ij u_ij <= radius: entries are clipped as by Nonnegative, then lowered.
class NonnegativeL1Ball {
 public:
  explicit NonnegativeL1Ball(double radius)
      : radius_(checked_radius(radius, "nonnegative l1 ball")) {}

  template <class S>
  void project(Matrix<S>& u) const;
  template <ProjectsL1 F>
  void project(F& u) const {
    project_l1(u, radius_, true);
  }
  bool convex() const { return true; }
  bool rotation_invariant() const { return false; }

 private:
  double radius_;
};

}  // namespace projfgd
