#include "projfgd/jobs/phase.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <string>
#include <utility>
#include <vector>

#include "make_record.hpp"
#include "phase_channels.hpp"
#include "phase_data.hpp"
#include "phase_problem.hpp"
#include "phase_report.hpp"
#include "phase_warnings.hpp"
#include "prepared_phase.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/memory.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/core/threads.hpp"
#include "projfgd/io/png.hpp"
#include "projfgd/losses/pointwise.hpp"
#include "projfgd/measures/image.hpp"
#include "projfgd/operators/block_operator.hpp"

namespace projfgd {
namespace {

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

/// Unknowns that no measurement sees: 1 where that is so, else 0.
template <class S>
Matrix<S> unseen_of(const BlockOperator<S>& op) {
  const Matrix<S> all = Matrix<S>::Ones(op.rows(), 1);
  Matrix<S> seen = all;
  op.drop_unseen(seen);
  return all - seen;
}

template <class S>
Index count(const Matrix<S>& u) {
  return (u.array() != S(0)).count();
}

/// Puts what a user should know before trusting the answer in the summary.
template <class S>
void judge(const PhaseProblem<S>& problem, const std::string& method, const Matrix<S>& found,
           bool ended, double misfit, bool amplitudes, Json& summary) {
  const PhaseData& data = problem.data;
  const Index n = problem.op->rows();
  Matrix<S> dark = unseen_of(*problem.op);
  if (const Index unseen = count(dark); unseen > 0) summary["unseen_pixels"] = unseen;
  bool support = false;  // says what the dark pixels are
  for (const ConstraintSpec& set : {problem.support, problem.set}) {
    if (set.name != "support") continue;
    make_constraint<S>(set, n).project(dark);
    support = true;
  }
  const PhaseOutcome outcome{method,
                             problem.set.name,
                             support,
                             n,
                             problem.op->measurements(),
                             count(dark),
                             misfit,
                             summary.value("attempts", 1),
                             amplitudes,
                             ended};
  summary["misfit"] = misfit;
  summary["fits_data"] = explains(outcome);
  if (const auto line = undetermined_line(outcome)) {
    summary["message"] = summary["message"].get<std::string>() + "; but " + *line;
  }
  std::vector<std::string> warnings = phase_warnings(data, outcome);
  if (const Matrix<S>& truth = problem.truth; truth.size() > 0) {
    summary["relative_error"] = aligned_error(found, truth);
    summary["psnr"] = psnr(found, truth);
    if (data.open && data.channels == 1 && all_finite(found)) {
      const Symmetry symmetry = nearest_symmetry(found, truth, data.height, data.width);
      if (const auto line = symmetry_line(symmetry, summary["relative_error"])) {
        summary["relative_error_modulo_symmetry"] = symmetry.error;
        warnings.push_back(*line);
      }
    }
  }
  if (!warnings.empty()) summary["warnings"] = warnings;
}

template <class S>
RunRecord solve(const PhaseProblem<S>& problem, const RunSettings& settings,
                const InputFiles& files, double setup) {
  const PhaseData& data = problem.data;
  const auto& op = problem.op;
  const Index n = op->rows(), m = op->measurements(), products_before = op->products();
  std::vector<Result<Matrix<S>>> channels;
  Matrix<S> start;
  double misfit = 0;
  bool amplitudes = false;
  int attempts = 1;
  std::vector<std::string> losses;
  Json radii = Json::array();
  const Stopwatch clock;  // of the time limit, for all channels together
  for (Index c = 0; c < data.channels; ++c) {
    PhaseChannel<S> channel = solve_channel(problem, c, settings, clock);
    if (channel.start.size() > 0) {
      start.conservativeResize(n, c + 1);
      start.col(c) = channel.start.col(0);
    }
    losses.emplace_back(to_string(channel.loss));
    attempts = std::max(attempts, channel.attempts);
    if (channel.radius > 0) radii.push_back(channel.radius);
    channels.push_back(std::move(channel.result));
  }
  const Index transforms = op->products() - products_before;
  std::vector<double> sizes;
  for (Index c = 0; c < problem.truth.cols(); ++c) {
    sizes.push_back(static_cast<double>(problem.truth.col(c).norm()));
  }
  Answer<S> answer{side_by_side(std::move(channels), sizes), {}};
  Matrix<S>& found = answer.result.factor;
  const bool one_loss = std::ranges::count(losses, losses.front()) == data.channels;
  if (all_finite(found)) {
    double objective = 0;  // of amplitudes: methods of passes know that of the passes alone
    for (Index c = 0; c < data.channels; ++c) {
      const Eigen::Map<const Vector<double>> y(data.intensities.data() + c * m, m);
      if (y.maxCoeff() == 0) continue;  // a dark channel
      const Vector<RealOf<S>> amplitude = y.cwiseSqrt().template cast<RealOf<S>>();
      const Matrix<S> z = found.col(c);
      const double left = amplitude_misfit(*op, amplitude, z);
      misfit = std::max(misfit, left);
      objective += left * left * y.sum() / 2;
      amplitudes = amplitudes || (left > doubtful_phase_misfit && seem_amplitudes(y));
    }
    if (one_loss && losses.front() == to_string(PointwiseLoss::amplitude)) {
      answer.result.objective = objective;
      if (!answer.result.trace.empty()) answer.result.trace.back().objective = objective;
    }
  }
  fix_phase(found);
  RunRecord record = make_record(n, m * data.channels, settings, answer, setup, files);
  record.summary["rank"] = 1;
  const Index passes = transforms / op->blocks();  // half of them forward, half of them back
  record.summary["forward_calls"] = (passes + 1) / 2;
  record.summary["adjoint_calls"] = passes / 2;
  if (data.vectors.size() == 0) record.summary["transforms"] = transforms;
  record.summary["patterns"] = data.patterns;
  record.summary["shape"] = {data.height, data.width};
  record.summary["channels"] = data.channels;
  record.summary["loss"] = one_loss ? Json(losses.front()) : Json(losses);
  if (attempts > 1) record.summary["attempts"] = attempts;
  if (!radii.empty()) record.summary["radius"] = radii.size() == 1 ? radii.front() : radii;
  record.summary["constraint"] = settings.constraint.empty() ? "none" : settings.constraint;
  const bool stopped = record.status == Status::time_limit ||
                       record.status == Status::interrupted || record.status == Status::diverged ||
                       (record.status != Status::converged &&
                        record.summary["iterations"] >= settings.options.max_iterations);
  judge(problem, settings.method, found, !stopped, misfit, amplitudes, record.summary);
  Array signal = to_array(found);
  signal.shape = signal_shape(data, data.channels);
  record.files.emplace_back("signal.npy", npy_bytes(signal));
  PhaseImages images = images_of(data, found, start, problem.truth);
  const double white = std::max(images.found.maxCoeff(), 1e-300);
  record.files.emplace_back("image.png",
                            png_bytes(to_image(images.found, data.height, data.width, white), 16));
  record.report = phase_report(std::move(images));
  return record;
}

template <class S>
PreparedPhase prepare(PhaseData data, const PhaseInput& input, const RunSettings& settings,
                      InputFiles files, const Stopwatch& watch) {
  const Index n = data.vectors.size() > 0 ? data.vectors.cols() : data.height * data.width;
  const Index m = data.vectors.size() > 0 ? data.vectors.rows() : n * data.patterns;
  const double per_entry = sizeof(RealOf<S>) * 2 + sizeof(S) * 2;
  require_memory(per_entry * static_cast<double>(m) + 30.0 * sizeof(S) * static_cast<double>(n),
                 fmt::format("phase retrieval of {} unknowns from {} intensities", n, m));
  set_threads(settings.threads);
  PhaseProblem<S> problem = make_phase_problem<S>(std::move(data), input, settings, files);
  return [problem = std::move(problem), files = std::move(files), setup = watch.seconds()](
             const RunSettings& s) { return solve(problem, s, files, setup); };
}

}  // namespace

PreparedPhase prepare_phase(const PhaseInput& input, const RunSettings& settings) {
  const Stopwatch watch;
  validate(settings.options);
  if (settings.rank > 1) {
    throw InputError(fmt::format("rank: found {}, expected 1 for phase retrieval", settings.rank));
  }
  if (input.loss != "auto") pointwise_loss(input.loss);
  require_option(input.target_error >= 0, "target-error", input.target_error, ">= 0");
  InputFiles files(settings.in_memory);
  PhaseData data = read_phase_data(input, settings.truth, files);
  const auto make =
      settings.single_precision ? prepare<std::complex<float>> : prepare<std::complex<double>>;
  return make(std::move(data), input, settings, std::move(files), watch);
}

RunRecord run_phase(const PhaseInput& input, const RunSettings& settings) {
  return prepare_phase(input, settings)(settings);
}

}  // namespace projfgd
