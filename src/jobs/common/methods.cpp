#include "projfgd/jobs/methods.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <complex>
#include <type_traits>

#include "jobs/common/shared_solve.hpp"
#include "jobs/common/trace_methods.hpp"
#include "projfgd/constraints/none.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/jobs/constraints.hpp"
#include "projfgd/jobs/place.hpp"
#include "projfgd/solvers/projfgd.hpp"

namespace projfgd {
namespace {

template <class S>
Result<Matrix<S>> solve_here(MethodCall<S>& call, const AnyConstraint<S>& set) {
  if constexpr (std::is_same_v<S, std::complex<double>>) {
    if (!call.ranks->is_alone()) return solve_on_ranks(call, set);
  }
  return projfgd(call.f, set, call.start(), call.options, call.observer);
}

template <class S>
Result<Matrix<S>> run_projfgd(MethodCall<S>& call) {
  const PlacedProblem<S>* placed = call.problem.elsewhere();
  if (placed != nullptr && placed->has_set_of(call.problem)) return placed->run(call, true);
  return solve_here(call, call.problem.set);
}

template <class S>
Result<Matrix<S>> run_fgd(MethodCall<S>& call) {
  if (const auto* placed = call.problem.elsewhere()) return placed->run(call, false);
  return solve_here(call, AnyConstraint<S>(Unconstrained()));
}

template <class S, TraceMethod method>
Result<Matrix<S>> run_compared(MethodCall<S>& call) {
  return run_trace_method(method, call);
}

/// What a method cannot do without, each with the one before it.
enum class Needs { nothing, only_trace, least_squares, bound };

/// Which step rules it follows.
enum class Steps { own, own_or_published, any };

template <class S>
struct Method {
  const char* name;
  Result<Matrix<S>> (*run)(MethodCall<S>&);
  Needs needs;
  Steps steps;
  bool bounds_trace;  ///< where that is asked for
  bool keeps_rank;    ///< the answer has the columns of the start
};

template <class S>
constexpr Method<S> methods[] = {
    {"projfgd", run_projfgd<S>, Needs::nothing, Steps::any, true, true},
    {"fgd", run_fgd<S>, Needs::only_trace, Steps::any, false, true},
    {"svp", run_compared<S, TraceMethod::svp>, Needs::least_squares, Steps::own, true, true},
    {"rsvp", run_compared<S, TraceMethod::rsvp>, Needs::least_squares, Steps::own, true, true},
    {"sparse-approx-sdp", run_compared<S, TraceMethod::sparse_approx_sdp>, Needs::bound,
     Steps::own_or_published, true, false},
    {"acc-uni-pd-grad", run_compared<S, TraceMethod::acc_uni_pd_grad>, Needs::bound,
     Steps::own_or_published, true, false},
    {"uni-pd-grad", run_compared<S, TraceMethod::uni_pd_grad>, Needs::bound,
     Steps::own_or_published, true, false},
    {"nuclear-norm", run_compared<S, TraceMethod::nuclear_norm>, Needs::least_squares, Steps::own,
     false, false},
};

template <class S>
const Method<S>& find(const std::string& name) {
  return require_named("--method", methods<S>, name);
}

}  // namespace

std::vector<std::string> method_names() { return names_of(methods<double>); }

bool needs_least_squares(const std::string& method) {
  return find<double>(method).needs >= Needs::least_squares;
}

bool keeps_rank(const std::string& method) { return find<double>(method).keeps_rank; }

std::string set_not_used(std::string_view method, std::string_view given) {
  return fmt::format("{} does not support constraints; {} was ignored", method, given);
}

std::string step_not_used(std::string_view method) {
  return fmt::format("{} has a step rule of its own; --step was ignored", method);
}

std::vector<std::string> unused_settings(const RunSettings& settings, bool bounded) {
  const Method<double>& method = find<double>(settings.method);
  const StepRule step = settings.options.step;
  std::vector<std::string> lines;
  if (!method.bounds_trace && bounded && !settings.constraint.empty()) {
    lines.push_back(set_not_used(method.name, "--constraint " + settings.constraint));
  }
  const bool follows = method.steps == Steps::any || step == StepRule::automatic ||
                       (method.steps == Steps::own_or_published && step == StepRule::theory);
  if (!follows) lines.push_back(step_not_used(method.name));
  if (!method.keeps_rank && settings.rank > 1) {
    lines.push_back(
        fmt::format("{} chooses the rank itself; --rank sets only that of its start", method.name));
  }
  return lines;
}

template <class S>
void require_method_for(const Problem<S>& problem, const std::string& name, const char* option) {
  const Needs needs = find<S>(name).needs;
  const auto refuse = [&](const char* why, const std::string& expected) {
    throw InputError(fmt::format("--{}: {} {}, expected {}", option, name, why, expected));
  };
  const std::string bound = fmt::format("the constraint {}, which is tr X <= 1", unit_trace_set);
  if (needs >= Needs::only_trace && !problem.only_trace) {
    refuse("supports no constraint but a bound on the trace of X",
           needs >= Needs::bound ? bound : bound + ", or none");
  }
  if (needs >= Needs::least_squares && !problem.loss.quadratic()) {
    refuse("supports only least squares", "--loss least-squares or weighted");
  }
  if (needs >= Needs::bound && !std::isfinite(problem.trace_bound)) {
    refuse("needs a bound on the trace of X", bound + ", or another radius");
  }
}

template <class S>
Result<Matrix<S>> run_method(const std::string& name, MethodCall<S>& call) {
  require_method_for(call.problem, name);
  return find<S>(name).run(call);
}

#define PROJFGD_INSTANTIATE_SCALAR(S)                                                   \
  template void require_method_for(const Problem<S>&, const std::string&, const char*); \
  template Result<Matrix<S>> run_method(const std::string&, MethodCall<S>&);
PROJFGD_INSTANTIATE_SCALAR(float)
PROJFGD_INSTANTIATE_SCALAR(double)
PROJFGD_INSTANTIATE_SCALAR(std::complex<float>)
PROJFGD_INSTANTIATE_SCALAR(std::complex<double>)
#undef PROJFGD_INSTANTIATE_SCALAR

}  // namespace projfgd
