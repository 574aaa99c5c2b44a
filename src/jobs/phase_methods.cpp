#include "phase_methods.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "projfgd/constraints/none.hpp"
#include "projfgd/constraints/refined_l1.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/jobs/phase.hpp"
#include "projfgd/solvers/alternating_projections.hpp"
#include "projfgd/solvers/phase_automatic.hpp"
#include "projfgd/solvers/phaselift.hpp"
#include "projfgd/solvers/wirtinger_flow.hpp"

namespace projfgd {
namespace {

template <class S>
using Answered = Result<Matrix<S>>;

template <class S>
AnyConstraint<S> l1_set(const PhaseCall<S>& call, double radius) {
  if (call.nonnegative) return NonnegativeL1Ball(radius);
  return L1Ball(radius);
}

template <class S>
PointwiseLoss chosen_loss(const PhaseCall<S>& call, PointwiseLoss otherwise) {
  return call.loss == "auto" ? otherwise : pointwise_loss(call.loss);
}

/// Block passes; leaves the set with the radius that they found where it was not given.
template <class S>
Answered<S> block_passes(PhaseCall<S>& call, Matrix<S> start) {
  if (!call.unknown_radius) {
    return block_kaczmarz(call.op, call.amplitude, call.each, call.set, std::move(start),
                          call.options, call.watch);
  }
  const RefinedL1Ball<S> ball(call.nonnegative);
  auto result = block_kaczmarz(call.op, call.amplitude, call.each, ball, std::move(start),
                               call.options, call.watch);
  call.set = l1_set(call, ball.radius());
  return result;
}

/// For methods that need the radius before they begin: a few passes find it.
template <class S>
void find_radius(PhaseCall<S>& call) {
  if (!call.unknown_radius) return;
  PhaseCall<S> scout = call;
  scout.watch = [](const auto&) { return true; };
  scout.options.max_iterations = 200;
  block_passes(scout, call.start("random"));
  call.set = scout.set;
  call.unknown_radius = false;
}

/// One more stage of full steps, with what is left of the limits.
template <class S>
Answered<S> stage(PhaseCall<S>& call, PointwiseLoss loss, const Answered<S>& before,
                  double tolerance) {
  Options options = remaining(call.options, before.iterations, before.seconds);
  options.tolerance = tolerance;
  const AnyConstraint<S>* set = call.unconstrained ? nullptr : &call.set;
  LaterStage<typename PhaseCall<S>::Watch> watch{call.watch, before.iterations};
  return joined(before, full_steps(call.op, call.y, loss, set, before.factor, options, watch));
}

/// Block passes to get near; under noise, full steps on the amplitude loss, and to finish on the
/// loss that fits the noise.
template <class S>
Answered<S> automatic(PhaseCall<S>& call) {
  Answered<S> result = block_passes(call, call.start("random"));
  const bool limits = result.status == Status::interrupted || result.status == Status::diverged ||
                      result.status == Status::time_limit ||
                      result.iterations >= call.options.max_iterations;
  if (limits) return result;
  // Without noise the misfit of a pass is the square of its change; more than that is noise.
  const double change = result.trace.back().relative_change;
  const double misfit = 2 * result.objective / static_cast<double>(call.y.sum());
  if (result.status == Status::converged && misfit <= 10 * change * change) return result;
  const double rough = std::max(call.options.tolerance, 1e-3);
  const bool asked = call.loss != "auto";
  const PointwiseLoss first = asked ? pointwise_loss(call.loss) : PointwiseLoss::amplitude;
  result = stage(call, first, result, asked ? call.options.tolerance : rough);
  if (asked || result.status != Status::converged) return result;
  const PointwiseLoss last = fitting_loss(call.op, call.y, result.factor);
  return stage(call, last, result, call.options.tolerance);
}

template <class S>
Answered<S> projected(PhaseCall<S>& call) {
  find_radius(call);
  return with_kernel(chosen_loss(call, PointwiseLoss::intensity), [&](auto kernel) {
    PhaseObjective<BlockOperator<S>, decltype(kernel)> f(call.op, call.y);
    return projfgd(f, call.set, Start<Matrix<S>>{call.start("spectral"), 0}, call.options,
                   call.watch);
  });
}

template <class S>
WirtingerRules published_rules(const PhaseCall<S>& call) {
  WirtingerRules rules;
  if (!call.image) rules.longest = 0.2;
  return rules;
}

template <class S>
Answered<S> paper_projfgd(PhaseCall<S>& call) {
  find_radius(call);
  return wirtinger_flow(call.op, call.y, call.set, call.start("spectral"), call.options, call.watch,
                        published_rules(call));
}

template <class S>
Answered<S> published_flow(PhaseCall<S>& call) {
  return wirtinger_flow(call.op, call.y, Unconstrained{}, call.start("spectral"), call.options,
                        call.watch, published_rules(call));
}

template <class S>
Answered<S> alternate(PhaseCall<S>& call, double beta) {
  find_radius(call);
  return alternating_projections(call.op, call.amplitude, call.set, call.start("lanczos"), beta,
                                 call.options, call.watch);
}

template <class S>
Answered<S> conjugate_gradients(PhaseCall<S>& call) {
  find_radius(call);
  const AnyConstraint<S>* set = call.unconstrained ? nullptr : &call.set;
  return full_steps(call.op, call.y, chosen_loss(call, PointwiseLoss::amplitude), set,
                    call.start("lanczos"), call.options, call.watch);
}

template <class S>
struct Entry {
  const char* name;
  Answered<S> (*run)(PhaseCall<S>&);
};

template <class S>
constexpr Entry<S> entries[] = {
    {"auto", automatic<S>},
    {"projfgd", projected<S>},
    {"paper-projfgd", paper_projfgd<S>},
    {"wirtinger-flow", published_flow<S>},
    {"block-kaczmarz", [](PhaseCall<S>& call) { return block_passes(call, call.start("random")); }},
    {"conjugate-gradients", conjugate_gradients<S>},
    {"gerchberg-saxton", [](PhaseCall<S>& call) { return alternate(call, 0); }},
    {"error-reduction", [](PhaseCall<S>& call) { return alternate(call, 0); }},
    {"hio", [](PhaseCall<S>& call) { return alternate(call, 0.9); }},
    {"phaselift",
     [](PhaseCall<S>& call) { return phaselift(call.op, call.y, call.options, call.watch); }},
};

}  // namespace

std::vector<std::string> phase_method_names() {
  std::vector<std::string> names;
  for (const auto& entry : entries<std::complex<double>>) names.emplace_back(entry.name);
  return names;
}

template <class S>
Result<Matrix<S>> run_phase_method(const std::string& name, PhaseCall<S>& call) {
  for (const auto& entry : entries<S>) {
    if (entry.name == name) return entry.run(call);
  }
  throw InputError(fmt::format("method: found \"{}\", expected one of {}", name,
                               fmt::join(phase_method_names(), ", ")));
}

template Result<Matrix<std::complex<float>>> run_phase_method(const std::string&,
                                                              PhaseCall<std::complex<float>>&);
template Result<Matrix<std::complex<double>>> run_phase_method(const std::string&,
                                                               PhaseCall<std::complex<double>>&);

}  // namespace projfgd
