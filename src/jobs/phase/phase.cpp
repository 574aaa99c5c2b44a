#include "projfgd/jobs/phase.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jobs/common/make_record.hpp"
#include "jobs/phase/causes.hpp"
#include "jobs/phase/channels.hpp"
#include "jobs/phase/data.hpp"
#include "jobs/phase/fit.hpp"
#include "jobs/phase/methods.hpp"
#include "jobs/phase/prepared.hpp"
#include "jobs/phase/problem.hpp"
#include "jobs/phase/ptychography.hpp"
#include "jobs/phase/report.hpp"
#include "jobs/phase/scan.hpp"
#include "jobs/phase/warnings.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/memory.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/core/threads.hpp"
#include "projfgd/io/png.hpp"
#include "projfgd/jobs/methods.hpp"
#include "projfgd/losses/pointwise.hpp"
#include "projfgd/measures/image.hpp"
#include "projfgd/operators/block_operator.hpp"

namespace projfgd {
namespace {

constexpr const char *signal_file = "signal.npy", *image_file = "image.png",
                     *phase_file = "phase.png";

/// Moduli, and those of the error after the best turn of each channel.
template <class S>
PhaseImages images_of(const PhaseData& data, const Matrix<S>& found, const Matrix<S>& start,
                      const Matrix<S>& truth) {
  const auto moduli = [](const Matrix<S>& z) {
    return Matrix<double>(z.cwiseAbs().template cast<double>());
  };
  PhaseImages images{data.patterns, data.height, data.width, data.vectors.size() > 0};
  images.found = moduli(found);
  images.start = moduli(start);
  images.truth = moduli(truth);
  images.phases = phases_of(wide(found));
  if (truth.size() > 0) {
    images.error = moduli(aligned(found, truth) - truth);
    if (images.phases.size() > 0) images.true_phases = phases_of(wide(aligned(truth, found)));
  }
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

/// What was asked for and is nothing to the method, one line each.
template <class S>
std::vector<std::string> unused_by(const PhaseProblem<S>& problem, const RunSettings& settings,
                                   const std::string& loss) {
  const PhaseMethodTraits traits = phase_method_traits(settings.method);
  const std::string& method = settings.method;
  std::vector<std::string> lines;
  if (!traits.sets && problem.set.name != "none") {
    lines.push_back(set_not_used(method, "--constraint=" + settings.constraint));
  }
  if (!traits.sets && problem.support.name != "none") {
    lines.push_back(set_not_used(method, "--support"));
  }
  if (!traits.losses && problem.loss != "auto" && problem.loss != loss) {
    lines.push_back(fmt::format("method {} knows no loss but {}: --loss {} was not used", method,
                                loss, problem.loss));
  }
  if (!traits.steps && settings.options.step != StepRule::automatic) {
    lines.push_back(step_not_used(method));
  }
  return lines;
}

/// From which iteration on the objective was that of which loss, where that changed on the way.
Json loss_changes(const std::vector<TraceRow>& trace, const std::vector<PointwiseLoss>& losses) {
  Json stages = Json::array();
  for (std::size_t t = 0; t < std::min(trace.size(), losses.size()); ++t) {
    if (t > 0 && losses[t] == losses[t - 1]) continue;
    stages.push_back({{"iteration", trace[t].iteration}, {"loss", to_string(losses[t])}});
  }
  return stages;
}

/// What the attempts say of each other.
struct Agreement {
  std::vector<bool> doubted;  ///< channels that were found once alone
  bool disputed = false;      ///< one of them is, see PhaseWay

  /// Whether a channel that leaves much was found once alone.
  bool is_doubted(const PhaseFit& fit) const {
    for (std::size_t c = 0; c < fit.misfits.size(); ++c) {
      if (doubted[c] && fit.misfits[c] > doubtful_phase_misfit) return true;
    }
    return false;
  }
};

/// Puts what a user should know before trusting the answer in the summary.
template <class S>
void judge(const PhaseProblem<S>& problem, const std::string& method, const Matrix<S>& found,
           const Agreement& agreement, Status status, const PhaseFit& fit, Json& summary) {
  const PhaseData& data = problem.data;
  const Index n = problem.op->rows();
  const bool has_sets = phase_method_traits(method).sets;
  Matrix<S> dark = unseen_of(*problem.op);
  if (const Index unseen = count(dark); unseen > 0) summary["unseen_pixels"] = unseen;
  Matrix<S> inside = Matrix<S>::Ones(n, 1);
  bool support = false;  // says what the dark pixels are
  for (const ConstraintSpec& set : {problem.support, problem.set}) {
    if (set.name != "support") continue;
    make_constraint<S>(set, n).project(dark);
    if (!has_sets) continue;
    make_constraint<S>(set, n).project(inside);
    support = true;
  }
  const PhaseOutcome outcome{
      .set = has_sets ? problem.set.name : "none",
      .support = support,
      .own_twin =
          support && data.open && data.height > 1 && is_own_twin(inside, data.height, data.width),
      .alternates = data.vectors.size() == 0 && alternates(found, data.height, data.width),
      .confirmed = !agreement.is_doubted(fit),
      .disputed = agreement.disputed,
      .mirrored = data.real_masks && has_sets && is_real_set(problem.set.name),
      .distinct = data.distinct,
      .unknowns = n,
      .free = count(inside),
      .measurements = problem.op->measured(),
      .dark = count(dark),
      .fit = fit,
      .status = status};
  summary["misfit"] = fit.misfit;
  if (!fit.patterns.empty()) summary["pattern_misfits"] = fit.patterns;
  summary["fits_data"] = explains(outcome);
  if (const std::string note = noise_note(outcome); !note.empty()) {
    summary["noise"] = note;
    summary["message"] = fmt::format("{}; {}", summary["message"].get<std::string>(), note);
  }
  std::vector<std::string> warnings = phase_warnings(data, outcome);
  if (const Matrix<S>& truth = problem.truth; truth.size() > 0) {
    summary["relative_error"] = aligned_error(found, truth);
    summary["psnr"] = psnr(found, truth);
    const double error = summary["relative_error"];
    std::optional<std::string> line;
    if (data.open && data.channels == 1 && all_finite(found)) {
      const Symmetry symmetry = nearest_symmetry(found, truth, data.height, data.width);
      line = symmetry_line(symmetry, error, data.height, data.width);
      if (line) summary["relative_error_modulo_symmetry"] = symmetry.error;
    }
    if (!line) line = unit_line(found, truth, error);
    if (!line) line = conjugate_line(found, truth, error);
    if (line) warnings.push_back(*line);
  }
  add_warnings(warnings, summary);
}

template <class S>
RunRecord solve(const PhaseProblem<S>& problem, const RunSettings& settings,
                const InputFiles& files, double setup) {
  const PhaseData& data = problem.data;
  const auto& op = problem.op;
  const Index n = op->rows(), m = op->measurements();
  const Index forward_before = op->forward_products(), adjoint_before = op->adjoint_products();
  std::vector<Result<Matrix<S>>> channels;
  Matrix<S> start;
  int attempts = 1;
  Agreement agreement;
  std::vector<std::string> losses;
  Json radii = Json::array(), stages = Json::array();
  bool apart = false;  // the channels go ways of their own
  Index radius_passes = 0;
  const Stopwatch clock;  // of the time limit, for all channels together
  for (Index c = 0; c < data.channels; ++c) {
    PhaseChannel<S> channel = solve_channel(problem, c, settings, clock);
    if (channel.start.size() > 0) {
      start.conservativeResize(n, c + 1);
      start.col(c) = channel.start.col(0);
    }
    if (!channel.result.trace.empty()) losses.emplace_back(to_string(channel.loss));  // not dark
    attempts = std::max(attempts, channel.attempts);
    agreement.doubted.push_back(!channel.confirmed);
    agreement.disputed = agreement.disputed || channel.disputed;
    if (channel.radius > 0) radii.push_back(channel.radius);
    radius_passes += channel.radius_passes;
    const Json own = loss_changes(channel.result.trace, channel.losses);
    if (stages.empty()) stages = own;
    apart = apart || (!own.empty() && own != stages);
    channels.push_back(std::move(channel.result));
  }
  const Index forward = op->forward_products() - forward_before;
  const Index adjoint = op->adjoint_products() - adjoint_before;
  std::vector<double> sizes;
  for (Index c = 0; c < problem.truth.cols(); ++c) {
    sizes.push_back(static_cast<double>(problem.truth.col(c).norm()));
  }
  Answer<S> answer{side_by_side(std::move(channels), sizes), {}};
  Matrix<S>& found = answer.result.factor;
  if (losses.empty()) losses.emplace_back(to_string(PointwiseLoss::amplitude));
  const bool one_loss =
      std::ranges::all_of(losses, [&](const std::string& loss) { return loss == losses.front(); });
  PhaseFit fit{.misfit = std::nan("")};
  if (all_finite(found)) {
    fit = fit_of(problem, found);
    // Methods of passes know the objective of the passes alone.
    if (one_loss && losses.front() == to_string(PointwiseLoss::amplitude)) {
      answer.result.objective = fit.objective;
      if (!answer.result.trace.empty()) answer.result.trace.back().objective = fit.objective;
    }
  }
  fix_phase(found);
  RunRecord record = make_record(n, m * data.channels, settings, answer, setup, files);
  record.summary["rank"] = 1;
  record.summary["forward_calls"] = forward / op->blocks();
  record.summary["adjoint_calls"] = adjoint / op->blocks();
  if (data.vectors.size() == 0) record.summary["transforms"] = forward + adjoint;
  record.summary["patterns"] = data.patterns;
  record.summary["shape"] = {data.height, data.width};
  record.summary["channels"] = data.channels;
  record.summary["loss"] = one_loss ? Json(losses.front()) : Json(losses);
  if (attempts > 1) record.summary["attempts"] = attempts;
  if (apart) {  // and a sum of objectives has no meaning
    for (TraceRow& row : record.trace) {
      if (!one_loss || &row != &record.trace.back()) row.objective = std::nan("");
    }
  } else if (stages.size() > 1) {
    record.summary["stages"] = stages;
  }
  if (!radii.empty()) record.summary["radius"] = radii.size() == 1 ? radii.front() : radii;
  if (radius_passes > 0) record.summary["radius_passes"] = radius_passes;
  record.summary["constraint"] = settings.constraint.empty() ? "none" : settings.constraint;
  if (problem.support.name != "none") {
    record.summary["support"] = problem.support.mask.filename().string();
  }
  if (data.centred) record.summary["centred"] = true;
  if (const Index left = data.count_left_out(); left > 0) {
    record.summary["bad_pixels"] = left;
  }
  add_warnings(unused_by(problem, settings, losses.front()), record.summary);
  judge(problem, settings.method, found, agreement, record.status, fit, record.summary);
  Array signal = to_array(found);
  signal.shape = signal_shape(data, data.channels);
  record.files.emplace_back(signal_file, npy_bytes(signal));
  PhaseImages images = images_of(data, found, start, problem.truth);
  const double white = brightest(images.found);
  record.files.emplace_back(image_file,
                            png_bytes(to_image(images.found, data.height, data.width, white), 16));
  if (images.phases.size() > 0) {
    record.files.emplace_back(
        phase_file, png_bytes(to_phase_image(images.phases, data.height, data.width), 16));
  }
  record.report = phase_report(std::move(images), std::move(fit));
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

std::vector<std::string> phase_loss_names() {
  std::vector<std::string> names = pointwise_loss_names();
  names.emplace_back("auto");
  return names;
}

std::vector<std::string> phase_start_names() {
  return {start_name::spectral, start_name::lanczos, start_name::random};
}

std::vector<std::string> phase_files(const PhaseInput&) {
  std::vector<std::string> files = output_names();
  files.insert(files.end(), {signal_file, image_file, phase_file});
  return files;
}

RunSettings phase_settings() {
  RunSettings settings;
  settings.method = "auto";
  settings.init.clear();
  return settings;
}

PreparedPhase prepare_phase(const PhaseInput& input, const RunSettings& settings) {
  const Stopwatch watch;
  validate(settings.options);
  if (settings.rank > 1) {
    throw InputError(fmt::format("rank: found {}, expected 1 for phase retrieval", settings.rank));
  }
  require_name("loss", input.loss, phase_loss_names());
  require_option(input.target_error >= 0, "target-error", input.target_error, ">= 0");
  InputFiles files(settings.in_memory);
  if (is_scan(input, files)) return prepare_ptychography(input, settings, std::move(files));
  PhaseData data = read_phase_data(input, settings.truth, files);
  const auto make =
      settings.single_precision ? prepare<std::complex<float>> : prepare<std::complex<double>>;
  return make(std::move(data), input, settings, std::move(files), watch);
}

RunRecord run_phase(const PhaseInput& input, const RunSettings& settings) {
  return prepare_phase(input, settings)(settings);
}

}  // namespace projfgd
