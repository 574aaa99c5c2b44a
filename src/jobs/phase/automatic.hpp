// The method `auto` of phase retrieval: one way after the other, until an image explains the data.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "jobs/phase/fit.hpp"
#include "jobs/phase/stages.hpp"
#include "projfgd/measures/fitting_loss.hpp"
#include "projfgd/measures/image.hpp"

namespace projfgd {

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

inline constexpr double unknown_misfit = std::numeric_limits<double>::quiet_NaN();

/// An answer that leaves no more of the amplitudes is right, be it found once. Images that are not
/// their own fit a pattern without masks, or some behind stencils, to a few parts in a hundred;
/// where data are many, or a ball is fitted to them with the image, attempts are not compared below
/// that.
template <class S>
double trusted_misfit(const PhaseCall<S>& call) {
  const bool many = call.op.measured() >= 12 * call.op.rows();
  if (call.op.blocks() > 1 && (many || call.unknown_radius)) return doubtful_phase_misfit;
  return std::max(1e-3, call.options.tolerance);
}

/// What an attempt gets near by.
enum class Approach {
  few_passes,  ///< no more of them than lead there where they do quickly
  many_passes,
  full_steps,  ///< from a Lanczos start
  reflections,
  nonnegative_reflections,  ///< as if the image were nonnegative, which many are
};

constexpr bool are_passes(Approach approach) {
  return approach == Approach::few_passes || approach == Approach::many_passes;
}

/// The smallest images have few wrong answers, to which attempts come more than once.
template <class S>
bool is_tiny(const PhaseCall<S>& call) {
  return call.op.rows() <= 512;
}

/// What is tried in turn where one way after the other ends far from the data, each from a start of
/// its own. Passes are quickest where they lead anywhere, full steps lead somewhere in the fewest
/// iterations; reflections know ways out of where both stay, with some chance each time, which is
/// least for small images, where another time costs little.
template <class S>
std::vector<Approach> approaches_of(const PhaseCall<S>& call) {
  using enum Approach;
  const bool small = call.op.rows() <= 4096;
  if (call.op.blocks() == 1) {
    return std::vector<Approach>(!call.may_restart ? 1 : small ? 12 : 5, many_passes);
  }
  std::vector<Approach> all{many_passes};
  if (!call.unknown_radius) all = {few_passes, full_steps};
  const int times = !call.may_restart ? 1 : is_tiny(call) ? 12 : small ? 6 : 2;
  for (int k = 0; k < times; ++k) {
    all.push_back(reflections);
    if (call.holds_nonnegative) all.push_back(nonnegative_reflections);
  }
  return all;
}

template <class S>
double misfit_of(const PhaseCall<S>& call, const Matrix<S>& z) {
  return amplitude_misfit(amplitude_objective(call.op, call.amplitude, z), call.amplitude);
}

/// A ball whose radius was found too small leaves a misfit that falls much with a larger one; a
/// scout tells, whose steps count as transforms and not as iterations.
template <class S>
void widen_ball(PhaseCall<S>& call, PointwiseLoss loss, Attempt<S>& attempt) {
  constexpr int most_times = 6;
  constexpr double wider = 1.05, much = 0.7, exact = 3e-3;
  for (int k = 0; k < most_times && !attempt.over(); ++k) {
    const Matrix<S>& here = attempt.result().factor;
    const double misfit = misfit_of(call, here);
    if (misfit <= exact) return;
    PhaseCall<S> scout = call;
    scout.set = l1_set(call, wider * call.way.radius);
    scout.options.max_iterations = call.left(attempt.iterations()).max_iterations;
    scout.watch = [&](const auto&) { return call.go_on(); };
    if (!(misfit_of(call, full_steps(scout, loss, here).factor) < much * misfit)) return;
    call.way.radius *= wider;
    call.set = scout.set;
    attempt.add([&](PhaseCall<S>& now) { return full_steps(now, loss, here); });
  }
}

/// The same call with what reflections know of the image: the set, a guess inside it, or what is
/// known of a ball whose radius is to be found.
template <class S>
PhaseCall<S> led(PhaseCall<S> call, Approach approach) {
  if (approach == Approach::nonnegative_reflections) {
    call.set = call.each = within_support<S>(call, Nonnegative{});
  } else if (call.unknown_radius) {
    call.set = call.nonnegative ? call.each : call.support;
  }
  return call;
}

/// The stages that get near: passes, full steps, or reflections and some passes, which stay where
/// those go round and find a radius. They leave room for others where iterations are few.
template <class S>
void approach_image(PhaseCall<S>& call, Approach approach, Matrix<S> start, Attempt<S>& attempt) {
  constexpr Index most_reflections = 300, most_few = 100, most_steps = 100, most_last = 20;
  constexpr double near = 1e-3;  // the other stages are quicker from there
  if (approach == Approach::full_steps) {
    return attempt.add(
        [&](PhaseCall<S>& now) {
          return full_steps(now, PointwiseLoss::amplitude, std::move(start));
        },
        most_steps);
  }
  Index most = call.unknown_radius ? most_passes : most_last;
  if (are_passes(approach)) {
    const Index few = std::min(most_few, call.options.max_iterations / 2);
    most = approach == Approach::few_passes ? few : most_passes;
  } else {
    const Index left = call.left(attempt.iterations()).max_iterations;
    attempt.add(
        [&](const PhaseCall<S>& now) {
          PhaseCall<S> by = led(now, approach);
          by.options.tolerance = std::max(now.options.tolerance, near);
          return reflections(by, std::move(start));
        },
        std::min(most_reflections, left - left / 5));
    start = attempt.result().factor;
    if (attempt.over()) {
      if (call.unknown_radius) call.way.radius = start.cwiseAbs().sum();  // none was found
      return;
    }
  }
  attempt.add(
      [&](PhaseCall<S>& now) {
        if (approach != Approach::nonnegative_reflections) {
          return block_passes(now, std::move(start));
        }
        PhaseCall<S> by = led(now, approach);
        return block_passes(by, std::move(start));
      },
      most);
}

/// The loss for the noise that an amplitude fit shows: that of an earlier attempt unless this one
/// is nearer to the data, so that attempts which come to one image can be compared.
template <class S>
PointwiseLoss agreed_loss(PhaseCall<S>& call, const Answered<S>& fit) {
  constexpr double nearer = 0.95;
  if (fit.objective < nearer * call.way.loss_chosen_at) {
    call.way.fitting = fitting_loss(call.op, call.y, fit.factor);
    call.way.loss_chosen_at = fit.objective;
  }
  return call.way.fitting;
}

/// Passes or reflections to get near; under noise, full steps on the amplitude loss, and to finish
/// on the loss that fits the noise, or on the one that was asked for. One pattern alone has no
/// blocks: hybrid input-output gets near.
/// Returns the misfit of the amplitudes where the method knows it.
template <class S>
double pursue(PhaseCall<S>& call, Approach approach, int k, Attempt<S>& attempt) {
  constexpr Index most_hybrid = 500;
  const bool steps = approach == Approach::full_steps;
  Matrix<S> start = call.start(steps ? start_name::lanczos : start_name::random, k);
  if (call.op.blocks() == 1 && !call.unknown_radius) {
    attempt.add(
        [&](PhaseCall<S>& now) { return alternate(now, now.set, std::move(start), hybrid_beta); },
        most_hybrid);
    if (attempt.over()) return unknown_misfit;
    start = attempt.result().factor;
  }
  approach_image(call, approach, std::move(start), attempt);
  Answered<S>& result = attempt.result();
  if (attempt.over()) return unknown_misfit;
  // Without noise the misfit of a pass is the square of its change; more than that is noise.
  const double change = result.trace.back().relative_change;
  const double misfit = 2 * result.objective / static_cast<double>(call.y.sum());
  const bool met = result.status == Status::converged && misfit <= 10 * change * change;
  const bool lost = approach == Approach::few_passes && result.status == Status::iteration_limit &&
                    std::sqrt(misfit) > doubtful_phase_misfit;
  if (lost || (met && call.loss == "auto")) return std::sqrt(misfit);
  const auto full = [&](PointwiseLoss loss, double tolerance) {
    attempt.add([&](PhaseCall<S>& now) {
      now.options.tolerance = tolerance;
      return full_steps(now, loss, result.factor);
    });
  };
  const double tolerance = call.options.tolerance;
  PointwiseLoss last = PointwiseLoss::amplitude;
  if (call.loss != "auto") {
    last = pointwise_loss(call.loss);
  } else {
    // Near enough to see which noise it is; the loss for that does the rest.
    const double rough = std::min(3e-3, std::sqrt(misfit) / 8);
    full(last, std::max(tolerance, rough));
    if (result.status != Status::converged) return unknown_misfit;
    last = agreed_loss(call, result);
  }
  full(last, tolerance);
  if (call.unknown_radius && result.status == Status::converged) widen_ball(call, last, attempt);
  return unknown_misfit;
}

/// Attempts by several ways where one ends far from the data; the answer is that of the attempt
/// with the least misfit, whatever ended it. Noise is told from a wrong turn by coming back: two
/// attempts, which differ by their starts or by their ways, that end at the same image have found
/// what there is, if no other came nearer. One pattern is that of many images, and the same misfit
/// must do.
template <class S>
Answered<S> automatic(PhaseCall<S>& call) {
  constexpr double same_image = 0.1, same_misfit = 1e-4;  // parts of the misfit
  const int fewest = is_tiny(call) ? 10 : 2;
  Answered<S> best;
  PointwiseLoss best_loss = call.way.loss;
  double least = std::numeric_limits<double>::infinity(), radius = 0;
  Index used = 0;
  const std::vector<Approach> approaches = approaches_of(call);
  call.way.disputed = approaches.size() > 1 && call.may_restart;
  for (std::size_t k = 0; k < approaches.size(); ++k) {
    Attempt<S> attempt(call, used);
    double misfit = pursue(call, approaches[k], static_cast<int>(k), attempt);
    Answered<S>& now = attempt.result();
    const bool over = attempt.over();
    if (std::isnan(misfit)) {
      const bool alone = k == 0 && (over || approaches.size() == 1);  // nothing to compare it with
      misfit = alone || call.way.reached ? 0 : misfit_of(call, now.factor);
    }
    used += now.iterations;
    call.way.attempts = static_cast<int>(k) + 1;
    const double nearly = std::max(same_image * misfit, 10 * call.options.tolerance);
    const bool same =
        k > 0 && (call.op.blocks() == 1 ? std::abs(misfit - least) <= same_misfit * misfit
                                        : aligned_error(now.factor, best.factor) <= nearly);
    const Status ended = now.status;
    const bool better = k == 0 || misfit < least;
    call.way.confirmed = same || (call.way.confirmed && !better);
    if (better) {
      best = std::move(now);
      best_loss = call.way.loss, least = misfit, radius = call.way.radius,
      call.way.chosen = static_cast<int>(k);
    } else if (ended == Status::interrupted) {  // by the user, which is for the whole run
      best.status = ended;
      best.message = now.message;
    }
    const bool agreed = call.way.confirmed && call.way.attempts >= fewest;
    if (least <= trusted_misfit(call) || agreed || over) {
      call.way.disputed = false;
      break;
    }
  }
  call.way.disputed = call.way.disputed && !call.way.confirmed;
  call.way.loss = best_loss;
  call.way.radius = radius;
  return best;
}

}  // namespace projfgd
