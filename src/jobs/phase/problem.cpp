#include "jobs/phase/problem.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobs/common/start_file.hpp"
#include "jobs/phase/methods.hpp"
#include "projfgd/constraints/entrywise.hpp"
#include "projfgd/constraints/none.hpp"
#include "projfgd/constraints/within.hpp"
#include "projfgd/measures/image.hpp"
#include "projfgd/operators/coded_diffraction.hpp"
#include "projfgd/operators/rows.hpp"
#include "projfgd/starts/phase.hpp"

namespace projfgd {
namespace {

template <class S>
std::shared_ptr<BlockOperator<S>> make_operator(PhaseData& data) {
  if (data.vectors.size() > 0) return std::make_shared<RowsOperator<S>>(data.vectors.cast<S>());
  const Index n = data.height * data.width;
  if (!data.codes.empty()) {
    const std::vector<S> table(data.table.begin(), data.table.end());
    return std::make_shared<CodedDiffractionOperator<S>>(
        data.height, data.width, Masks<S>(data.patterns, n, std::move(data.codes), table));
  }
  std::vector<S> values(data.values.begin(), data.values.end());
  data.values = {};
  return std::make_shared<CodedDiffractionOperator<S>>(
      data.height, data.width, Masks<S>(data.patterns, n, std::move(values)));
}

bool has_real_masks(const PhaseData& data) {
  const auto is_real = [](std::complex<double> d) { return d.imag() == 0; };
  return data.vectors.size() == 0 &&
         std::ranges::all_of(data.codes.empty() ? data.values : data.table, is_real);
}

/// A mask that was there before, or that lets nothing through, tells nothing new.
Index distinct_masks(const PhaseData& data) {
  const auto n = static_cast<std::size_t>(data.height * data.width);
  const auto count = [&](const auto& values, const auto& dark) {
    std::set<std::string_view> seen;
    for (std::size_t first = 0; first < values.size(); first += n) {
      const auto* begin = values.data() + first;
      if (std::all_of(begin, begin + n, dark)) continue;
      seen.emplace(reinterpret_cast<const char*>(begin), n * sizeof(*begin));
    }
    return static_cast<Index>(seen.size());
  };
  if (data.vectors.size() > 0) return 0;
  if (data.codes.empty()) {
    return count(data.values, [](std::complex<double> d) { return d == 0.0; });
  }
  return count(data.codes, [&](std::uint8_t code) { return data.table[code] == 0.0; });
}

/// Fields of the call that speak of the set, for data divided by unit^2.
template <class S>
void choose_set(const PhaseProblem<S>& problem, double unit, PhaseCall<S>& call) {
  const Index n = problem.op->rows();
  ConstraintSpec spec = problem.set;
  call.unconstrained = spec.name == "none" && problem.support.name == "none";
  if (call.unconstrained) return;
  call.support = make_constraint<S>(problem.support, n);
  const bool ball = spec.name == "l1-ball" || spec.name == "nonnegative-l1";
  call.nonnegative = spec.name == "nonnegative-l1";
  call.holds_nonnegative = spec.name == "none" || spec.name == "real";
  call.unknown_radius = ball && spec.radius == 0;
  if (!call.unknown_radius) {
    spec.radius /= unit;
    call.set = Within(call.support, make_constraint<S>(spec, n));
  }
  if (call.nonnegative) {
    call.each = Within(call.support, Nonnegative{});
  } else if (!ball) {  // whose projection sorts, which is dear beside a transform
    call.each = call.set;
  }
}

template <class S>
Matrix<S> make_start(const BlockOperator<S>& op, const Vector<RealOf<S>>& y,
                     const std::string& init, std::uint64_t seed,
                     const std::function<bool()>& go_on) {
  // With fewer measurements the leading eigenvalue stands out less.
  const Index lanczos_steps = op.measurements() >= 12 * op.rows() ? 6 : 12;
  if (init == start_name::random) return random_phase_start(op, y, seed);
  Matrix<S> z = init == start_name::lanczos
                    ? lanczos_phase_start(op, y, lanczos_steps, seed, go_on)
                    : power_phase_start(op, y, paper_power_iterations, seed, go_on);
  fix_phase(z);  // an eigenvector has any phase, but a projection onto real numbers minds it
  return z;
}

/// Keeps the rows of one attempt, and the losses that belong to them; each attempt begins with an
/// iteration 0.
void keep_attempt(int attempt, std::vector<TraceRow>& trace, std::vector<PointwiseLoss>& losses) {
  std::vector<TraceRow> rows;
  std::vector<PointwiseLoss> kept;
  int now = -1;
  for (std::size_t t = 0; t < trace.size(); ++t) {
    if (trace[t].iteration == 0) ++now;
    if (now != attempt) continue;
    rows.push_back(trace[t]);
    kept.push_back(losses[t]);
  }
  trace = std::move(rows);
  losses = std::move(kept);
}

/// The starts that have a name; empty leaves it to the method.
bool has_named_start(const RunSettings& settings) {
  return settings.init.empty() || is_named_start(settings.init, phase_start_names());
}

/// With the mask of its file, which is one image for all channels.
ConstraintSpec with_image(ConstraintSpec spec, Index n, const PhaseData& data, InputFiles& files) {
  if (!spec.mask.empty()) {
    spec.support =
        read_signal<std::complex<double>>(spec.mask, Dataset::support, n, data, files, {1})
            .cwiseAbs();
  }
  return spec;
}

}  // namespace

template <class S>
void fix_phase(Matrix<S>& z) {
  for (Index c = 0; c < z.cols(); ++c) {
    z.col(c) *= S(std::conj(phase(std::complex<double>(wide(z.col(c)).sum()))));
  }
}

template <class S>
PhaseProblem<S> make_phase_problem(PhaseData data, const PhaseInput& input,
                                   const RunSettings& settings, InputFiles& files) {
  PhaseProblem<S> problem;
  data.distinct = distinct_masks(data);
  data.real_masks = has_real_masks(data);
  const auto op = make_operator<S>(data);
  if (!data.left_out.empty()) op->leave_out(data.left_out);
  problem.op = op;
  const Index n = problem.op->rows();
  if (!settings.constraint.empty()) {
    problem.set = with_image(parse_constraint(settings.constraint), n, data, files);
  }
  if (!input.support.empty()) {
    problem.support = with_image({"support", 0, input.support}, n, data, files);
  }
  if (!data.truth.empty()) {
    InputFiles apart(settings.in_memory);  // the answer does not depend on it
    problem.truth = read_signal<S>(data.truth, Dataset::truth, n, data, apart, {data.channels});
  }
  if (input.target_error > 0 && problem.truth.size() == 0) {
    throw InputError("option target-error: found no truth, expected one to measure the error by");
  }
  if (!has_named_start(settings)) {
    require_start_file(settings.init, phase_start_names(), files);
    problem.start =
        read_signal<S>(settings.init, Dataset::start, n, data, files, {data.channels, 1});
  }
  problem.target_error = input.target_error;
  problem.loss = input.loss;
  problem.data = std::move(data);
  return problem;
}

/// The data are divided by their mean, a power of 4 near it in fact, so that nothing over- or
/// underflows in single precision and scaling the data scales the answer.
template <class S>
PhaseChannel<S> solve_channel(const PhaseProblem<S>& problem, Index c, const RunSettings& settings,
                              const Stopwatch& clock) {
  using Real = RealOf<S>;
  const BlockOperator<S>& op = *problem.op;
  const Index m = op.measurements();
  const Eigen::Map<const Vector<double>> raw(problem.data.intensities.data() + c * m, m);
  const double mean = raw.mean();
  if (mean == 0) {  // a colour that the image does not have
    PhaseChannel<S> dark;
    dark.result.factor = dark.start = Matrix<S>::Zero(op.rows(), 1);
    dark.result.status = Status::converged;
    return dark;
  }
  const double unit = std::exp2(std::floor(std::log2(mean) / 2));
  const Vector<Real> y = (raw / (unit * unit)).template cast<Real>();

  std::vector<TraceRow> trace;
  std::function<double(const Matrix<S>&)> error;
  if (problem.truth.size() > 0) {
    error = [scaled = Matrix<S>(problem.truth.col(c) / static_cast<Real>(unit))](
                const Matrix<S>& z) { return aligned_error(z, scaled); };
  }
  RunObserver<S> observer(settings, error, trace);
  PhaseChannel<S> channel;
  const Vector<Real> amplitude = y.cwiseSqrt();
  PhaseWay way;
  PhaseCall<S> call{op, y, amplitude, way, Unconstrained{}, Unconstrained{}};
  const auto objective_unit = [&] {
    return way.loss == PointwiseLoss::intensity ? std::pow(unit, 4) : unit * unit;
  };
  call.clock = &clock;
  call.go_on = [&] {
    return !is_interrupted(settings.interrupt) && clock.seconds() < settings.options.time_limit;
  };
  const auto watch = [&](const Snapshot<Matrix<S>>& now) {
    Snapshot<Matrix<S>> shown = now;
    shown.row.objective *= objective_unit();
    if (!std::isfinite(shown.row.objective)) shown.row.objective = std::nan("");  // not known
    channel.losses.push_back(way.loss);
    const bool go_on = observer(shown);
    way.reached =
        error && problem.target_error > 0 && trace.back().relative_error <= problem.target_error;
    return go_on && !way.reached;
  };
  choose_set(problem, unit, call);
  call.image = problem.data.height > 1;
  call.loss = problem.loss;
  call.options = options_of(settings);
  call.watch = watch;
  // Patterns without masks are one and the same, and if they differ no start makes them agree.
  const bool hopeless = problem.data.open && problem.data.patterns > 1 &&
                        problem.support.name == "none" && problem.set.name != "support";
  call.may_restart = !hopeless && (settings.init.empty() || settings.init == start_name::random);
  std::vector<Matrix<S>> starts;
  call.start = [&](const std::string& otherwise, int attempt) {
    const std::uint64_t seed =
        settings.options.seed + 0x9E37u * static_cast<std::uint64_t>(attempt);
    Matrix<S> z;
    if (const Matrix<S>& given = problem.start; given.size() > 0) {
      z = given.col(std::min(c, given.cols() - 1)) / static_cast<Real>(unit);
    } else {
      z = make_start(op, y, settings.init.empty() ? otherwise : settings.init, seed, call.go_on);
    }
    op.drop_unseen(z);
    starts.resize(std::max<std::size_t>(starts.size(), attempt + 1u));
    starts[attempt] = z * static_cast<Real>(unit);
    return z;
  };
  Result<Matrix<S>>& result = channel.result = run_phase_method(settings.method, call);
  keep_attempt(way.chosen, trace, channel.losses);
  result.trace = std::move(trace);
  result.objective *= objective_unit();
  result.projected_gradient *= objective_unit() / unit;
  result.seconds = observer.seconds();
  scale(static_cast<Real>(unit), result.factor);
  if (way.reached) {
    result.status = Status::converged;
    result.message = "the relative error asked for was reached";
  } else if (problem.target_error > 0) {
    result.message += "; the relative error asked for was not reached";
  }
  if (!all_finite(result.factor) || !std::isfinite(result.objective)) {
    if (result.status != Status::diverged) result.message = "the iterates are no longer finite";
    result.status = Status::diverged;
  }
  if (!starts.empty()) channel.start = std::move(starts[way.chosen]);
  channel.loss = way.loss;
  channel.attempts = way.attempts;
  channel.confirmed = way.confirmed;
  channel.disputed = way.disputed;
  channel.radius = way.radius * unit;
  channel.radius_passes = way.radius_passes;
  return channel;
}

#define PROJFGD_INSTANTIATE(S)                                                                  \
  template void fix_phase(Matrix<S>&);                                                          \
  template PhaseProblem<S> make_phase_problem(PhaseData, const PhaseInput&, const RunSettings&, \
                                              InputFiles&);                                     \
  template PhaseChannel<S> solve_channel(const PhaseProblem<S>&, Index, const RunSettings&,     \
                                         const Stopwatch&);

PROJFGD_INSTANTIATE(std::complex<float>)
PROJFGD_INSTANTIATE(std::complex<double>)

}  // namespace projfgd
