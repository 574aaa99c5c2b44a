#include "projfgd/jobs/phase.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "phase_data.hpp"
#include "phase_methods.hpp"
#include "phase_report.hpp"
#include "projfgd/constraints/entrywise.hpp"
#include "projfgd/constraints/none.hpp"
#include "projfgd/constraints/within.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/memory.hpp"
#include "projfgd/core/threads.hpp"
#include "projfgd/jobs/constraints.hpp"
#include "projfgd/losses/least_squares.hpp"
#include "projfgd/losses/pointwise.hpp"
#include "projfgd/measures/image.hpp"
#include "projfgd/operators/coded_diffraction.hpp"
#include "projfgd/operators/rows.hpp"
#include "projfgd/solvers/phase_automatic.hpp"
#include "projfgd/starts/phase.hpp"

namespace projfgd {
namespace {

template <class S>
using Shared = std::shared_ptr<const BlockOperator<S>>;

/// A shared operator as one that can be copied.
template <class S>
struct OperatorHandle {
  using Factor = Matrix<S>;
  using Real = RealOf<S>;
  Shared<S> op;
  Index rows() const { return op->rows(); }
  Index measurements() const { return op->measurements(); }
  void forward(const Factor& u, Vector<Real>& y) const { op->forward(u, y); }
  void forward(const Factor& u, const Factor& d, Vector<Real>& y) const { op->forward(u, d, y); }
  void adjoint_times(const Vector<Real>& w, const Factor& v, Factor& g) const {
    op->adjoint_times(w, v, g);
  }
};

template <class S>
Shared<S> make_operator(PhaseData& data) {
  const Index n = data.height * data.width;
  if (data.vectors.size() > 0) return std::make_shared<RowsOperator<S>>(data.vectors.cast<S>());
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

/// Fields of the call that speak of the set, for data divided by unit^2.
template <class S>
void choose_set(const std::string& name, const std::filesystem::path& support, Index n, double unit,
                PhaseCall<S>& call) {
  ConstraintSpec spec = parse_constraint(name.empty() ? "none" : name);
  call.unconstrained = spec.name == "none" && support.empty();
  if (call.unconstrained) return;
  if (!support.empty()) call.support = make_constraint<S>({"support", 0, support}, n);
  const bool ball = spec.name == "l1-ball" || spec.name == "nonnegative-l1";
  call.nonnegative = spec.name == "nonnegative-l1";
  call.unknown_radius = ball && name == spec.name;
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

/// Turns each column so that its sum is real and positive, the phase that images have.
template <class S>
void fix_phase(Matrix<S>& z) {
  for (Index c = 0; c < z.cols(); ++c) z.col(c) *= std::conj(phase(S(z.col(c).sum())));
}

template <class S>
Matrix<S> make_start(const BlockOperator<S>& op, const Vector<RealOf<S>>& y,
                     const std::string& init, double unit, int attempt, const RunSettings& settings,
                     const std::function<bool()>& go_on) {
  const std::uint64_t seed = settings.options.seed + 0x9E37u * static_cast<std::uint64_t>(attempt);
  constexpr Index power_iterations = 50;
  // With fewer measurements the leading eigenvalue stands out less.
  const Index lanczos_steps = op.measurements() >= 12 * op.rows() ? 6 : 12;
  if (init == "random") return random_phase_start(op, y, seed);
  Matrix<S> z;
  if (init == "spectral") {
    z = power_phase_start(op, y, power_iterations, seed, go_on);
  } else if (init == "lanczos") {
    z = lanczos_phase_start(op, y, lanczos_steps, seed, go_on);
  } else {
    z = read_signal<S>(settings, init, op.rows());
    scale(static_cast<RealOf<S>>(1 / unit), z);
    return z;
  }
  fix_phase(z);  // an eigenvector has any phase, but a projection onto real numbers minds it
  return z;
}

template <class S>
struct Channel {
  Result<Matrix<S>> result = {};
  Matrix<S> start = {};
  PointwiseLoss loss = PointwiseLoss::amplitude;  ///< of the objective
  int attempts = 1;
  double radius = 0;  ///< of the l1 ball, where it was to be found
};

/// The rows of one attempt; each begins with an iteration 0.
std::vector<TraceRow> rows_of(const std::vector<TraceRow>& trace, int attempt) {
  std::vector<TraceRow> rows;
  int now = -1;
  for (const TraceRow& row : trace) {
    if (row.iteration == 0) ++now;
    if (now == attempt) rows.push_back(row);
  }
  return rows;
}

/// Solves for one channel. The data are divided by their mean, a power of 4 near it in fact, so
/// that nothing over- or underflows in single precision and scaling the data scales the answer.
template <class S>
Channel<S> solve_channel(const BlockOperator<S>& op, const double* intensities,
                         const PhaseData& data, const Matrix<S>* truth, const PhaseInput& input,
                         const RunSettings& settings, const Stopwatch& clock) {
  using Real = RealOf<S>;
  const Index m = op.measurements();
  const Eigen::Map<const Vector<double>> raw(intensities, m);
  const double mean = raw.mean();
  if (mean == 0) {  // a colour that the image does not have
    Channel<S> dark;
    dark.result.factor = dark.start = Matrix<S>::Zero(op.rows(), 1);
    dark.result.status = Status::converged;
    return dark;
  }
  const double unit = std::exp2(std::floor(std::log2(mean) / 2));
  const Vector<Real> y = (raw / (unit * unit)).template cast<Real>();

  std::vector<TraceRow> trace;
  std::function<double(const Matrix<S>&)> error;
  if (truth != nullptr) {
    error = [scaled = Matrix<S>(*truth / static_cast<Real>(unit))](const Matrix<S>& z) {
      return aligned_error(z, scaled);
    };
  }
  RunObserver<S> observer(settings, error, trace);
  Channel<S> channel;
  PhaseCall<S> call{op, y, y.cwiseSqrt(), channel.loss, Unconstrained{}, Unconstrained{}};
  const auto objective_unit = [&] {
    return channel.loss == PointwiseLoss::intensity ? std::pow(unit, 4) : unit * unit;
  };
  call.clock = &clock;
  call.go_on = [&] {
    return !is_interrupted(settings.interrupt) && clock.seconds() < settings.options.time_limit;
  };
  const auto watch = [&](const Snapshot<Matrix<S>>& now) {
    Snapshot<Matrix<S>> shown = now;
    shown.row.objective *= objective_unit();
    const bool go_on = observer(shown);
    call.reached = error && trace.back().relative_error <= input.target_error;
    return go_on && !call.reached;
  };
  choose_set(settings.constraint, input.support, op.rows(), unit, call);
  call.image = data.height > 1;
  call.loss = input.loss;
  call.options = settings.options;
  call.watch = watch;
  call.may_restart = settings.init.empty() || settings.init == "random";
  std::vector<Matrix<S>> starts;
  call.start = [&](const std::string& otherwise, int attempt) {
    const std::string& init = settings.init.empty() ? otherwise : settings.init;
    Matrix<S> z = make_start(op, y, init, unit, attempt, settings, call.go_on);
    op.drop_unseen(z);
    starts.resize(std::max<std::size_t>(starts.size(), attempt + 1u));
    starts[attempt] = z * static_cast<Real>(unit);
    return z;
  };
  Result<Matrix<S>>& result = channel.result = run_phase_method(settings.method, call);
  result.trace = rows_of(trace, call.chosen);
  result.objective *= objective_unit();
  result.projected_gradient *= objective_unit() / unit;
  result.seconds = observer.seconds();
  scale(static_cast<Real>(unit), result.factor);
  if (call.reached) {
    result.status = Status::converged;
    result.message = "the relative error asked for was reached";
  }
  if (!all_finite(result.factor) || !std::isfinite(result.objective)) {
    result.status = Status::diverged;
    result.message = "the iterates are no longer finite";
  }
  if (!starts.empty()) channel.start = std::move(starts[call.chosen]);
  channel.attempts = call.attempts;
  channel.radius = call.radius * unit;
  return channel;
}

/// Moduli, and those of the error after the best turn of each channel.
template <class S>
PhaseImages images_of(const PhaseData& data, const Matrix<S>& found, const Matrix<S>& start,
                      const Matrix<S>& truth) {
  const auto moduli = [](const Matrix<S>& z) {
    return Matrix<double>(z.cwiseAbs().template cast<double>());
  };
  PhaseImages images{data.patterns, data.height, data.width};
  images.found = moduli(found);
  images.start = moduli(start);
  images.truth = moduli(truth);
  if (truth.size() > 0) images.error = moduli(aligned(found, truth) - truth);
  return images;
}

/// What a user should know before trusting the answer.
Json warnings_of(const RunSettings& settings, const PhaseInput& input, const PhaseData& data,
                 double misfit) {
  constexpr double far = 0.15;
  Json warnings = Json::array();
  const std::string set =
      parse_constraint(settings.constraint.empty() ? "none" : settings.constraint).name;
  const bool support = !input.support.empty() || set == "support";
  if ((support || set != "none") && !phase_method_has_sets(settings.method)) {
    warnings.push_back(
        fmt::format("method {} knows no set: the one given was not used", settings.method));
  }
  if (data.codes_as_numbers) {
    warnings.push_back(
        "the masks are whole numbers from 0 up, as codes are, and were taken as they stand: "
        "--mask-values names the table of what codes mean");
  }
  if (data.open && data.patterns == 1 && !support) {
    warnings.push_back(
        "one pattern without masks does not tell one image from another: give its --masks, or a "
        "--support around the image");
  }
  if (misfit > far) {
    const char* cause = !data.open ? "more patterns, a set or another seed may help"
                        : data.patterns > 1
                            ? "no masks were given, so that every pattern should be the same: the "
                              "likely cause is --masks left out"
                            : "no masks were given: the likely cause is --masks left out, or a "
                              "--support that does not hold the image";
    warnings.push_back(
        fmt::format("the answer leaves {:.0f}% of the amplitudes unexplained: unless the data are "
                    "that noisy it is wrong; {}",
                    100 * misfit, cause));
  }
  return warnings;
}

template <class S>
RunRecord solve(PhaseData data, const PhaseInput& input, const RunSettings& settings,
                const InputFiles& files, const Stopwatch& watch) {
  const Index n = data.vectors.size() > 0 ? data.vectors.cols() : data.height * data.width;
  const Index m = data.vectors.size() > 0 ? data.vectors.rows() : n * data.patterns;
  const double per_entry = sizeof(RealOf<S>) * 2 + sizeof(S) * 2;
  require_memory(per_entry * static_cast<double>(m) + 30.0 * sizeof(S) * static_cast<double>(n),
                 fmt::format("phase retrieval of {} unknowns from {} intensities", n, m));
  set_threads(settings.threads);
  const Shared<S> op = make_operator<S>(data);
  Matrix<S> truth;
  if (!data.truth.empty()) truth = read_signal<S>(settings, data.truth, n, data.channels);
  Matrix<S> seen = Matrix<S>::Ones(n, 1);
  op->drop_unseen(seen);
  const Index unseen = (seen.array() == S(0)).count();
  const double setup = watch.seconds();

  Answer<S> answer;
  Matrix<S> found(n, data.channels), start;
  PointwiseLoss loss = PointwiseLoss::amplitude;
  double misfit = 0;
  int attempts = 1;
  if (std::ranges::all_of(data.intensities, [](double y) { return y == 0; })) {
    throw InputError("intensities: found none above 0, expected a pattern with light in it");
  }
  Json radii = Json::array();
  const Stopwatch clock;  // of the time limit, for all channels together
  for (Index c = 0; c < data.channels; ++c) {
    const Matrix<S> column = truth.size() > 0 ? Matrix<S>(truth.col(c)) : Matrix<S>();
    const double* intensities = data.intensities.data() + c * m;
    Channel<S> channel = solve_channel(*op, intensities, data, truth.size() > 0 ? &column : nullptr,
                                       input, settings, clock);
    Result<Matrix<S>>& result = channel.result;
    found.col(c) = result.factor.col(0);
    if (channel.start.size() > 0) {
      start.conservativeResize(n, c + 1);
      start.col(c) = channel.start.col(0);
    }
    loss = channel.loss;
    attempts = std::max(attempts, channel.attempts);
    if (channel.radius > 0) radii.push_back(channel.radius);
    if (c > 0) {
      result = joined(answer.result, std::move(result));
      if (answer.result.status != Status::converged || result.message.empty()) {
        result.status = answer.result.status;
        result.message = answer.result.message;
      }
    }
    answer.result = std::move(result);
  }
  const Index transforms = op->products();
  if (all_finite(found)) {
    for (Index c = 0; c < data.channels; ++c) {
      const Eigen::Map<const Vector<double>> y(data.intensities.data() + c * m, m);
      if (y.maxCoeff() == 0) continue;  // a dark channel
      const Vector<RealOf<S>> amplitude = y.cwiseSqrt().template cast<RealOf<S>>();
      misfit = std::max(misfit, amplitude_misfit(*op, amplitude, Matrix<S>(found.col(c))));
    }
  }
  fix_phase(found);
  answer.result.factor = found;

  // The record of every job is made from a Problem; the loss in it is not used.
  Problem<S> problem{OperatorHandle<S>{op}, LeastSquares<RealOf<S>>(Vector<RealOf<S>>()),
                     Unconstrained{}, 1};
  RunRecord record = make_record(problem, settings, std::move(answer), setup, files);
  record.summary["rank"] = 1;
  const Index passes = transforms / op->blocks();  // half of them forward, half of them back
  record.summary["forward_calls"] = (passes + 1) / 2;
  record.summary["adjoint_calls"] = passes / 2;
  if (data.vectors.size() == 0) record.summary["transforms"] = transforms;
  record.summary["patterns"] = data.patterns;
  record.summary["shape"] = {data.height, data.width};
  record.summary["channels"] = data.channels;
  if (unseen > 0) record.summary["unseen_pixels"] = unseen;
  record.summary["loss"] = to_string(loss);
  record.summary["misfit"] = misfit;
  if (attempts > 1) record.summary["attempts"] = attempts;
  if (!radii.empty()) record.summary["radius"] = radii.size() == 1 ? radii.front() : radii;
  const Json warnings = warnings_of(settings, input, data, misfit);
  if (!warnings.empty()) record.summary["warnings"] = warnings;
  record.summary["constraint"] = settings.constraint.empty() ? "none" : settings.constraint;
  if (truth.size() > 0) {
    record.summary["relative_error"] = aligned_error(found, truth);
    record.summary["psnr"] = psnr(found, truth);
  }
  Array signal = to_array(found);
  signal.shape = data.channels == 1 ? std::vector<Index>{data.height, data.width}
                                    : std::vector<Index>{data.height, data.width, data.channels};
  record.files.emplace_back("signal.npy", npy_bytes(signal));
  PhaseImages images = images_of(data, found, start, truth);
  const double white = std::max(images.found.maxCoeff(), 1e-300);
  record.files.emplace_back("image.png",
                            png_bytes(to_image(images.found, data.height, data.width, white), 16));
  record.report = phase_report(std::move(images));
  return record;
}

}  // namespace

RunRecord run_phase(const PhaseInput& input, const RunSettings& settings) {
  const Stopwatch watch;
  validate(settings.options);
  if (settings.rank > 1) {
    throw InputError(fmt::format("rank: found {}, expected 1 for phase retrieval", settings.rank));
  }
  if (input.loss != "auto") pointwise_loss(input.loss);
  InputFiles files(settings);
  PhaseData data = read_phase_data(input, settings.truth, files);
  if (settings.single_precision) {
    return solve<std::complex<float>>(std::move(data), input, settings, files, watch);
  }
  return solve<std::complex<double>>(std::move(data), input, settings, files, watch);
}

}  // namespace projfgd
