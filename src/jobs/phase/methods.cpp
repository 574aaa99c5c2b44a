#include "jobs/phase/methods.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <complex>
#include <string>
#include <utility>
#include <vector>

#include "jobs/phase/automatic.hpp"
#include "jobs/phase/stages.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/solvers/amplitude_flow.hpp"
#include "projfgd/solvers/phaselift.hpp"
#include "projfgd/solvers/wirtinger_flow.hpp"

namespace projfgd {
namespace {

template <class S>
PointwiseLoss chosen_loss(PhaseCall<S>& call, PointwiseLoss otherwise) {
  return call.way.loss = call.loss == "auto" ? otherwise : pointwise_loss(call.loss);
}

/// For methods that need the radius before they begin: passes find it, no more of them than the run
/// may have iterations.
template <class S>
void find_radius(PhaseCall<S>& call) {
  if (!call.unknown_radius) return;
  PhaseCall<S> scout = call;
  scout.watch = [&](const auto&) { return call.go_on(); };
  scout.options.max_iterations = std::min(call.options.max_iterations, most_passes);
  call.way.radius_passes = block_passes(scout).iterations;
  call.set = scout.set;
  call.unknown_radius = false;
}

template <class S>
Answered<S> projected(PhaseCall<S>& call) {
  find_radius(call);
  return with_kernel(chosen_loss(call, PointwiseLoss::intensity), [&](auto kernel) {
    PhaseObjective<BlockOperator<S>, decltype(kernel)> f(call.op, call.y);
    Start<Matrix<S>> start{call.start(start_name::spectral, 0), 0};
    return projfgd(f, call.set, std::move(start), call.left(), call.watch);
  });
}

template <class S>
Answered<S> flow(PhaseCall<S>& call, const AnyConstraint<S>& set) {
  call.way.loss = PointwiseLoss::intensity;
  Matrix<S> start = call.start(start_name::spectral, 0);
  return wirtinger_flow(call.op, call.y, set, std::move(start), call.left(), call.watch,
                        wirtinger_longest(call.image));
}

template <class S>
Answered<S> paper_projfgd(PhaseCall<S>& call) {
  find_radius(call);
  return flow(call, call.set);
}

template <class S>
Answered<S> published_amplitude_flow(PhaseCall<S>& call) {
  call.way.loss = PointwiseLoss::amplitude;
  Matrix<S> start = call.start(start_name::spectral, 0);
  return amplitude_flow(call.op, call.y, std::move(start), call.left(), call.watch);
}

/// Between the data and the set; between the data and nothing, what is left of it is that A z must
/// lie in the range of A.
template <class S>
Answered<S> with_set(PhaseCall<S>& call, double beta) {
  find_radius(call);
  return alternate(call, call.set, call.start(start_name::lanczos, 0), beta);
}

template <class S>
Answered<S> lifted(PhaseCall<S>& call) {
  call.way.loss = PointwiseLoss::intensity;
  return phaselift(call.op, call.y, call.left(), call.watch);
}

template <class S>
Answered<S> conjugate_gradients(PhaseCall<S>& call) {
  find_radius(call);
  Matrix<S> start = call.start(start_name::lanczos, 0);
  return full_steps(call, chosen_loss(call, PointwiseLoss::amplitude), std::move(start));
}

template <class S>
struct Entry {
  const char* name;
  PhaseMethodTraits traits;
  Answered<S> (*run)(PhaseCall<S>&);
};

constexpr PhaseMethodTraits follows_all, own_steps_only{.steps = false},
    own_loss{.losses = false, .steps = false},
    own_everything{.sets = false, .losses = false, .steps = false};

template <class S>
constexpr Entry<S> entries[] = {
    {"auto", own_steps_only, automatic<S>},
    {"projfgd", follows_all, projected<S>},
    {"paper-projfgd", own_loss, paper_projfgd<S>},
    {"wirtinger-flow", own_everything,
     [](PhaseCall<S>& call) { return flow<S>(call, Unconstrained{}); }},
    {"amplitude-flow", own_everything, published_amplitude_flow<S>},
    {"block-kaczmarz", own_loss, [](PhaseCall<S>& call) { return block_passes(call); }},
    {"conjugate-gradients", own_steps_only, conjugate_gradients<S>},
    {"gerchberg-saxton", own_everything,
     [](PhaseCall<S>& call) {
       return alternate<S>(call, Unconstrained{}, call.start(start_name::lanczos, 0), 0);
     }},
    {"error-reduction", own_loss, [](PhaseCall<S>& call) { return with_set(call, 0); }},
    {"hio", own_loss, [](PhaseCall<S>& call) { return with_set(call, hybrid_beta); }},
    {"douglas-rachford", own_loss,
     [](PhaseCall<S>& call) {
       find_radius(call);
       return reflections(call, call.start(start_name::random, 0));
     }},
    {"phaselift", own_everything, lifted<S>},
};

}  // namespace

std::vector<std::string> phase_method_names() { return names_of(entries<std::complex<double>>); }

PhaseMethodTraits phase_method_traits(const std::string& name) {
  const auto* entry = find_named(entries<std::complex<double>>, name);
  return entry != nullptr ? entry->traits : PhaseMethodTraits{};
}

template <class S>
Result<Matrix<S>> run_phase_method(const std::string& name, PhaseCall<S>& call) {
  if (const Entry<S>* entry = find_named(entries<S>, name)) return entry->run(call);
  throw InputError(fmt::format("method: found \"{}\", expected one of {}", name,
                               fmt::join(phase_method_names(), ", ")));
}

template Result<Matrix<std::complex<float>>> run_phase_method(const std::string&,
                                                              PhaseCall<std::complex<float>>&);
template Result<Matrix<std::complex<double>>> run_phase_method(const std::string&,
                                                               PhaseCall<std::complex<double>>&);

}  // namespace projfgd
