// Balls of unitarily invariant norms: the projection keeps the singular vectors of U and projects
// its singular values. They come from a QR factorisation and a Jacobi SVD of the small triangle;
// the Gram matrix would lose half of the digits.
#pragma once

#include "projfgd/constraints/radius.hpp"
#include "projfgd/core/factor.hpp"

namespace projfgd {

/// sum_k sigma_k(U) <= radius.
class NuclearBall {
 public:
  explicit NuclearBall(double radius) : radius_(checked_radius(radius, "nuclear-norm ball")) {}

  template <class S>
  void project(Matrix<S>& u) const;
  bool convex() const { return true; }
  bool rotation_invariant() const { return true; }

 private:
  double radius_;
};

/// max_k sigma_k(U) <= radius, that is ||X||_2 <= radius^2.
class SpectralBall {
 public:
  explicit SpectralBall(double radius) : radius_(checked_radius(radius, "spectral-norm ball")) {}

  template <class S>
  void project(Matrix<S>& u) const;
  bool convex() const { return true; }
  bool rotation_invariant() const { return true; }

 private:
  double radius_;
};

}  // namespace projfgd
