// What a user should know about a fit of a state beside the state.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "jobs/tomography/problem.hpp"

namespace projfgd {

/// A fit with all that led to it.
template <class S, class Data>
struct StateFit {
  const TomographyInput& input;
  const RunSettings& settings;
  const Data& data;
  const StateModel& model;
  const StateProblem<S>& state;
  const Matrix<S>& u;
  const Vector<double>& predictions;  ///< of u
  bool converged;
  std::function<double()> seconds;  ///< spent so far on fits
};

/// Enters in the summary, which has the eigenvalues, how well the state explains the data:
/// residual, chi_square, fits_data. Returns one line for each thing that may be wrong.
template <class S, class Data>
std::vector<std::string> judge(const StateFit<S, Data>& fit, Json& summary);

/// The line that says so, where the target with its qubits in the opposite order is the state, all
/// but, and the target is not.
std::optional<std::string> reversed_line(const StateFactor& state, const StateFactor& target,
                                         double fidelity);

}  // namespace projfgd
