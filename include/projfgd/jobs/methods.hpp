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

/// What a method may use.
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

/// Throws InputError where the method cannot have this loss or this set; `option` named it.
template <class S>
void require_method_for(const Problem<S>& problem, const std::string& name,
                        const char* option = "method");

/// That a set was given to a method that knows none.
std::string set_not_used(std::string_view method, std::string_view given);

/// That a step rule was asked of a method that has steps of its own.
std::string step_not_used(std::string_view method);

/// What was asked for and is nothing to the method, one line each; `bounded`: the trace is.
std::vector<std::string> unused_settings(const RunSettings& settings, bool bounded);

/// True for the methods that take no loss but (weighted) least squares. Throws InputError for a
/// name that is none.
bool needs_least_squares(const std::string& method);

/// False for the methods that find the rank of their answer themselves.
bool keeps_rank(const std::string& method);

}  // namespace projfgd
