// The solvers by name. To add one: a function Result<Matrix<S>> (MethodCall<S>&) and a line in the
// table of src/jobs/common/methods.cpp; those that minimise only sums of squares over X >= 0, tr X
// <= tau are in src/jobs/common/trace_methods.cpp.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "projfgd/core/composite.hpp"
#include "projfgd/jobs/run.hpp"
#include "projfgd/operators/counting.hpp"
#include "projfgd/starts/spectral.hpp"

namespace projfgd {

/// What a method gets.
template <class S>
struct MethodCall {
  using Operator = CountingOperator<AnyOperator<S>>;
  using Objective = Composite<Operator, AnyLoss<RealOf<S>>>;

  const Problem<S>& problem;                ///< the set, the rank, tau
  const Operator& op;                       ///< the problem's operator, counted
  Objective& f;                             ///< loss(A(X))
  std::function<Start<Matrix<S>>()> start;  ///< as --init asks; costs oracle calls when called
  Options options;                          ///< of the run
  std::function<Decision(const Snapshot<Matrix<S>>&)> observer;
  const Ranks* ranks = &alone();  ///< that share the work on factors
};

template <class S>
Result<Matrix<S>> run_method(const std::string& name, MethodCall<S>& call);

std::vector<std::string> method_names();

/// Throws InputError if the method does not support this loss or set; `option` is its name.
template <class S>
void require_method_for(const Problem<S>& problem, const std::string& name,
                        const char* option = "method");

/// The warning for a set with a method that supports none.
std::string set_not_used(std::string_view method, std::string_view given);

/// The warning for a step rule with a method that has its own.
std::string step_not_used(std::string_view method);

/// The options that the method ignores, one line each; `bounded`: the trace is bounded.
std::vector<std::string> unused_settings(const RunSettings& settings, bool bounded);

/// Whether the method supports only (weighted) least squares. Throws InputError for an unknown
/// name.
bool needs_least_squares(const std::string& method);

/// False for the methods that choose the rank themselves.
bool keeps_rank(const std::string& method);

}  // namespace projfgd
