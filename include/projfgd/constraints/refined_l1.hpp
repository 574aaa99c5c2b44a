#pragma once

#include <algorithm>
#include <memory>

#include "projfgd/concepts.hpp"
#include "projfgd/constraints/entrywise.hpp"
#include "projfgd/constraints/l1.hpp"
#include "projfgd/core/archive.hpp"

namespace projfgd {

/// An l1 ball, or the nonnegative part of one, whose radius is found along the way.
///
/// Each projection first reads ||V||_1 of the V it is given, which the data have just pulled
/// towards the truth, and takes a radius a little below it; how little goes to 0 with the change of
/// V from one projection to the next, so that a run that settles settles on ||V||_1 itself. Copies
/// share the radius.
template <Factor F>
class RefinedL1Ball {
 public:
  explicit RefinedL1Ball(bool nonnegative)
      : nonnegative_(nonnegative), state_(std::make_shared<State>()) {}

  void project(F& u) const {
    double change = 1;
    if (state_->last.rows() == u.rows() && state_->last.cols() == u.cols()) {
      subtract(u, state_->last, state_->step);
      change = norm(state_->step) / std::max<double>(norm(u), 1e-300);
    }
    state_->last = u;
    if (nonnegative_) Nonnegative().project(u);
    const double size = l1_norm(u);
    state_->radius = size * (1 - std::min(deepest, change));
    if (nonnegative_) {
      NonnegativeL1Ball(state_->radius).project(u);
    } else {
      L1Ball(state_->radius).project(u);
    }
  }
  bool convex() const { return false; }
  bool rotation_invariant() const { return false; }

  /// Of the last projection.
  double radius() const { return state_->radius; }

  void keep(Archive& archive) const { archive(state_->last, state_->radius); }

 private:
  static constexpr double deepest = 0.2;
  struct State {
    F last, step;
    double radius = 0;
  };
  bool nonnegative_;
  std::shared_ptr<State> state_;
};

}  // namespace projfgd
