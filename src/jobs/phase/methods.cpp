#include "jobs/phase/methods.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <complex>
#include <string>
#include <utility>
#include <vector>

#include "jobs/phase/search.hpp"
#include "jobs/phase/stages.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/solvers/amplitude_flow.hpp"
#include "projfgd/solvers/douglas_rachford.hpp"
#include "projfgd/solvers/phaselift.hpp"
#include "projfgd/solvers/wirtinger_flow.hpp"

namespace projfgd {
namespace {

/// Passes that may be made to find a radius before a method begins.
constexpr Index most_radius_passes = 1000;

template <class S>
PointwiseLoss asked_loss(const PhaseCall<S>& call, PointwiseLoss otherwise) {
  return call.loss == "auto" ? otherwise : pointwise_loss(call.loss);
}

/// What one run of a solver found.
template <class S>
PhaseAnswer<S> answer_of(const PhaseCall<S>& call, Matrix<S> start, Answered<S> result,
                         PointwiseLoss loss) {
  PhaseAnswer<S> answer;
  answer.status = call.run.status();
  answer.message = call.run.message();
  answer.attempt = {.start = std::move(start),
                    .method = call.run.stage_names(),
                    .trace = call.run.trace(),
                    .image = std::move(result.factor),
                    .objective = result.objective,
                    .loss = loss,
                    .projected_gradient = result.projected_gradient,
                    .iterations = call.run.iterations()};
  return answer;
}

/// Runs solve(options, watch, start) as the only stage, from the start of that name.
template <class S, class Solve>
PhaseAnswer<S> one_stage(const PhaseCall<S>& call, const char* start_name,
                         const PhaseStage<S>& stage, const Solve& solve) {
  const Matrix<S> start = call.start(start_name, 0);
  Answered<S> result = call.run.stage(stage, [&](const Options& options, const auto& watch) {
    return solve(options, watch, start);
  });
  return answer_of(call, start, std::move(result), stage.loss);
}

/// The same for a method that needs the radius of its ball before it begins: passes find one that
/// was not given.
template <class S, class Solve>
PhaseAnswer<S> in_ball(const PhaseCall<S>& call, const Solve& solve) {
  if (!call.sets.unknown_radius) return solve(call);
  PhaseStage<S> stage{"block passes to find the radius"};
  stage.most = most_radius_passes;
  stage.preparing = true;
  const InBall<S> found = ball_passes(call, stage, call.start(start_name::random, 0));
  PhaseCall<S> inside = call;
  inside.sets = with_radius(call.sets, found.radius);
  PhaseAnswer<S> answer = solve(inside);
  answer.radius = found.radius;
  answer.radius_passes = found.result.iterations;
  return answer;
}

/// An l1 ball whose radius is to be found adds nothing where the data determine the image without
/// it: then its radius is that of the image. Where they do not, passes that shrink the ball find
/// both.
template <class S>
PhaseAnswer<S> automatic(const PhaseCall<S>& call) {
  if (!call.sets.unknown_radius) return Search<S>(call).find();
  if (call.data >= search::determined * call.numbers) {
    PhaseCall<S> plain = call;
    plain.sets = without_ball(call.sets);
    PhaseAnswer<S> answer = Search<S>(plain).find();
    answer.radius = static_cast<double>(answer.attempt.image.cwiseAbs().sum());
    return answer;
  }
  return in_ball(call, [](const PhaseCall<S>& inside) { return Search<S>(inside).find(); });
}

template <class S>
PhaseAnswer<S> projected(const PhaseCall<S>& call) {
  return in_ball(call, [](const PhaseCall<S>& in) {
    PhaseStage<S> stage{"projected gradient steps"};
    stage.loss = asked_loss(in, PointwiseLoss::intensity);
    return one_stage(in, start_name::spectral, stage,
                     [&](const Options& options, const auto& watch, const Matrix<S>& start) {
                       return with_kernel(stage.loss, [&](auto kernel) {
                         PhaseObjective<BlockOperator<S>, decltype(kernel)> f(in.op, in.y);
                         return projfgd(f, in.sets.set, Start<Matrix<S>>{start, 0}, options, watch);
                       });
                     });
  });
}

template <class S>
PhaseAnswer<S> flow(const PhaseCall<S>& call, const AnyConstraint<S>& set) {
  PhaseStage<S> stage{"Wirtinger flow"};
  stage.loss = PointwiseLoss::intensity;
  return one_stage(call, start_name::spectral, stage,
                   [&](const Options& options, const auto& watch, const Matrix<S>& start) {
                     return wirtinger_flow(call.op, call.y, set, start, options, watch,
                                           wirtinger_longest(call.layout.height > 1));
                   });
}

template <class S>
PhaseAnswer<S> published_amplitude_flow(const PhaseCall<S>& call) {
  return one_stage(call, start_name::spectral, PhaseStage<S>{"amplitude flow"},
                   [&](const Options& options, const auto& watch, const Matrix<S>& start) {
                     return amplitude_flow(call.op, call.y, start, options, watch);
                   });
}

/// Between the data and the set; between the data and nothing, what is left of it is that A z must
/// lie in the range of A.
template <class S>
PhaseAnswer<S> alternating(const PhaseCall<S>& call, const char* name, const AnyConstraint<S>& set,
                           double beta) {
  const Matrix<S> start = call.start(start_name::lanczos, 0);
  return answer_of(call, start, alternate(call, name, set, start, beta), PointwiseLoss::amplitude);
}

template <class S>
PhaseAnswer<S> alternating_in_set(const PhaseCall<S>& call, const char* name, double beta) {
  return in_ball(call,
                 [&](const PhaseCall<S>& in) { return alternating(in, name, in.sets.set, beta); });
}

template <class S>
PhaseAnswer<S> douglas_rachford_reflections(const PhaseCall<S>& call) {
  return in_ball(call, [](const PhaseCall<S>& in) {
    return one_stage(in, start_name::random, PhaseStage<S>{"reflections"},
                     [&](const Options& options, const auto& watch, const Matrix<S>& start) {
                       return douglas_rachford(in.op, in.amplitude, in.sets.set, start, options,
                                               watch);
                     });
  });
}

template <class S>
PhaseAnswer<S> relaxed_reflections(const PhaseCall<S>& call) {
  return in_ball(call, [](const PhaseCall<S>& in) {
    return one_stage(in, start_name::random, PhaseStage<S>{"reflections"},
                     [&](const Options& options, const auto& watch, const Matrix<S>& start) {
                       return sequential_raar(in.op, in.amplitude, in.sets.set, start, options,
                                              watch);
                     });
  });
}

template <class S>
PhaseAnswer<S> passes(const PhaseCall<S>& call) {
  const Matrix<S> start = call.start(start_name::random, 0);
  const PhaseStage<S> stage{"block passes"};
  if (!call.sets.unknown_radius) {
    return answer_of(call, start, block_passes(call, stage, start), stage.loss);
  }
  InBall<S> found = ball_passes(call, stage, start);
  PhaseAnswer<S> answer = answer_of(call, start, std::move(found.result), stage.loss);
  answer.radius = found.radius;
  return answer;
}

template <class S>
PhaseAnswer<S> conjugate_gradients(const PhaseCall<S>& call) {
  return in_ball(call, [](const PhaseCall<S>& in) {
    PhaseStage<S> stage{"full steps"};
    stage.loss = asked_loss(in, PointwiseLoss::amplitude);
    const Matrix<S> start = in.start(start_name::lanczos, 0);
    return answer_of(in, start, full_steps(in, stage, start), stage.loss);
  });
}

template <class S>
PhaseAnswer<S> lifted(const PhaseCall<S>& call) {
  PhaseStage<S> stage{"lifted gradient steps"};
  stage.loss = PointwiseLoss::intensity;
  Answered<S> result = call.run.stage(stage, [&](const Options& options, const auto& watch) {
    return phaselift(call.op, call.y, options, watch);
  });
  return answer_of(call, {}, std::move(result), stage.loss);
}

template <class S>
struct Entry {
  const char* name;
  PhaseMethodTraits traits;
  PhaseAnswer<S> (*run)(const PhaseCall<S>&);
};

constexpr PhaseMethodTraits follows_all, own_steps_only{.steps = false},
    own_loss{.losses = false, .steps = false},
    own_everything{.sets = false, .losses = false, .steps = false};

template <class S>
constexpr Entry<S> entries[] = {
    {"auto", own_steps_only, automatic<S>},
    {"projfgd", follows_all, projected<S>},
    {"paper-projfgd", own_loss,
     [](const PhaseCall<S>& call) {
       return in_ball(call, [](const PhaseCall<S>& in) { return flow(in, in.sets.set); });
     }},
    {"wirtinger-flow", own_everything,
     [](const PhaseCall<S>& call) { return flow<S>(call, Unconstrained{}); }},
    {"amplitude-flow", own_everything, published_amplitude_flow<S>},
    {"block-kaczmarz", own_loss, passes<S>},
    {"conjugate-gradients", own_steps_only, conjugate_gradients<S>},
    {"gerchberg-saxton", own_everything,
     [](const PhaseCall<S>& call) {
       return alternating<S>(call, "alternating projections", Unconstrained{}, 0);
     }},
    {"error-reduction", own_loss,
     [](const PhaseCall<S>& call) {
       return alternating_in_set(call, "alternating projections", 0);
     }},
    {"hio", own_loss,
     [](const PhaseCall<S>& call) {
       return alternating_in_set(call, "hybrid input-output", hybrid_beta);
     }},
    {"douglas-rachford", own_loss, douglas_rachford_reflections<S>},
    {"raar", own_loss, relaxed_reflections<S>},
    {"phaselift", own_everything, lifted<S>},
};

}  // namespace

std::vector<std::string> phase_method_names() { return names_of(entries<std::complex<double>>); }

PhaseMethodTraits phase_method_traits(const std::string& name) {
  const auto* entry = find_named(entries<std::complex<double>>, name);
  return entry != nullptr ? entry->traits : PhaseMethodTraits{};
}

template <class S>
PhaseAnswer<S> run_phase_method(const std::string& name, const PhaseCall<S>& call) {
  return require_named("method", entries<S>, name).run(call);
}

template PhaseAnswer<std::complex<float>> run_phase_method(const std::string&,
                                                           const PhaseCall<std::complex<float>>&);
template PhaseAnswer<std::complex<double>> run_phase_method(const std::string&,
                                                            const PhaseCall<std::complex<double>>&);

}  // namespace projfgd
