#include "jobs/phase/methods.hpp"

#include <complex>

#include "jobs/phase/method_table.hpp"
#include "projfgd/operators/block_operator.hpp"

namespace projfgd {
namespace {

constexpr const auto& named_methods = phase_method::entries<BlockOperator<std::complex<double>>>;

}  // namespace

std::vector<std::string> phase_method_names() { return names_of(named_methods); }

PhaseMethodTraits phase_method_traits(const std::string& name) {
  const auto* entry = find_named(named_methods, name);
  return entry != nullptr ? entry->traits : PhaseMethodTraits{};
}

#define PROJFGD_INSTANTIATE(S)                                         \
  template PhaseAnswer<Matrix<S>> run_phase_method(const std::string&, \
                                                   const PhaseCall<BlockOperator<S>>&);

PROJFGD_INSTANTIATE(std::complex<float>)
PROJFGD_INSTANTIATE(std::complex<double>)
#undef PROJFGD_INSTANTIATE

}  // namespace projfgd
