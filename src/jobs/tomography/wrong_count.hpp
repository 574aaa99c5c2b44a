// Which single count contradicts all others.
#pragma once

#include <optional>
#include <string>

#include "jobs/tomography/trust.hpp"
#include "projfgd/measures/goodness.hpp"

namespace projfgd {

/// A count that the others leave no room for.
struct WrongCount {
  std::string label;
  double count, expected;  ///< what was counted, and what a fit to the others expects
  double deviations;       ///< standard, between the two
  bool alone;              ///< the others fit each other
};

/// Of counts that files list one by one: the one whose loss gains a fit most. A fit without it
/// gains half the square of the standard deviations that it is off (with Wilks). Of counts that
/// make up settings the whole setting is left out, so that the sum of its counts tells nothing, and
/// what its other counts then cost is taken off. Nothing where chance explains the largest of so
/// many, or for more than four qubits. `test` is that of the fit with all of them, f its objective.
template <class S>
std::optional<WrongCount> find_wrong_count(const TomographyData& data, const StateModel<S>& model,
                                           const FittedModelView<S>& fitted,
                                           const GoodnessTest& test, double f,
                                           const RunSettings& settings);

}  // namespace projfgd
