#include "projfgd/jobs/methods.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "projfgd/constraints/none.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/solvers/projfgd.hpp"

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

template <class S>
struct Method {
  const char* name;
  Result<Matrix<S>> (*run)(MethodCall<S>&);
};

template <class S>
constexpr Method<S> methods[] = {
    {"projfgd", run_projfgd<S>},
    {"fgd", run_fgd<S>},
};

}  // namespace

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const auto& method : methods<double>) names.emplace_back(method.name);
  return names;
}

template <class S>
Result<Matrix<S>> run_method(const std::string& name, MethodCall<S>& call) {
  for (const auto& method : methods<S>) {
    if (method.name == name) return method.run(call);
  }
  throw InputError(fmt::format("option method: found \"{}\", expected one of {}", name,
                               fmt::join(method_names(), ", ")));
}

template Result<Matrix<float>> run_method(const std::string&, MethodCall<float>&);
template Result<Matrix<double>> run_method(const std::string&, MethodCall<double>&);
template Result<Matrix<std::complex<float>>> run_method(const std::string&,
                                                        MethodCall<std::complex<float>>&);
template Result<Matrix<std::complex<double>>> run_method(const std::string&,
                                                         MethodCall<std::complex<double>>&);

}  // namespace projfgd
