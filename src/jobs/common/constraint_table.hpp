// The sets by name, in any place.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "projfgd/constraints/entrywise.hpp"
#include "projfgd/constraints/frobenius.hpp"
#include "projfgd/constraints/l1.hpp"
#include "projfgd/constraints/none.hpp"
#include "projfgd/constraints/schatten.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/jobs/constraints.hpp"

namespace projfgd {

enum class ConstraintNeeds { nothing, radius, mask };

/// Nothing where the set is not known in that place.
template <class S, class There>
using PerhapsConstraint = std::optional<AnyConstraint<S, There>>;

template <class S, class There>
struct ConstraintEntry {
  const char* name;
  ConstraintNeeds needs;
  PerhapsConstraint<S, There> (*make)(const ConstraintSpec&, Index rows);
};

template <class S, class There, class Set>
PerhapsConstraint<S, There> plain_constraint(const ConstraintSpec&, Index) {
  return AnyConstraint<S, There>(Set());
}
template <class S, class There, class Set>
PerhapsConstraint<S, There> constraint_with_radius(const ConstraintSpec& spec, Index) {
  if constexpr (Constraint<Set, typename There::template Factor<S>>) {
    return AnyConstraint<S, There>(Set(spec.radius));
  } else {
    return std::nullopt;
  }
}

template <class S, class There>
PerhapsConstraint<S, There> support_constraint(const ConstraintSpec& spec, Index rows) {
  if (spec.support.size() != rows) {
    throw InputError(fmt::format("{}: found {} entries, expected one for each of the {} rows of U",
                                 spec.mask.string(), spec.support.size(), rows));
  }
  std::vector<bool> inside(static_cast<std::size_t>(rows));
  for (Index i = 0; i < rows; ++i) inside[static_cast<std::size_t>(i)] = spec.support[i] != 0;
  if (spec.support.isZero(0)) {
    throw InputError(
        fmt::format("{}: found only zeros, expected nonzero entries where U may be nonzero",
                    spec.mask.string()));
  }
  using Marks = typename There::Marks;
  return AnyConstraint<S, There>(Support<Marks>(Marks(std::move(inside))));
}

template <class S, class There>
constexpr ConstraintEntry<S, There> constraint_table[] = {
    {"none", ConstraintNeeds::nothing, plain_constraint<S, There, Unconstrained>},
    {"frobenius-ball", ConstraintNeeds::radius, constraint_with_radius<S, There, FrobeniusBall>},
    {"frobenius-sphere", ConstraintNeeds::radius,
     constraint_with_radius<S, There, FrobeniusSphere>},
    {"l1-ball", ConstraintNeeds::radius, constraint_with_radius<S, There, L1Ball>},
    {"nonnegative", ConstraintNeeds::nothing, plain_constraint<S, There, Nonnegative>},
    {"nonnegative-l1", ConstraintNeeds::radius,
     constraint_with_radius<S, There, NonnegativeL1Ball>},
    {"real", ConstraintNeeds::nothing, plain_constraint<S, There, RealValued>},
    {"nuclear-ball", ConstraintNeeds::radius, constraint_with_radius<S, There, NuclearBall>},
    {"spectral-ball", ConstraintNeeds::radius, constraint_with_radius<S, There, SpectralBall>},
    {"row-norm-ball", ConstraintNeeds::radius, constraint_with_radius<S, There, RowNormBall>},
    {"support", ConstraintNeeds::mask, support_constraint<S, There>},
};

template <class S, class There>
const ConstraintEntry<S, There>& find_constraint(const std::string& name) {
  return require_named("constraint", constraint_table<S, There>, name);
}

/// The set of a description that make_constraint() takes, in another place.
template <class S, class There>
PerhapsConstraint<S, There> constraint_in(const ConstraintSpec& spec, Index rows) {
  return find_constraint<S, There>(spec.name).make(spec, rows);
}

}  // namespace projfgd
