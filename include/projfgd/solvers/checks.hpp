// What is asked of a C that somebody wrote: cheap, once or twice a run.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "projfgd/concepts.hpp"
#include "projfgd/core/error.hpp"

namespace projfgd {

inline constexpr double most_moved = 0.01;  ///< some projections are approximate

/// By how much of its size another projection moves a member of C; for a sound C at most
/// most_moved.
template <Factor F, Constraint<F> C>
double moved_by_projection(const C& set, const F& u) {
  F again = u, moved;
  set.project(again);
  subtract(again, u, moved);
  const double size = std::max<double>(norm(u), norm(again));
  return size > 0 ? norm(moved) / size : 0;
}

/// U <- P_C(U), which is finite, keeps the shape of U, and stays where it is if it is projected
/// again.
template <Factor F, Constraint<F> C>
void project_start(const C& set, F& u) {
  const auto shape = [](const F& v) {
    return std::to_string(v.rows()) + " x " + std::to_string(v.cols());
  };
  const std::string before = shape(u);
  const bool finite = std::isfinite(norm(u));
  set.project(u);
  if (shape(u) != before) {
    throw InputError("project: found a result of " + shape(u) + ", expected the shape " + before);
  }
  if (finite && !std::isfinite(norm(u))) {
    throw InputError("project: found numbers that are not finite, expected a member of the set");
  }
  if (moved_by_projection(set, u) > most_moved) {
    throw InputError(
        "project: found that a second projection moves the result, expected a member of the set to "
        "stay where it is");
  }
}

}  // namespace projfgd
