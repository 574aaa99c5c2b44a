#pragma once

#include "projfgd/core/factor.hpp"

namespace projfgd {

/// Every U: ProjFGD is then FGD.
struct Unconstrained {
  template <class F>
  void project(F&) const {}
  bool convex() const { return true; }
  bool rotation_invariant() const { return true; }
};

}  // namespace projfgd
