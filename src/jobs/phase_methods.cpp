#include "phase_methods.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "projfgd/constraints/none.hpp"
#include "projfgd/constraints/refined_l1.hpp"
#include "projfgd/constraints/within.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/phase_objective.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/jobs/phase.hpp"
#include "projfgd/measures/fitting_loss.hpp"
#include "projfgd/measures/image.hpp"
#include "projfgd/solvers/alternating_projections.hpp"
#include "projfgd/solvers/amplitude_flow.hpp"
#include "projfgd/solvers/block_kaczmarz.hpp"
#include "projfgd/solvers/phase_descent.hpp"
#include "projfgd/solvers/phaselift.hpp"
#include "projfgd/solvers/projfgd.hpp"
#include "projfgd/solvers/wirtinger_flow.hpp"

namespace projfgd {
namespace {

template <class S>
using Answered = Result<Matrix<S>>;

template <class S>
AnyConstraint<S> within_support(const PhaseCall<S>& call, AnyConstraint<S> set) {
  return Within(call.support, std::move(set));
}

template <class S>
AnyConstraint<S> l1_set(const PhaseCall<S>& call, double radius) {
  if (call.nonnegative) return within_support<S>(call, NonnegativeL1Ball(radius));
  return within_support<S>(call, L1Ball(radius));
}

template <class S>
PointwiseLoss chosen_loss(PhaseCall<S>& call, PointwiseLoss otherwise) {
  return call.way.loss = call.loss == "auto" ? otherwise : pointwise_loss(call.loss);
}

/// Block passes; leaves the set with the radius that they found where it was not given.
template <class S>
Answered<S> block_passes(PhaseCall<S>& call, Matrix<S> start) {
  call.way.loss = PointwiseLoss::amplitude;
  // The radius is right only once the passes settle.
  const double slow = call.unknown_radius ? 0.9 : block_kaczmarz_slow;
  const auto run = [&](const AnyConstraint<S>& each, const AnyConstraint<S>& set) {
    return block_kaczmarz(call.op, call.amplitude, each, set, std::move(start), call.left(),
                          call.watch, slow);
  };
  if (!call.unknown_radius) return run(call.each, call.set);
  const RefinedL1Ball<S> ball(call.nonnegative);
  const AnyConstraint<S> inside = within_support<S>(call, ball);
  // Nonnegative numbers lead the way themselves; without them the ball is needed after each block.
  auto result = call.nonnegative ? run(call.each, inside) : run(inside, Unconstrained{});
  // Without a pass nothing was projected, and what was given stands.
  call.way.radius = ball.radius() > 0 ? ball.radius() : result.factor.cwiseAbs().sum();
  call.set = l1_set(call, call.way.radius);
  return result;
}

template <class S>
Answered<S> block_passes(PhaseCall<S>& call) {
  return block_passes(call, call.start(start_name::random, 0));
}

constexpr Index most_passes = 1000;

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

/// Full steps from z on the loss of that name: preconditioned conjugate gradients without a set,
/// projected quasi-Newton steps with one, whatever step rule was asked of the method projfgd.
template <class S>
Answered<S> full_steps(PhaseCall<S>& call, PointwiseLoss loss, Matrix<S> z) {
  call.way.loss = loss;
  Options options = call.left();
  options.step = StepRule::automatic;
  return with_kernel(loss, [&](auto kernel) {
    using Kernel = decltype(kernel);
    if (call.unconstrained) {
      return phase_descent<Kernel>(call.op, call.y, std::move(z), options, call.watch);
    }
    PhaseObjective<BlockOperator<S>, Kernel> f(call.op, call.y);
    return projfgd(f, call.set, Start<Matrix<S>>{std::move(z), 0}, options, call.watch);
  });
}

template <class S>
Answered<S> alternate(PhaseCall<S>& call, const AnyConstraint<S>& set, Matrix<S> start,
                      double beta) {
  call.way.loss = PointwiseLoss::amplitude;
  return alternating_projections(call.op, call.amplitude, set, std::move(start), beta, call.left(),
                                 call.watch);
}

constexpr double hybrid_beta = 0.9;

/// The way from one start to an answer, in stages.
template <class S>
class Attempt {
 public:
  /// After so many iterations of earlier attempts.
  Attempt(PhaseCall<S>& call, Index used) : call_(call), used_(used) {}

  /// One more stage: run(call) with what is left of the limits, at most `most` iterations.
  template <class Run>
  void add(const Run& run, Index most = std::numeric_limits<Index>::max()) {
    PhaseCall<S> now = call_;
    now.options.max_iterations = std::min(call_.left(iterations()).max_iterations, most);
    if (stages_.begun()) {
      now.watch = [this](const Snapshot<Matrix<S>>& seen) {
        const bool known = seen.row.iteration == 0;  // the last row of the stage before
        return known || call_.watch({seen.factor, stages_.in_run(seen.row)});
      };
    }
    stages_.take(stages_.entered(run(now)));
    call_.set = now.set;
  }

  /// Whether a limit of the whole run, or its observer, ended the last stage.
  bool over() const {
    const Status status = stages_.answer().status;
    return status == Status::interrupted || status == Status::diverged ||
           status == Status::time_limit || iterations() >= call_.options.max_iterations;
  }
  /// With those of earlier attempts.
  Index iterations() const { return used_ + stages_.answer().iterations; }
  Answered<S>& result() { return stages_.answer(); }

 private:
  PhaseCall<S>& call_;
  Index used_;
  Stages<Matrix<S>> stages_;
};

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// An answer that leaves more of the amplitudes is far from the data. A pattern without masks is
/// fitted to a few parts in a hundred by images that are not its own.
template <class S>
double far_misfit(const PhaseCall<S>& call) {
  return call.op.blocks() == 1 ? 1e-3 : 0.1;
}

/// What an attempt gets near by.
enum class Approach {
  few_passes,   ///< from a random start, and no more of them than lead there where they do quickly
  full_steps,   ///< from a Lanczos start
  many_passes,  ///< from a random start
};

/// Block passes to get near, or full steps on the amplitude loss; under noise, full steps on that
/// loss, and to finish on the loss that fits the noise, or on the one that was asked for. One
/// pattern alone has no blocks: hybrid input-output gets near.
/// Returns the misfit of the amplitudes where the method knows it.
template <class S>
double pursue(PhaseCall<S>& call, Approach approach, int k, Attempt<S>& attempt) {
  constexpr Index most_hybrid = 500, most_steps = 300, patience = 100;
  const bool steps = approach == Approach::full_steps, few = approach == Approach::few_passes;
  Matrix<S> start = call.start(steps ? start_name::lanczos : start_name::random, k);
  if (call.op.blocks() == 1 && !call.unknown_radius) {
    attempt.add(
        [&](PhaseCall<S>& now) { return alternate(now, now.set, std::move(start), hybrid_beta); },
        most_hybrid);
    if (attempt.over()) return unknown;
    start = attempt.result().factor;
  }
  if (steps) {
    attempt.add(
        [&](PhaseCall<S>& now) {
          return full_steps(now, PointwiseLoss::amplitude, std::move(start));
        },
        most_steps);
  } else {
    attempt.add([&](PhaseCall<S>& now) { return block_passes(now, std::move(start)); },
                few ? patience : most_passes);
  }
  Answered<S>& result = attempt.result();
  if (attempt.over()) return unknown;
  // Without noise the misfit of a pass is the square of its change; more than that is noise.
  const double change = result.trace.back().relative_change;
  const double misfit = 2 * result.objective / static_cast<double>(call.y.sum());
  const bool met = result.status == Status::converged && misfit <= 10 * change * change;
  const bool lost =
      few && result.status == Status::iteration_limit && std::sqrt(misfit) > far_misfit(call);
  if (lost || (met && call.loss == "auto")) return std::sqrt(misfit);
  const auto full = [&](PointwiseLoss loss, double tolerance) {
    attempt.add([&](PhaseCall<S>& now) {
      now.options.tolerance = tolerance;
      return full_steps(now, loss, result.factor);
    });
  };
  const double tolerance = call.options.tolerance;
  if (call.loss != "auto") {
    full(pointwise_loss(call.loss), tolerance);
  } else {
    // Near enough to see which noise it is; the loss for that does the rest.
    const double rough = std::min(3e-3, std::sqrt(misfit) / 8);
    full(PointwiseLoss::amplitude, std::max(tolerance, rough));
    if (result.status != Status::converged) return unknown;
    full(fitting_loss(call.op, call.y, result.factor), tolerance);
  }
  return unknown;
}

/// Attempts from several starts where one ends far from the data; the answer is that of the attempt
/// with the least misfit, whatever ended it. Noise is told from a wrong turn by coming back: two
/// starts that end at the same misfit have found what there is. Where passes jump about for long,
/// full steps from the other start are likely to be quicker; they go before more passes.
template <class S>
Answered<S> automatic(PhaseCall<S>& call) {
  constexpr int most_attempts = 5;
  constexpr double same = 0.01;
  Answered<S> best;
  PointwiseLoss best_loss = call.way.loss;
  double least = std::numeric_limits<double>::infinity(), radius = 0;
  Index used = 0;
  const bool may_step = call.may_choose && !call.unknown_radius && call.op.blocks() > 1;
  Approach approach = may_step ? Approach::few_passes : Approach::many_passes;
  for (int k = 0; k < most_attempts; ++k) {
    Attempt<S> attempt(call, used);
    double misfit = pursue(call, approach, k, attempt);
    const bool few = approach == Approach::few_passes;
    approach = few ? Approach::full_steps : Approach::many_passes;
    Answered<S>& now = attempt.result();
    const bool over = attempt.over() || !call.may_restart;
    if (std::isnan(misfit)) {
      const bool alone = k == 0 && over;  // nothing to compare it with
      misfit = alone || call.way.reached
                   ? 0
                   : amplitude_misfit(amplitude_objective(call.op, call.amplitude, now.factor),
                                      call.amplitude);
    }
    used += now.iterations;
    call.way.attempts = k + 1;
    const bool found = misfit <= far_misfit(call) || std::abs(misfit - least) <= same * misfit;
    const Status ended = now.status;
    if (k == 0 || misfit < least) {
      best = std::move(now);
      best_loss = call.way.loss, least = misfit, radius = call.way.radius, call.way.chosen = k;
    } else if (ended == Status::interrupted) {  // by the user, which is for the whole run
      best.status = ended;
      best.message = now.message;
    }
    if (found || over) break;
  }
  call.way.loss = best_loss;
  call.way.radius = radius;
  return best;
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
