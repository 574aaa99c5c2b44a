#pragma once

#include <utility>

#include "projfgd/concepts.hpp"

namespace projfgd {

/// The members of C that lie in a linear subspace S: Within<Support, Nonnegative>, for example.
///
/// P(V) = P_C(P_S(V)). This is the exact projection whenever P_C maps S into itself, because
/// ||V - W||^2 = ||V - P_S V||^2 + ||P_S V - W||^2 for every W in S. That holds for Support and
/// RealValued with every set of this library that contains 0.
template <class S, class C>
class Within {
 public:
  Within(S subspace, C set) : subspace_(std::move(subspace)), set_(std::move(set)) {}

  template <class F>
  void project(F& u) const {
    subspace_.project(u);
    set_.project(u);
  }
  bool convex() const { return is_convex(set_); }
  bool rotation_invariant() const {
    return is_rotation_invariant(subspace_) && is_rotation_invariant(set_);
  }

 private:
  S subspace_;
  C set_;
};

}  // namespace projfgd
