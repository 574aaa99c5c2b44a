#include "jobs/phase/channel.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "jobs/phase/causes.hpp"
#include "jobs/phase/errors.hpp"
#include "jobs/phase/methods.hpp"
#include "projfgd/constraints/entrywise.hpp"
#include "projfgd/constraints/none.hpp"
#include "projfgd/constraints/within.hpp"
#include "projfgd/measures/image.hpp"
#include "projfgd/starts/phase.hpp"

namespace projfgd {
namespace {

/// The data of one channel divided by unit^2, a power of 4 near their mean, so that nothing over-
/// or underflows in single precision and scaling the data scales the answer.
template <class R>
struct ScaledData {
  double unit = 0;  ///< 0: no light
  Vector<R> y, amplitude;
};

template <class S>
ScaledData<RealOf<S>> scaled_data(const PhaseProblem<S>& problem, Index c) {
  const Index m = problem.op->measurements();
  const Eigen::Map<const Vector<double>> raw(problem.data.intensities.data() + c * m, m);
  const double mean = raw.mean();
  if (mean == 0) return {};
  ScaledData<RealOf<S>> data;
  data.unit = std::exp2(std::floor(std::log2(mean) / 2));
  data.y = (raw / (data.unit * data.unit)).template cast<RealOf<S>>();
  data.amplitude = data.y.cwiseSqrt();
  return data;
}

/// The sets for data in units of unit^2.
template <class S>
PhaseSets<S> sets_of(const PhaseProblem<S>& problem, double unit) {
  const Index n = problem.op->rows();
  ConstraintSpec spec = problem.set;
  PhaseSets<S> sets;
  sets.unconstrained = spec.name == "none" && problem.support.name == "none";
  sets.support = make_constraint<S>(problem.support, n);
  sets.nonnegative_part = Within(sets.support, AnyConstraint<S>(Nonnegative{}));
  sets.holds_nonnegative = spec.name == "none" || spec.name == "real" || spec.name == "l1-ball";
  sets.entrywise = spec.name == "none" || spec.name == "support" || spec.name == "real" ||
                   spec.name == "nonnegative";
  if (sets.unconstrained) return sets;
  const bool ball = spec.name == "l1-ball" || spec.name == "nonnegative-l1";
  sets.nonnegative = spec.name == "nonnegative-l1";
  sets.unknown_radius = ball && spec.radius == 0;
  if (!sets.unknown_radius) {
    spec.radius /= unit;
    sets.set = Within(sets.support, make_constraint<S>(spec, n));
  }
  if (sets.nonnegative) {
    sets.each = Within(sets.support, AnyConstraint<S>(Nonnegative{}));
  } else if (!ball) {  // whose projection sorts, which costs as much as a transform
    sets.each = sets.set;
  }
  return sets;
}

/// Real numbers of an image in the set, were there no l1 ball.
template <class S>
double numbers_of(const PhaseProblem<S>& problem) {
  Matrix<S> inside = Matrix<S>::Ones(problem.op->rows(), 1);
  problem.op->drop_unseen(inside);
  for (const ConstraintSpec& set : {problem.support, problem.set}) {
    if (set.name == "support") make_constraint<S>(set, inside.rows()).project(inside);
  }
  const auto pixels = static_cast<double>((inside.array() != S(0)).count());
  return is_real_set(problem.set.name) ? pixels : 2 * pixels;
}

template <class S>
Matrix<S> named_start(const PhaseCall<S>& call, const std::string& name, std::uint64_t seed) {
  // With fewer measurements the leading eigenvalue stands out less.
  const Index lanczos_steps = call.op.measurements() >= 12 * call.op.rows() ? 6 : 12;
  if (name == start_name::random) return random_phase_start(call.op, call.y, seed);
  call.run.announce("power iterations for the start");
  const auto go_on = [&] { return call.run.may_go_on(); };
  Matrix<S> z = name == start_name::lanczos
                    ? lanczos_phase_start(call.op, call.y, lanczos_steps, seed, go_on)
                    : power_phase_start(call.op, call.y, paper_power_iterations, seed, go_on);
  fix_phase(z);  // an eigenvector has any phase, but a projection onto real numbers minds it
  return z;
}

/// The start that was asked for is that of the first attempt; later ones begin anywhere.
template <class S>
Matrix<S> start_of(const PhaseProblem<S>& problem, Index c, const RunSettings& settings,
                   const PhaseCall<S>& call, const std::string& otherwise, int attempt) {
  const std::uint64_t seed = settings.options.seed + 0x9E37u * static_cast<std::uint64_t>(attempt);
  Matrix<S> z;
  if (const Matrix<S>& given = problem.start; given.size() > 0 && attempt == 0) {
    z = given.col(std::min(c, given.cols() - 1)) / static_cast<RealOf<S>>(call.run.unit());
  } else if (attempt == 0 && !settings.init.empty()) {
    z = named_start(call, settings.init, seed);
  } else {
    z = named_start(call, attempt == 0 ? otherwise : start_name::random, seed);
  }
  call.op.drop_unseen(z);
  return z;
}

template <class S>
void describe_data(const PhaseProblem<S>& problem, const PhaseRun<S>& run, PhaseCall<S>& call) {
  const PhaseData& data = problem.data;
  const bool real_image = is_real_set(problem.set.name);
  call.data = static_cast<double>(different_data(problem, real_image));
  call.numbers = numbers_of(problem);
  call.photon = photon_unit(data.intensities) / (run.unit() * run.unit());
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
template <class S>
void undo_scaling(const PhaseRun<S>& run, PhaseAnswer<S>& answer) {
  const double unit = run.unit();
  Attempt<S>& attempt = answer.attempt;
  const double objective_unit = run.objective_unit(attempt.loss);
  attempt.objective *= objective_unit;
  attempt.projected_gradient *= objective_unit / unit;
  answer.radius *= unit;
  scale(static_cast<RealOf<S>>(unit), attempt.image);
  if (attempt.start.size() > 0) scale(static_cast<RealOf<S>>(unit), attempt.start);
}

}  // namespace

template <class S>
void fix_phase(Matrix<S>& z) {
  for (Index c = 0; c < z.cols(); ++c) {
    z.col(c) *= S(std::conj(phase(std::complex<double>(wide(z.col(c)).sum()))));
  }
}

template <class S>
Index different_data(const PhaseProblem<S>& problem, bool real_image) {
  const PhaseData& data = problem.data;
  const Index measured = problem.op->measured();
  const Index all =
      data.distinct > 0 ? std::min(measured, data.distinct * problem.op->rows()) : measured;
  return data.real_masks && real_image ? (all + 1) / 2 : all;
}

template <class S>
PhaseAnswer<S> solve_channel(const PhaseProblem<S>& problem, Index c, const RunSettings& settings,
                             Stopwatch& clock) {
  const ScaledData<RealOf<S>> data = scaled_data(problem, c);
  if (data.unit == 0) {  // a colour that the image does not have
    PhaseAnswer<S> dark;
    dark.attempt.image = dark.attempt.start = Matrix<S>::Zero(problem.op->rows(), 1);
    dark.search.accepted = true;
    return dark;
  }
  std::function<double(const Matrix<S>&)> error;
  if (problem.truth.size() > 0) {
    error = [truth = Matrix<S>(problem.truth.col(c) / static_cast<RealOf<S>>(data.unit))](
                const Matrix<S>& z) { return aligned_error(z, truth); };
  }
  PhaseRun<S> run(settings, std::move(error), problem.target_error, data.unit, clock,
                  problem.stage);
  run.keep_also([&](Archive& archive) { problem.op->keep_products(archive); });
  PhaseCall<S> call{*problem.op, data.y, data.amplitude, run, sets_of(problem, data.unit)};
  describe_data(problem, run, call);
  call.start = [&](const std::string& otherwise, int attempt) {
    return start_of(problem, c, settings, call, otherwise, attempt);
  };
  PhaseAnswer<S> answer = run_phase_method(settings.method, call);
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
  return answer;
}

#define PROJFGD_INSTANTIATE(S)                                                             \
  template void fix_phase(Matrix<S>&);                                                     \
  template Index different_data(const PhaseProblem<S>&, bool);                             \
  template PhaseAnswer<S> solve_channel(const PhaseProblem<S>&, Index, const RunSettings&, \
                                        Stopwatch&);

PROJFGD_INSTANTIATE(std::complex<float>)
PROJFGD_INSTANTIATE(std::complex<double>)
#undef PROJFGD_INSTANTIATE

}  // namespace projfgd
