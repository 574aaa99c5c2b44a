// The steps of solve_channel() for the operator of any place.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include "jobs/common/constraint_table.hpp"
#include "jobs/phase/causes.hpp"
#include "jobs/phase/channel.hpp"
#include "jobs/phase/errors.hpp"
#include "jobs/phase/methods.hpp"
#include "projfgd/constraints/entrywise.hpp"
#include "projfgd/constraints/none.hpp"
#include "projfgd/constraints/within.hpp"
#include "projfgd/core/intensities.hpp"
#include "projfgd/measures/image.hpp"
#include "projfgd/starts/phase.hpp"

namespace projfgd {

/// The data of one channel divided by unit^2, a power of 4 near their mean, so that nothing over-
/// or underflows in single precision and scaling the data scales the answer.
template <class R>
struct ScaledData {
  double unit = 0;  ///< 0: no light
  Vector<R> y;
};

template <class S>
ScaledData<RealOf<S>> scaled_data(const PhaseProblem<S>& problem, Index c) {
  using R = RealOf<S>;
  const Index m = problem.op->measurements();
  const double* const raw = problem.data.intensities.data() + c * m;
  const double mean = sum_entries(element::Itself{}, m, raw) / static_cast<double>(m);
  if (mean == 0) return {};
  ScaledData<R> data;
  data.unit = std::exp2(std::floor(std::log2(mean) / 2));
  data.y.resize(m);
  const double square = data.unit * data.unit;
  for_chunks(m, [&, y = data.y.data()](Index begin, Index count) {
    for (Index i = begin; i < begin + count; ++i) y[i] = static_cast<R>(raw[i] / square);
  });
  return data;
}

/// The sets for data in units of unit^2.
template <class A, class S>
PhaseSets<A> sets_of(const PhaseProblem<S>& problem, double unit) {
  const Index n = problem.op->rows();
  ConstraintSpec spec = problem.set;
  PhaseSets<A> sets;
  const auto named = [n](const ConstraintSpec& set) -> SetOf<A> {
    AnyConstraint<S> here = make_constraint<S>(set, n);  // which refuses what is no set
    if constexpr (std::is_same_v<typename A::Place, Host>) {
      return here;
    } else {
      return constraint_in<S, typename A::Place>(set, n).value();
    }
  };
  sets.unconstrained = spec.name == "none" && problem.support.name == "none";
  sets.support = named(problem.support);
  sets.holds_nonnegative = spec.name == "none" || spec.name == "real" || spec.name == "l1-ball";
  sets.entrywise = spec.name == "none" || spec.name == "support" || spec.name == "real" ||
                   spec.name == "nonnegative";
  if (sets.unconstrained) return sets;
  const bool ball = spec.name == "l1-ball" || spec.name == "nonnegative-l1";
  sets.nonnegative = spec.name == "nonnegative-l1";
  sets.unknown_radius = ball && spec.radius == 0;
  if (!sets.unknown_radius) {
    spec.radius /= unit;
    sets.set = Within(sets.support, named(spec));
  }
  if (sets.nonnegative) {
    sets.each = Within(sets.support, SetOf<A>(Nonnegative{}));
  } else if (!ball) {  // whose projection sorts, which costs as much as a transform
    sets.each = sets.set;
  }
  return sets;
}

template <class A>
ImageOf<A> named_start(const PhaseCall<A>& call, const std::string& name, std::uint64_t seed) {
  // With fewer measurements the leading eigenvalue stands out less.
  const Index lanczos_steps = call.op.measurements() >= 12 * call.op.rows() ? 6 : 12;
  if (name == start_name::random) return random_phase_start(call.op, call.y, seed);
  call.run.announce("power iterations for the start");
  const auto go_on = [&] { return call.run.may_go_on(); };
  ImageOf<A> z = name == start_name::lanczos
                     ? lanczos_phase_start(call.op, call.y, lanczos_steps, seed, go_on)
                     : power_phase_start(call.op, call.y, paper_power_iterations, seed, go_on);
  Matrix<typename A::Scalar> turned = copy_to_host(z);
  fix_phase(turned);  // an eigenvector has any phase, but a projection onto real numbers minds it
  copy_from_host(turned, z);
  return z;
}

/// The start that was asked for is that of the first attempt; later ones begin anywhere.
template <class A, class S>
ImageOf<A> start_of(const PhaseProblem<S>& problem, Index c, const RunSettings& settings,
                    const PhaseCall<A>& call, const std::string& otherwise, int attempt) {
  const std::uint64_t seed = settings.options.seed + 0x9E37u * static_cast<std::uint64_t>(attempt);
  ImageOf<A> z;
  if (const Matrix<S>& given = problem.start; given.size() > 0 && attempt == 0) {
    const auto unit = static_cast<RealOf<S>>(call.run.unit());
    copy_from_host(Matrix<S>(given.col(std::min(c, given.cols() - 1)) / unit), z);
  } else if (attempt == 0 && !settings.init.empty()) {
    z = named_start(call, settings.init, seed);
  } else {
    z = named_start(call, attempt == 0 ? otherwise : start_name::random, seed);
  }
  call.op.drop_unseen(z);
  return z;
}

template <class A, class S>
void describe_data(const PhaseProblem<S>& problem, const PhaseRun<ImageOf<A>>& run,
                   PhaseCall<A>& call) {
  const PhaseData& data = problem.data;
  const bool real_image = is_real_set(problem.set.name);
  call.data = static_cast<double>(different_data(problem, real_image));
  call.numbers = problem.numbers;
  const double pixels = real_image ? problem.numbers : problem.numbers / 2;
  call.data_a_pixel = static_cast<double>(different_data(problem, true)) / pixels;
  call.photon = problem.photon / (run.unit() * run.unit());
  call.fourier = data.vectors.size() == 0;
  call.layout = {.height = data.height,
                 .width = data.width,
                 .masks = !data.open,
                 .conjugated = data.conjugated,
                 .centred = data.centred,
                 .signs_matter = real_image || problem.has_support()};
  call.loss = problem.loss;
  call.given_start = problem.start.size() > 0;
  // Patterns without masks are one and the same, and if they differ no start makes them agree.
  call.may_restart = !(data.open && data.patterns > 1 && !problem.has_support());
}

/// From units of the scaled data to those of the data.
template <class F>
void undo_scaling(const PhaseRun<F>& run, PhaseAnswer<F>& answer) {
  const double unit = run.unit();
  Attempt<F>& attempt = answer.attempt;
  const double objective_unit = run.objective_unit(attempt.loss);
  attempt.objective *= objective_unit;
  attempt.projected_gradient *= objective_unit / unit;
  answer.radius *= unit;
  scale(static_cast<RealOf<F>>(unit), attempt.image);
  if (attempt.start.size() > 0) scale(static_cast<RealOf<F>>(unit), attempt.start);
}

/// Numbers of the host as those of a place.
template <class There, class Here>
There moved_to(Here here) {
  if constexpr (std::is_same_v<There, Here>) {
    return here;
  } else {
    There there;
    copy_from_host(here, there);
    return there;
  }
}

template <class F>
PhaseAnswer<Matrix<typename F::Scalar>> on_the_host(PhaseAnswer<F> there) {
  if constexpr (std::is_same_v<F, Matrix<typename F::Scalar>>) {
    return there;
  } else {
    Attempt<F>& found = there.attempt;
    return {{copy_to_host(found.start), std::move(found.method), std::move(found.trace),
             copy_to_host(found.image), found.misfit, found.objective, found.loss, found.refined,
             found.projected_gradient, found.iterations, found.transforms},
            there.status,
            std::move(there.message),
            there.seconds,
            std::move(there.search),
            there.radius,
            there.radius_passes,
            there.forward,
            there.adjoint};
  }
}

/// Runs settings.method on channel c with products of `op`, which has the problem in its place.
template <class A, class S>
PhaseAnswer<Matrix<S>> solve_channel_with(const A& op, const PhaseProblem<S>& problem, Index c,
                                          const RunSettings& settings, Stopwatch& clock) {
  using F = ImageOf<A>;
  ScaledData<RealOf<S>> data = scaled_data(problem, c);
  if (data.unit == 0) {  // a colour that the image does not have
    PhaseAnswer<Matrix<S>> dark;
    dark.attempt.image = dark.attempt.start = Matrix<S>::Zero(problem.op->rows(), 1);
    dark.search.accepted = true;
    return dark;
  }
  // Those of other methods and channels, of which a run that is resumed may have done none.
  Index forward_before = op.forward_products(), adjoint_before = op.adjoint_products();
  std::function<double(const F&)> error;
  if (problem.truth.size() > 0) {
    F truth;
    copy_from_host(Matrix<S>(problem.truth.col(c) / static_cast<RealOf<S>>(data.unit)), truth);
    error = [truth = std::move(truth)](const F& z) { return aligned_error(z, truth); };
  }
  const auto y = moved_to<typename A::Values>(std::move(data.y));
  typename A::Values amplitude;
  map_values(amplitude, element::SquareRoot{}, y);
  PhaseRun<F> run(settings, std::move(error), problem.target_error, data.unit, clock,
                  problem.stage);
  run.keep_also([&](Archive& archive) {
    op.keep_products(archive);
    archive(forward_before, adjoint_before);
  });
  PhaseCall<A> call{op, y, amplitude, run, sets_of<A>(problem, data.unit)};
  describe_data(problem, run, call);
  call.start = [&](const std::string& otherwise, int attempt) {
    return start_of(problem, c, settings, call, otherwise, attempt);
  };
  PhaseAnswer<F> answer = run_phase_method(settings.method, call);
  answer.seconds = run.seconds();
  undo_scaling(run, answer);
  answer.search.reached_target = run.reached_target();
  if (problem.target_error > 0 && !run.reached_target()) {
    answer.message += "; the target error was not reached";
  }
  if (!all_finite(answer.attempt.image) || !std::isfinite(answer.attempt.objective)) {
    if (answer.status != Status::diverged) answer.message = "the iterates are no longer finite";
    answer.status = Status::diverged;
  }
  answer.forward = op.forward_products() - forward_before;
  answer.adjoint = op.adjoint_products() - adjoint_before;
  return on_the_host(std::move(answer));
}

}  // namespace projfgd
