// The method `auto` of phase retrieval: attempts from different starts, until the data accept an
// image or no other is to be expected.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "jobs/phase/errors.hpp"
#include "jobs/phase/fit.hpp"
#include "jobs/phase/found_images.hpp"
#include "jobs/phase/noise.hpp"
#include "jobs/phase/progress.hpp"
#include "jobs/phase/readings.hpp"
#include "jobs/phase/stages.hpp"
#include "projfgd/measures/basins.hpp"
#include "projfgd/measures/fitting_loss.hpp"
#include "projfgd/measures/image.hpp"

namespace projfgd {

template <class A>
class Search {
 public:
  using F = ImageOf<A>;
  using Real = RealOf<F>;

  explicit Search(const PhaseCall<A>& call)
      : call_(call),
        run_(call.run),
        exact_(std::max(search::exact_tolerances * run_.tolerance(),
                        search::rounding * std::numeric_limits<Real>::epsilon())),
        products_(call.op.products()),
        images_(call.layout, exact_) {}

  PhaseAnswer<F> find() {
    PhaseAnswer<F> answer;
    SearchRecord& record = answer.search;
    record = {.attempts = 0, .basins = 0, .found = 0, .searched = true};
    Index budget = search::all_transforms / 2;
    bool ended = false;
    JournalLoop attempts(run_.journal(), "attempts");
    while (!ended) {
      attempts.keep(run_, record, images_, budget, accepted_, last_misfit_, read_otherwise_,
                    better_reading_, is_exact_);
      const Attempt<F> now = make_attempt(record.attempts++, budget);
      images_.add(now);
      budget = search::all_transforms - transforms();
      record.basins = images_.size();
      record.complete = unseen_basins(record.attempts, record.basins) < unseen_left;
      if (!this->ended() && call_.may_restart) read_otherwise(images_.best().attempt.misfit);
      ended = this->ended() || !call_.may_restart || record.complete || budget <= 0;
    }
    record.accepted = accepted_;
    record.better_reading = better_reading_;
    record.found = images_.best().found;
    answer.attempt = std::move(images_.best().attempt);
    finish(answer);
    return answer;
  }

 private:
  Index transforms() const { return call_.op.products() - products_; }

  /// From start number k: passes, reflections, and full steps wherever these come near to the data.
  /// The first passes guess that the image is nonnegative: most are, and one that is not has a
  /// mean, which makes what they leave a better start than random numbers.
  Attempt<F> make_attempt(int k, Index budget) {
    const Index before = call_.op.products();
    run_.begin_attempt(title_ + (k > 0 ? fmt::format("attempt {} (so far {:.0f}% of the amplitudes "
                                                     "are unexplained), ",
                                                     k + 1, 100 * images_.best().attempt.misfit)
                                       : ""));
    Attempt<F> attempt;
    F z = attempt.start = call_.start(start_name::random, k);
    if (call_.given_start && k == 0) consider(z, attempt);
    const bool guess = k == 0 && !call_.given_start && call_.sets.holds_nonnegative;
    const bool data_for_guess = call_.data_a_pixel >= search::data_for_passes;
    if (!ended() && guess && data_for_guess && pass(nonnegative(call_.sets), false, z) &&
        !ended()) {
      consider(z, attempt);
    }
    const bool many_data = call_.data >= search::data_for_passes * call_.numbers;
    if (!ended() && many_data && pass(call_.sets, true, z) && !ended()) consider(z, attempt);
    const Index sweeps = std::max<Index>(2, budget / (2 * call_.op.blocks()));
    if (!ended() && guess) {
      reflect(sweeps, nonnegative(call_.sets).set, Look::while_falling, z, attempt);
    }
    if (!ended()) reflect(sweeps, call_.sets.set, Look::always, z, attempt);
    if (attempt.image.size() == 0) {  // a limit came first
      keep(z, std::isfinite(last_misfit_) ? last_misfit_ : misfit_of(z), attempt);
    }
    attempt.transforms = call_.op.products() - before;
    return attempt;
  }

  bool ended() const { return accepted_ || !better_reading_.empty() || run_.is_over(); }

  /// Once: a short attempt on each other reading of the data. One that leaves less than half of the
  /// misfit of this one ends the search.
  void read_otherwise(double misfit) {
    if (!call_.fourier || call_.op.measured() < call_.op.measurements()) return;
    if (misfit <= doubtful_phase_misfit || std::exchange(read_otherwise_, true)) return;
    Attempt<F> now;
    run_.note(now);
    typename A::Values y, amplitude;
    for (const Reading<Real>& reading : other_readings(measured(), call_.layout)) {
      if (run_.is_over() || !better_reading_.empty()) break;
      copy_from_host(reading.y, y);
      copy_from_host(Vector<Real>(reading.y.cwiseSqrt()), amplitude);
      PhaseCall<A> other{call_.op, y, amplitude, run_, call_.sets};
      other.data = call_.data;
      other.numbers = call_.numbers;
      other.data_a_pixel = call_.data_a_pixel;
      other.start = call_.start;
      Search<A> trial(other);
      trial.read_otherwise_ = true;
      trial.title_ = "trying another reading of the data, ";
      const double left = trial.make_attempt(0, search::first_look).misfit;
      if (left > search::halved * misfit) continue;
      better_reading_ = fmt::format("{}, which reduces the misfit from {:.2g} to {:.2g}",
                                    reading.words, misfit, left);
    }
    run_.resume(now);
  }

  /// Block passes from z while they get on; whether they halved the misfit.
  bool pass(const PhaseSets<A>& sets, bool search, F& z) {
    PassProgress progress(search);
    ErrorLeft error(exact_, run_.tolerance());
    PhaseStage<F> stage{"block passes"};
    stage.tolerance = 0;
    stage.has_enough = [&](const auto& now) {
      const double misfit = amplitude_misfit(now.row.objective, call_.amplitude);
      error.add(misfit, now.row.relative_change);
      return progress.has_ended(misfit) || error.is_small();
    };
    Answered<A> result = block_passes(call_, sets, stage, std::move(z));
    z = std::move(result.factor);
    last_misfit_ = amplitude_misfit(result.objective, call_.amplitude);
    is_exact_ = error.is_small();
    return progress.found();
  }

  enum class Look { while_falling, always };

  /// Reflections in a set from z, looked at when they have halved their misfit, and from time to
  /// time, until two looks see one image; or only while each leaves less than the one before.
  /// z ends where the reflections stopped; later steps start there.
  void reflect(Index budget, const SetOf<A>& set, Look looks, F& z, Attempt<F>& attempt) {
    Reflections<A> reflections(call_.op, call_.amplitude, set, z);
    double level = std::numeric_limits<double>::infinity();  // of the first sweep in sequence
    Index look = search::first_look;
    JournalLoop turns(run_.journal(), "looks");
    while (!ended() && reflections.sweeps() < budget) {
      turns.keep(run_, reflections, level, look, z, attempt, accepted_, last_misfit_,
                 read_otherwise_, better_reading_, is_exact_);
      const Index swept = reflections.sweeps();
      bool halved = false;
      double last = std::numeric_limits<double>::infinity();
      PhaseStage<F> stage{"reflections"};
      stage.most = std::min(look, budget) - reflections.sweeps();
      stage.has_enough = [&](const auto& now) {
        if (swept + now.row.iteration < 2) return false;
        if (!std::isfinite(level)) level = now.row.objective;
        halved = now.row.objective <= search::halved * search::halved * level;
        const bool falls = now.row.objective < std::exchange(last, now.row.objective);
        return halved || (looks == Look::while_falling && !falls);
      };
      Answered<A> result;
      piece(
          run_.journal(), "sweeps",
          [&] {
            result = run_.stage(stage, [&](const Options& options, const auto& watch) {
              return sequential_raar(reflections, options, watch);
            });
          },
          result, run_, reflections, level, halved);
      level = std::min(level, result.objective);
      last_misfit_ = amplitude_misfit(result.objective, call_.amplitude);
      if (reflections.sweeps() >= look) look *= 2;
      const bool gave_up = looks == Look::while_falling && !halved;
      if (run_.is_over() || gave_up) z = reflections.point();  // as near as it came
      if (gave_up) return;
      F here = reflections.point();
      if (!ended()) pass(call_.sets, false, here);
      if (run_.is_over()) z = std::move(here);
      if (ended() || consider(std::move(here), attempt)) return;
      const bool expected = call_.data >= search::data_under_noise * call_.numbers;
      if (expected && reflections.sweeps() >= search::first_look) read_otherwise(attempt.misfit);
    }
  }

  /// Full steps on the amplitudes from z, until several of them together leave most of the misfit;
  /// the misfit then. Below the exact misfit slow steps are as good as others, and go on until the
  /// error left is below the tolerance.
  double polish(F& z) {
    ErrorLeft error(exact_, run_.tolerance());
    PhaseStage<F> stage{"full steps"};
    stage.tolerance = 0;
    stage.has_enough = [&](const auto& now) {
      const bool first = now.row.iteration == 0;
      error.add(amplitude_misfit(now.row.objective, call_.amplitude),
                first ? 0 : now.row.relative_change);
      if (error.is_exact()) return error.is_small() || error.is_level();
      const std::vector<double>& misfits = error.misfits();
      const std::size_t steps = misfits.size() - 1;
      return steps >= search::judged_steps &&
             misfits.back() > search::slow_steps * misfits[steps - search::judged_steps];
    };
    Answered<A> result = full_steps(call_, stage, std::move(z));
    z = std::move(result.factor);
    is_exact_ = error.is_small();
    return amplitude_misfit(result.objective, call_.amplitude);
  }

  /// Polishes z and keeps it if it is the best of its attempt. True where it is one that was seen
  /// before.
  bool consider(F z, Attempt<F>& attempt) {
    double misfit = last_misfit_;
    if (!is_exact_) misfit = polish(z);
    const bool exact = std::exchange(is_exact_, false);
    const bool seen = attempt.image.size() > 0 && images_.are_same(z, misfit, attempt);
    const bool known = images_.know(z, misfit);
    if (misfit < attempt.misfit) {
      keep(std::move(z), misfit, attempt);
      accepted_ = exact || (!known && accept_noise(attempt));
    }
    // An image beside the right one may leave as little. If so, the next look sees that.
    accepted_ = accepted_ || (seen && attempt.misfit <= exact_);
    return seen || known;
  }

  /// Whether what the image leaves is noise, first roughly, then after full steps on the loss for
  /// that noise.
  bool accept_noise(Attempt<F>& attempt) {
    if (run_.is_over() || call_.data < search::data_under_noise * call_.numbers) return false;
    if (!noise_of(attempt.image).may_be_noise()) return false;
    if (seem_amplitudes(measured().template cast<double>(), call_.op.measured())) {
      read_otherwise(attempt.misfit);
      if (ended()) return false;
    }
    const Attempt<F> before = attempt;
    refine(attempt, search::first_look);
    if (run_.is_over()) return true;
    if (noise_of(attempt.image).are_noise()) {
      if (!run_.has_converged()) refine(attempt);
      return true;
    }
    attempt = before;
    return false;
  }

  /// Full steps on the loss for the noise, or on the one that was asked for, to the end or so many.
  void refine(Attempt<F>& attempt, Index most = std::numeric_limits<Index>::max()) {
    PhaseStage<F> stage{"full steps"};
    stage.most = most;
    if (attempt.refined) {
      stage.loss = attempt.loss;
    } else {
      stage.loss = call_.loss == "auto" ? fitting_loss(call_.op, call_.y, attempt.image)
                                        : pointwise_loss(call_.loss);
    }
    Answered<A> result = full_steps(call_, stage, attempt.image);
    keep(std::move(result.factor), attempt.misfit, attempt);
    attempt.objective = result.objective;
    attempt.loss = stage.loss;
    attempt.refined = true;
    attempt.projected_gradient = result.projected_gradient;
  }

  void keep(F z, double misfit, Attempt<F>& attempt) {
    attempt.image = std::move(z);
    attempt.misfit = misfit;
    attempt.objective = square(misfit * static_cast<double>(norm(call_.amplitude))) / 2;
    run_.note(attempt);
  }

  static double square(double x) { return x * x; }

  double misfit_of(const F& z) const {
    return amplitude_misfit(amplitude_objective(call_.op, call_.amplitude, z), call_.amplitude);
  }

  decltype(auto) measured() const { return copy_to_host(call_.y); }

  NoiseTest noise_of(const F& z) const {
    typename A::Values predicted;
    call_.op.forward(z, predicted);
    return test_noise<Real>(measured(), copy_to_host(predicted),
                            fitted_numbers<typename F::Scalar>(copy_to_host(z)), call_.photon,
                            call_.layout.masks);
  }

  /// The answer ends on the loss for its noise, unless it is exact, or there is nothing to trust in
  /// it.
  void finish(PhaseAnswer<F>& answer) {
    Attempt<F>& attempt = answer.attempt;
    const bool exact = attempt.misfit <= exact_ && call_.loss == "auto";
    const bool trusted = accepted_ || answer.search.found > 1 || !call_.may_restart;
    if (!run_.is_over() && !exact && !attempt.refined && trusted) {
      run_.resume(attempt);
      refine(attempt);
    }
    answer.status = run_.status();
    answer.message =
        exact && !run_.is_over() ? "the estimated error is below the tolerance" : run_.message();
  }

  const PhaseCall<A>& call_;
  PhaseRun<F>& run_;
  double exact_;
  Index products_;
  double last_misfit_ = std::numeric_limits<double>::infinity();
  FoundImages<F> images_;
  bool accepted_ = false, read_otherwise_ = false;
  bool is_exact_ = false;  ///< the image that the last stage ended with
  std::string better_reading_, title_;
};

}  // namespace projfgd
