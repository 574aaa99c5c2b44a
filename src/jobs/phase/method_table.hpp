// The methods of phase retrieval, for the operator of any place.
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "jobs/phase/methods.hpp"
#include "jobs/phase/search.hpp"
#include "jobs/phase/stages.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/solvers/amplitude_flow.hpp"
#include "projfgd/solvers/douglas_rachford.hpp"
#include "projfgd/solvers/phaselift.hpp"
#include "projfgd/solvers/wirtinger_flow.hpp"

namespace projfgd {
namespace phase_method {

/// Passes that may be made to find a radius before a method begins.
inline constexpr Index most_radius_passes = 1000;

template <class A>
PointwiseLoss asked_loss(const PhaseCall<A>& call, PointwiseLoss otherwise) {
  return call.loss == "auto" ? otherwise : pointwise_loss(call.loss);
}

/// What one run of a solver found.
template <class A>
PhaseAnswer<ImageOf<A>> answer_of(const PhaseCall<A>& call, ImageOf<A> start, Answered<A> result,
                                  PointwiseLoss loss) {
  PhaseAnswer<ImageOf<A>> answer;
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
template <class A, class Solve>
PhaseAnswer<ImageOf<A>> one_stage(const PhaseCall<A>& call, const char* start_name,
                                  const PhaseStage<ImageOf<A>>& stage, const Solve& solve) {
  const ImageOf<A> start = call.start(start_name, 0);
  Answered<A> result = call.run.stage(stage, [&](const Options& options, const auto& watch) {
    return solve(options, watch, start);
  });
  return answer_of(call, start, std::move(result), stage.loss);
}

/// The same for a method that needs the radius of its ball before it begins: passes find one that
/// was not given.
template <class A, class Solve>
PhaseAnswer<ImageOf<A>> in_ball(const PhaseCall<A>& call, const Solve& solve) {
  if (!call.sets.unknown_radius) return solve(call);
  PhaseStage<ImageOf<A>> stage{"block passes to find the radius"};
  stage.most = most_radius_passes;
  stage.preparing = true;
  const InBall<A> found = ball_passes(call, stage, call.start(start_name::random, 0));
  PhaseCall<A> inside = call;
  inside.sets = with_radius(call.sets, found.radius);
  PhaseAnswer<ImageOf<A>> answer = solve(inside);
  answer.radius = found.radius;
  answer.radius_passes = found.result.iterations;
  return answer;
}

/// An l1 ball whose radius is to be found adds nothing where the data determine the image without
/// it: then its radius is that of the image. Where they do not, passes that shrink the ball find
/// both.
template <class A>
PhaseAnswer<ImageOf<A>> automatic(const PhaseCall<A>& call) {
  if (!call.sets.unknown_radius) return Search<A>(call).find();
  if (call.data >= search::determined * call.numbers) {
    PhaseCall<A> plain = call;
    plain.sets = without_ball(call.sets);
    PhaseAnswer<ImageOf<A>> answer = Search<A>(plain).find();
    answer.radius = l1_norm(answer.attempt.image);
    return answer;
  }
  return in_ball(call, [](const PhaseCall<A>& inside) { return Search<A>(inside).find(); });
}

template <class A>
PhaseAnswer<ImageOf<A>> projected(const PhaseCall<A>& call) {
  return in_ball(call, [](const PhaseCall<A>& in) {
    PhaseStage<ImageOf<A>> stage{"projected gradient steps"};
    stage.loss = asked_loss(in, PointwiseLoss::intensity);
    return one_stage(
        in, start_name::spectral, stage,
        [&](const Options& options, const auto& watch, const ImageOf<A>& start) {
          return with_kernel(stage.loss, [&](auto kernel) {
            PhaseObjective<A, decltype(kernel)> f(in.op, in.y);
            return projfgd(f, in.sets.set, Start<ImageOf<A>>{start, 0}, options, watch);
          });
        });
  });
}

template <class A>
PhaseAnswer<ImageOf<A>> flow(const PhaseCall<A>& call, const SetOf<A>& set) {
  PhaseStage<ImageOf<A>> stage{"Wirtinger flow"};
  stage.loss = PointwiseLoss::intensity;
  return one_stage(call, start_name::spectral, stage,
                   [&](const Options& options, const auto& watch, const ImageOf<A>& start) {
                     return wirtinger_flow(call.op, call.y, set, start, options, watch,
                                           wirtinger_longest(call.layout.height > 1));
                   });
}

template <class A>
PhaseAnswer<ImageOf<A>> published_amplitude_flow(const PhaseCall<A>& call) {
  return one_stage(call, start_name::spectral, PhaseStage<ImageOf<A>>{"amplitude flow"},
                   [&](const Options& options, const auto& watch, const ImageOf<A>& start) {
                     return amplitude_flow(call.op, call.y, start, options, watch);
                   });
}

/// Between the data and the set; between the data and nothing, what is left of it is that A z must
/// lie in the range of A.
template <class A>
PhaseAnswer<ImageOf<A>> alternating(const PhaseCall<A>& call, const char* name, const SetOf<A>& set,
                                    double beta) {
  const ImageOf<A> start = call.start(start_name::lanczos, 0);
  return answer_of(call, start, alternate(call, name, set, start, beta), PointwiseLoss::amplitude);
}

template <class A>
PhaseAnswer<ImageOf<A>> alternating_in_set(const PhaseCall<A>& call, const char* name,
                                           double beta) {
  return in_ball(call,
                 [&](const PhaseCall<A>& in) { return alternating(in, name, in.sets.set, beta); });
}

/// solve(operator, amplitude, set, start, options, watch) is the method.
template <class A, class Solve>
PhaseAnswer<ImageOf<A>> reflections(const PhaseCall<A>& call, const Solve& solve) {
  return in_ball(call, [&](const PhaseCall<A>& in) {
    return one_stage(in, start_name::random, PhaseStage<ImageOf<A>>{"reflections"},
                     [&](const Options& options, const auto& watch, const ImageOf<A>& start) {
                       return solve(in.op, in.amplitude, in.sets.set, start, options, watch);
                     });
  });
}

template <class A>
PhaseAnswer<ImageOf<A>> douglas_rachford_reflections(const PhaseCall<A>& call) {
  return reflections(call, [](const auto&... what) { return douglas_rachford(what...); });
}

template <class A>
PhaseAnswer<ImageOf<A>> relaxed_reflections(const PhaseCall<A>& call) {
  return reflections(call, [](const auto&... what) { return sequential_raar(what...); });
}

template <class A>
PhaseAnswer<ImageOf<A>> passes(const PhaseCall<A>& call) {
  const ImageOf<A> start = call.start(start_name::random, 0);
  const PhaseStage<ImageOf<A>> stage{"block passes"};
  if (!call.sets.unknown_radius) {
    return answer_of(call, start, block_passes(call, call.sets, stage, start), stage.loss);
  }
  InBall<A> found = ball_passes(call, stage, start);
  PhaseAnswer<ImageOf<A>> answer = answer_of(call, start, std::move(found.result), stage.loss);
  answer.radius = found.radius;
  return answer;
}

template <class A>
PhaseAnswer<ImageOf<A>> conjugate_gradients(const PhaseCall<A>& call) {
  return in_ball(call, [](const PhaseCall<A>& in) {
    PhaseStage<ImageOf<A>> stage{"full steps"};
    stage.loss = asked_loss(in, PointwiseLoss::amplitude);
    const ImageOf<A> start = in.start(start_name::lanczos, 0);
    return answer_of(in, start, full_steps(in, stage, start), stage.loss);
  });
}

template <class A>
PhaseAnswer<ImageOf<A>> lifted(const PhaseCall<A>& call) {
  PhaseStage<ImageOf<A>> stage{"lifted gradient steps"};
  stage.loss = PointwiseLoss::intensity;
  if constexpr (std::is_same_v<typename A::Place, Host>) {
    Answered<A> result = call.run.stage(stage, [&](const Options& options, const auto& watch) {
      return phaselift(call.op, call.y, options, watch);
    });
    return answer_of(call, {}, std::move(result), stage.loss);
  } else {
    throw InputError("method phaselift: it runs on the processor alone; use --device cpu");
  }
}

template <class A>
struct Entry {
  const char* name;
  PhaseMethodTraits traits;
  PhaseAnswer<ImageOf<A>> (*run)(const PhaseCall<A>&);
};

inline constexpr PhaseMethodTraits follows_all, own_steps_only{.steps = false},
    own_loss{.losses = false, .steps = false},
    own_everything{.sets = false, .losses = false, .steps = false};

template <class A>
inline constexpr Entry<A> entries[] = {
    {"auto", own_steps_only, automatic<A>},
    {"projfgd", follows_all, projected<A>},
    {"paper-projfgd", own_loss,
     [](const PhaseCall<A>& call) {
       return in_ball(call, [](const PhaseCall<A>& in) { return flow(in, in.sets.set); });
     }},
    {"wirtinger-flow", own_everything,
     [](const PhaseCall<A>& call) { return flow<A>(call, Unconstrained{}); }},
    {"amplitude-flow", own_everything, published_amplitude_flow<A>},
    {"block-kaczmarz", own_loss, passes<A>},
    {"conjugate-gradients", own_steps_only, conjugate_gradients<A>},
    {"gerchberg-saxton", own_everything,
     [](const PhaseCall<A>& call) {
       return alternating<A>(call, "alternating projections", Unconstrained{}, 0);
     }},
    {"error-reduction", own_loss,
     [](const PhaseCall<A>& call) {
       return alternating_in_set(call, "alternating projections", 0);
     }},
    {"hio", own_loss,
     [](const PhaseCall<A>& call) {
       return alternating_in_set(call, "hybrid input-output", hybrid_beta);
     }},
    {"douglas-rachford", own_loss, douglas_rachford_reflections<A>},
    {"raar", own_loss, relaxed_reflections<A>},
    {"phaselift", own_everything, lifted<A>},
};

}  // namespace phase_method

template <class A>
PhaseAnswer<ImageOf<A>> run_phase_method(const std::string& name, const PhaseCall<A>& call) {
  return require_named("method", phase_method::entries<A>, name).run(call);
}

}  // namespace projfgd
