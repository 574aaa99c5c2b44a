// The sets by name, for every job.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "projfgd/core/any.hpp"
#include "projfgd/jobs/input_files.hpp"

namespace projfgd {

/// A set as a user names it.
struct ConstraintSpec {
  std::string name = "none";
  double radius = 0;            ///< > 0 for the sets that have one; 0: not given
  std::filesystem::path mask;   ///< of "support": an array that is zero where U must be
  Vector<double> support = {};  ///< the numbers in it, once with_mask() has read them

  /// As parse_constraint() takes it.
  std::string text() const;
  /// tr X <= tau for every member; infinite when the set does not say so.
  double trace_bound() const;
  /// True when the set is all of {U : tr X <= trace_bound()}.
  bool only_trace() const;
};

/// The name of tr X <= 1.
inline constexpr const char* unit_trace_set = "frobenius-ball:1";

/// Reads "none", "l1-ball:2.5" (name and radius) or "support:mask.npy". Throws InputError.
ConstraintSpec parse_constraint(std::string_view text);

/// The same with the numbers of its mask, where the set has one.
ConstraintSpec with_mask(ConstraintSpec spec, InputFiles& files);

/// The set for factors with `rows` rows. Throws InputError for a name, radius or mask that is
/// wrong.
template <class S>
AnyConstraint<S> make_constraint(const ConstraintSpec& spec, Index rows);

std::vector<std::string> constraint_names();

}  // namespace projfgd
