// Sets that are a condition on each entry or each row alone.
#pragma once

#include <complex>
#include <utility>
#include <vector>

#include "projfgd/constraints/radius.hpp"
#include "projfgd/core/values.hpp"

namespace projfgd {

namespace element {

/// max(Re u, 0)
struct NonnegativePart {
  template <class S>
  constexpr S operator()(S u) const {
    const auto x = std::real(u);
    return S(x < 0 ? RealOf<S>(0) : x);  // what is not a number stays so
  }
};

/// Re u
struct RealPart {
  template <class S>
  constexpr S operator()(S u) const {
    return S(std::real(u));
  }
};

}  // namespace element

/// u_ij real and >= 0: the imaginary part is dropped, negative numbers become 0.
struct Nonnegative {
  template <class F>
  void project(F& u) const {
    map_entries(u, element::NonnegativePart{});
  }
  bool convex() const { return true; }
  bool rotation_invariant() const { return false; }
};

/// u_ij real: the imaginary part is dropped.
struct RealValued {
  template <class F>
  void project(F& u) const {
    if constexpr (is_complex<typename F::Scalar>) map_entries(u, element::RealPart{});
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

/// Sets the rows of u to 0 that are not inside. Throws InputError unless there is one mark a row.
template <class S>
void keep_rows(const std::vector<bool>& inside, Matrix<S>& u);

/// Row i of U is 0 unless inside[i]. A factor that lives elsewhere brings a type of its own for the
/// marks, and keep_rows for it.
template <class Marks = std::vector<bool>>
class Support {
 public:
  explicit Support(Marks inside) : inside_(std::move(inside)) {}

  template <class F>
  void project(F& u) const {
    keep_rows(inside_, u);
  }
  bool convex() const { return true; }
  bool rotation_invariant() const { return true; }

 private:
  Marks inside_;
};

}  // namespace projfgd
