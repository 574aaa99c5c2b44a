#include "projfgd/jobs/phase.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "phase_data.hpp"
#include "phase_methods.hpp"
#include "projfgd/constraints/entrywise.hpp"
#include "projfgd/constraints/none.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/memory.hpp"
#include "projfgd/core/threads.hpp"
#include "projfgd/io/png.hpp"
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
void choose_set(const std::string& name, Index n, double unit, PhaseCall<S>& call) {
  call.unconstrained = name.empty() || name == "none";
  if (call.unconstrained) return;
  if (name == "l1-ball" || name == "nonnegative-l1") {
    call.unknown_radius = true;
    call.nonnegative = name != "l1-ball";
    if (call.nonnegative) call.each = Nonnegative{};
    return;
  }
  ConstraintSpec spec = parse_constraint(name);
  spec.radius /= unit;
  call.set = make_constraint<S>(spec, n);
  if (spec.name == "nonnegative-l1") {
    call.each = Nonnegative{};
  } else if (spec.name != "l1-ball") {  // its projection sorts, which is dear beside a transform
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
                     const std::string& init, double unit, const RunSettings& settings) {
  const std::uint64_t seed = settings.options.seed;
  constexpr Index power_iterations = 50, lanczos_steps = 6;
  if (init == "random") return random_phase_start(op, y, seed);
  Matrix<S> z;
  if (init == "spectral") {
    z = power_phase_start(op, y, power_iterations, seed);
  } else if (init == "lanczos") {
    z = lanczos_phase_start(op, y, lanczos_steps, seed);
  } else {
    z = read_signal<S>(settings, init, op.rows());
    scale(static_cast<RealOf<S>>(1 / unit), z);
    return z;
  }
  fix_phase(z);  // an eigenvector has any phase, but a projection onto real numbers minds it
  return z;
}

/// Solves for one channel. The data are divided by their mean, a power of 4 near it in fact, so
/// that nothing over- or underflows in single precision and scaling the data scales the answer.
template <class S>
Result<Matrix<S>> solve_channel(const BlockOperator<S>& op, const double* intensities,
                                const PhaseData& data, const Matrix<S>* truth,
                                const PhaseInput& input, const RunSettings& settings) {
  using Real = RealOf<S>;
  const Index m = op.measurements();
  const Eigen::Map<const Vector<double>> raw(intensities, m);
  const double mean = raw.mean();
  if (!(mean > 0) || !std::isfinite(mean)) {
    throw InputError("intensities: found none above 0, expected a pattern with light in it");
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
  const bool squared = input.loss == "intensity" || settings.method == "wirtinger-flow" ||
                       settings.method == "paper-projfgd" || settings.method == "phaselift" ||
                       (settings.method == "projfgd" && input.loss == "auto");
  const double objective_unit = squared ? std::pow(unit, 4) : unit * unit;
  bool reached = false;
  const auto watch = [&](const Snapshot<Matrix<S>>& now) {
    Snapshot<Matrix<S>> shown = now;
    shown.row.objective *= objective_unit;
    const bool go_on = observer(shown);
    reached = error && trace.back().relative_error <= input.target_error;
    return go_on && !reached;
  };
  PhaseCall<S> call{op, y, y.cwiseSqrt(), Unconstrained{}, Unconstrained{}};
  choose_set(settings.constraint, op.rows(), unit, call);
  call.image = data.height > 1;
  call.loss = input.loss;
  call.options = settings.options;
  call.watch = watch;
  call.start = [&](const std::string& otherwise) {
    const std::string& init = settings.init.empty() ? otherwise : settings.init;
    Matrix<S> z = make_start(op, y, init, unit, settings);
    op.drop_unseen(z);
    return z;
  };
  Result<Matrix<S>> result = run_phase_method(settings.method, call);
  result.trace = std::move(trace);
  result.objective *= objective_unit;
  result.seconds = observer.seconds();
  scale(static_cast<Real>(unit), result.factor);
  if (reached) {
    result.status = Status::converged;
    result.message = "the relative error asked for was reached";
  }
  if (!all_finite(result.factor) || !std::isfinite(result.objective)) {
    result.status = Status::diverged;
    result.message = "the iterates are no longer finite";
  }
  return result;
}

/// |z| from 0 to its largest value, gray or colour.
template <class S>
Image picture(const Matrix<S>& z, Index height, Index width) {
  Image image{height, width, z.cols() == 3 ? 3 : 1, {}};
  const double top = std::max<double>(z.cwiseAbs().maxCoeff(), 1e-300);
  image.values.resize(static_cast<std::size_t>(z.rows() * image.channels));
  for (Index i = 0; i < z.rows(); ++i) {
    for (Index c = 0; c < image.channels; ++c) {
      image.values[i * image.channels + c] = static_cast<double>(std::abs(z(i, c))) / top;
    }
  }
  return image;
}

/// What only this job adds to the report: the image, beside the truth where that is known.
template <class S>
std::function<void(Report&)> report_images(const PhaseData& data, const Matrix<S>& found,
                                           const Matrix<S>& truth) {
  const auto shown = [&](const char* title, const char* caption, const Matrix<S>& z) {
    return Picture{title, caption, png_bytes(picture(z, data.height, data.width), 8)};
  };
  Section images{"Image", "", {}, {shown("Found", "The modulus, black to its largest.", found)}};
  if (truth.size() > 0) images.blocks.push_back(shown("Truth", "In the same scale.", truth));
  const std::string subtitle =
      fmt::format("{} patterns, {} x {} pixels", data.patterns, data.height, data.width);
  return [images, subtitle](Report& report) {
    report.title = "Phase retrieval";
    report.subtitle = subtitle;
    report.sections.push_back(images);
  };
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
  Matrix<S> found(n, data.channels);
  for (Index c = 0; c < data.channels; ++c) {
    const Matrix<S> column = truth.size() > 0 ? Matrix<S>(truth.col(c)) : Matrix<S>();
    Result<Matrix<S>> result = solve_channel(*op, data.intensities.data() + c * m, data,
                                             truth.size() > 0 ? &column : nullptr, input, settings);
    found.col(c) = result.factor.col(0);
    if (c > 0) result = joined(answer.result, std::move(result));
    if (c > 0 && answer.result.status != Status::converged) result.status = answer.result.status;
    answer.result = std::move(result);
  }
  fix_phase(found);
  answer.result.factor = found;

  // The record of every job is made from a Problem; the loss in it is not used.
  Problem<S> problem{OperatorHandle<S>{op}, LeastSquares<RealOf<S>>(Vector<RealOf<S>>()),
                     Unconstrained{}, 1};
  RunRecord record = make_record(problem, settings, std::move(answer), setup, files);
  record.summary["rank"] = 1;
  const Index passes = op->products() / op->blocks();  // half of them forward, half of them back
  record.summary["forward_calls"] = (passes + 1) / 2;
  record.summary["adjoint_calls"] = passes / 2;
  if (data.vectors.size() == 0) record.summary["transforms"] = op->products();
  record.summary["patterns"] = data.patterns;
  record.summary["shape"] = {data.height, data.width};
  record.summary["channels"] = data.channels;
  if (unseen > 0) record.summary["unseen_pixels"] = unseen;
  record.summary["loss"] = input.loss;
  record.summary["constraint"] = settings.constraint.empty() ? "none" : settings.constraint;
  if (truth.size() > 0) {
    record.summary["relative_error"] = aligned_error(found, truth);
    record.summary["psnr"] = psnr(found, truth);
  }
  Array signal = to_array(found);
  signal.shape = data.channels == 1 ? std::vector<Index>{data.height, data.width}
                                    : std::vector<Index>{data.height, data.width, data.channels};
  record.files.emplace_back("signal.npy", npy_bytes(signal));
  record.files.emplace_back("image.png", png_bytes(picture(found, data.height, data.width), 16));
  record.report = report_images(data, found, truth);
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
