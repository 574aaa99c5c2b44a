#include "projfgd/jobs/methods.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "projfgd/constraints/none.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/solvers/projfgd.hpp"
#include "trace_methods.hpp"

namespace projfgd {
namespace {

template <class S>
Result<Matrix<S>> run_projfgd(MethodCall<S>& call) {
  return projfgd(call.f, call.problem.set, call.start(), call.options, call.observer);
}

template <class S>
Result<Matrix<S>> run_fgd(MethodCall<S>& call) {
  return projfgd(call.f, AnyConstraint<S>(Unconstrained()), call.start(), call.options,
                 call.observer);
}

template <class S, TraceMethod method>
Result<Matrix<S>> run_compared(MethodCall<S>& call) {
  return run_trace_method(method, call);
}

template <class S>
struct Method {
  const char* name;
  Result<Matrix<S>> (*run)(MethodCall<S>&);
  bool least_squares;  ///< knows no other loss
};

template <class S>
constexpr Method<S> methods[] = {
    {"projfgd", run_projfgd<S>, false},
    {"fgd", run_fgd<S>, false},
    {"svp", run_compared<S, TraceMethod::svp>, true},
    {"rsvp", run_compared<S, TraceMethod::rsvp>, true},
    {"sparse-approx-sdp", run_compared<S, TraceMethod::sparse_approx_sdp>, true},
    {"acc-uni-pd-grad", run_compared<S, TraceMethod::acc_uni_pd_grad>, true},
    {"uni-pd-grad", run_compared<S, TraceMethod::uni_pd_grad>, true},
    {"nuclear-norm", run_compared<S, TraceMethod::nuclear_norm>, true},
};

template <class S>
const Method<S>& find(const std::string& name) {
  for (const auto& method : methods<S>) {
    if (method.name == name) return method;
  }
  throw InputError(fmt::format("option method: found \"{}\", expected one of {}", name,
                               fmt::join(method_names(), ", ")));
}

}  // namespace

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const auto& method : methods<double>) names.emplace_back(method.name);
  return names;
}

bool needs_least_squares(const std::string& method) { return find<double>(method).least_squares; }

template <class S>
Result<Matrix<S>> run_method(const std::string& name, MethodCall<S>& call) {
  return find<S>(name).run(call);
}

template Result<Matrix<float>> run_method(const std::string&, MethodCall<float>&);
template Result<Matrix<double>> run_method(const std::string&, MethodCall<double>&);
template Result<Matrix<std::complex<float>>> run_method(const std::string&,
                                                        MethodCall<std::complex<float>>&);
template Result<Matrix<std::complex<double>>> run_method(const std::string&,
                                                         MethodCall<std::complex<double>>&);

}  // namespace projfgd
