#include "projfgd/jobs/phase.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "jobs/common/listening.hpp"
#include "jobs/common/make_record.hpp"
#include "jobs/phase/channel.hpp"
#include "jobs/phase/channels.hpp"
#include "jobs/phase/data.hpp"
#include "jobs/phase/files.hpp"
#include "jobs/phase/fit.hpp"
#include "jobs/phase/judge.hpp"
#include "jobs/phase/methods.hpp"
#include "jobs/phase/placed.hpp"
#include "jobs/phase/prepared.hpp"
#include "jobs/phase/problem.hpp"
#include "jobs/phase/ptychography.hpp"
#include "jobs/phase/report.hpp"
#include "jobs/phase/scan.hpp"
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

constexpr const char* signal_file = "signal.npy";

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
    if (!data.open && all_finite(found)) {  // a twin, or a shift, agrees in no ring and is no error
      images.rings = ring_correlation(wide(found), wide(truth), data.height, data.width);
    }
  }
  return images;
}

/// What was asked for and is nothing to the method, one line each.
template <class S>
std::vector<std::string> unused_by(const PhaseProblem<S>& problem, const RunSettings& settings,
                                   const std::string& loss) {
  const PhaseMethodTraits traits = phase_method_traits(settings.method);
  const std::string& method = settings.method;
  std::vector<std::string> lines;
  if (!traits.sets && problem.set.name != "none") {
    lines.push_back(set_not_used(method, "--constraint " + settings.constraint));
  }
  if (!traits.sets && problem.support.name != "none") {
    lines.push_back(set_not_used(method, "--support"));
  }
  if (!traits.losses && problem.loss != "auto" && problem.loss != loss) {
    lines.push_back(fmt::format("{} supports only the loss {}; --loss {} was ignored", method, loss,
                                problem.loss));
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

/// All channels as one run of several columns, and what is said of them.
template <class S>
struct SolvedChannels {
  Answer<S> answer = {};
  std::vector<SearchRecord> searches = {};
  std::vector<std::string> losses = {};  ///< of channels that are not dark
  Json stages = Json::array();           ///< where all channels change their loss alike
  bool apart = false;                    ///< they do not
  Json radii = Json::array();
  Index radius_passes = 0;
  Index forward = 0, adjoint = 0;  ///< products with a block

  bool one_loss() const {
    return std::ranges::all_of(losses, [&](const auto& loss) { return loss == losses.front(); });
  }
  int attempts() const { return std::ranges::max(searches, {}, &SearchRecord::attempts).attempts; }
};

template <class S>
Result<Matrix<S>> to_result(PhaseAnswer<Matrix<S>> answer) {
  Result<Matrix<S>> result;
  result.factor = std::move(answer.attempt.image);
  result.status = answer.status;
  result.message = std::move(answer.message);
  result.iterations = answer.attempt.iterations;
  result.objective = answer.attempt.objective;
  result.projected_gradient = answer.attempt.projected_gradient;
  result.seconds = answer.seconds;
  result.trace = std::move(answer.attempt.trace.rows);
  return result;
}

template <class S>
SolvedChannels<S> solve_channels(const PhaseProblem<S>& problem, const RunSettings& settings) {
  SolvedChannels<S> solved;
  std::vector<Result<Matrix<S>>> results;
  std::vector<double> sizes;
  Stopwatch clock;  // of the time limit, for all channels together
  for (Index c = 0; c < problem.data.channels; ++c) {
    PhaseAnswer<Matrix<S>> channel = solve_channel(problem, c, settings, clock);
    Attempt<Matrix<S>>& attempt = channel.attempt;
    const bool dark = attempt.trace.rows.empty();
    if (!dark) solved.losses.emplace_back(to_string(attempt.loss));
    if (channel.radius > 0) solved.radii.push_back(channel.radius);
    solved.radius_passes += channel.radius_passes;
    solved.forward += channel.forward;
    solved.adjoint += channel.adjoint;
    const Json changes = loss_changes(attempt.trace.rows, attempt.trace.losses);
    if (solved.stages.empty()) solved.stages = changes;
    solved.apart = solved.apart || (!changes.empty() && changes != solved.stages);
    solved.searches.push_back(channel.search);
    if (problem.truth.size() > 0) sizes.push_back(static_cast<double>(problem.truth.col(c).norm()));
    results.push_back(to_result(std::move(channel)));
  }
  if (solved.losses.empty()) solved.losses.emplace_back(to_string(PointwiseLoss::amplitude));
  solved.answer.result = side_by_side(std::move(results), sizes);
  return solved;
}

/// Methods of passes know the objective of the passes alone: that of the answer takes its place.
template <class S>
void take_objective(double objective, SolvedChannels<S>& solved) {
  if (!solved.one_loss() || solved.losses.front() != to_string(PointwiseLoss::amplitude)) return;
  Result<Matrix<S>>& result = solved.answer.result;
  result.objective = objective;
  if (!result.trace.empty()) result.trace.back().objective = objective;
}

/// The keys of the summary that only phase retrieval has.
template <class S>
void describe(const PhaseProblem<S>& problem, const RunSettings& settings,
              const SolvedChannels<S>& solved, RunRecord& record) {
  const PhaseData& data = problem.data;
  const Index blocks = problem.op->blocks();
  Json& summary = record.summary;
  summary["rank"] = 1;
  summary["forward_calls"] = solved.forward / blocks;
  summary["adjoint_calls"] = solved.adjoint / blocks;
  if (data.vectors.size() == 0) summary["transforms"] = solved.forward + solved.adjoint;
  summary["patterns"] = data.patterns;
  summary["shape"] = {data.height, data.width};
  summary["channels"] = data.channels;
  summary["loss"] = solved.one_loss() ? Json(solved.losses.front()) : Json(solved.losses);
  if (solved.attempts() > 1) summary["attempts"] = solved.attempts();
  if (solved.apart) {  // and a sum of objectives has no meaning
    for (TraceRow& row : record.trace) {
      if (!solved.one_loss() || &row != &record.trace.back()) row.objective = std::nan("");
    }
  } else if (solved.stages.size() > 1) {
    summary["stages"] = solved.stages;
  }
  const Json& radii = solved.radii;
  if (!radii.empty()) summary["radius"] = radii.size() == 1 ? radii.front() : radii;
  if (solved.radius_passes > 0) summary["radius_passes"] = solved.radius_passes;
  summary["constraint"] = settings.constraint.empty() ? "none" : settings.constraint;
  if (problem.support.name != "none") {
    summary["support"] = problem.support.mask.filename().string();
  }
  summary["device"] = problem.place ? problem.place->name() : device_name::cpu;
  if (data.centred) summary["centred"] = true;
  if (data.conjugated) summary["conjugated_masks"] = true;
  if (data.squared) summary["squared_amplitudes"] = true;
  if (const Index left = data.count_left_out(); left > 0) summary["bad_pixels"] = left;
  add_warnings(unused_by(problem, settings, solved.losses.front()), summary);
}

template <class S>
void add_images(const PhaseProblem<S>& problem, const Matrix<S>& found, PhaseFit fit,
                RunRecord& record) {
  const PhaseData& data = problem.data;
  Array signal = to_array(found);
  signal.shape = signal_shape(data, data.channels);
  record.files.emplace_back(signal_file, npy_bytes(signal));
  PhaseImages images = images_of(data, found, problem.start, problem.truth);
  if (const double detail = images.rings.resolution(); detail > 0) {
    record.summary["resolution_pixels"] = detail;
  }
  const double white = brightest(images.found);
  record.files.emplace_back(image_file,
                            png_bytes(to_image(images.found, data.height, data.width, white), 16));
  if (images.phases.size() > 0) {
    record.files.emplace_back(
        phase_file, png_bytes(to_phase_image(images.phases, data.height, data.width), 16));
  }
  record.report = phase_report(std::move(images), std::move(fit));
}

/// From a problem to a record: solve, judge, report.
template <class S>
RunRecord run(const PhaseProblem<S>& problem, const RunSettings& settings, const InputFiles& files,
              double setup) {
  SolvedChannels<S> solved = solve_channels(problem, settings);
  Matrix<S>& found = solved.answer.result.factor;
  PhaseFit fit{.misfit = std::nan("")};
  // Whoever interrupts a run does not wait for the statistics of a point on the way.
  if (solved.answer.result.status == Status::interrupted) {
    take_objective(solved.answer.result.objective, solved);
  } else if (all_finite(found)) {
    fit = fit_of(problem, found);
    take_objective(fit.objective, solved);
  }
  fix_phase(found);
  const Index m = problem.op->measurements() * problem.data.channels;
  RunRecord record = make_record(problem.op->rows(), m, settings, solved.answer, setup, files);
  describe(problem, settings, solved, record);
  judge(problem, settings, found, solved.searches, record.status, fit, record.summary);
  add_images(problem, found, std::move(fit), record);
  return record;
}

/// Multiplications of a product with all patterns: two for each entry and level of a transform; 0
/// where they are computed here alone.
double work_elsewhere(const PhaseData& data, const RunSettings& settings) {
  if (data.vectors.size() > 0 || !settings.ranks->is_alone()) return 0;
  const auto n = static_cast<double>(data.height * data.width);
  return 2 * n * std::log2(n + 1) * static_cast<double>(data.patterns);
}

/// Where the problem is solved.
std::shared_ptr<const Place> place_of(const PhaseData& data, const PhaseInput& input,
                                      const RunSettings& settings) {
  auto place = input.place ? input.place
                           : find_place(input.device, work_elsewhere(data, settings),
                                        "measurement vectors, and runs of several processes,");
  const std::string set =
      settings.constraint.empty() ? "none" : parse_constraint(settings.constraint).name;
  if (!place || place->has_set(set)) return place;
  if (input.device == device_name::automatic) return nullptr;
  throw InputError(
      fmt::format("constraint {}: it is not known on {}; use --device cpu", set, place->name()));
}

template <class S>
PreparedPhase prepare(PhaseData data, const PhaseInput& input, const RunSettings& settings,
                      InputFiles files, const Stopwatch& watch) {
  const Index n = data.vectors.size() > 0 ? data.vectors.cols() : data.height * data.width;
  const Index m = data.vectors.size() > 0 ? data.vectors.rows() : n * data.patterns;
  // Intensities, amplitudes and marks; what reflections remember, and A z with A d of full steps.
  const double per_entry = sizeof(RealOf<S>) * 3 + sizeof(S) * 3;
  require_memory(per_entry * static_cast<double>(m) + 30.0 * sizeof(S) * static_cast<double>(n),
                 fmt::format("phase retrieval of {} unknowns from {} intensities", n, m));
  set_threads(settings.threads);
  const auto place = place_of(data, input, settings);
  PhaseProblem<S> problem = make_phase_problem<S>(std::move(data), input, settings, files);
  problem.place = place;
  if (place) problem.placed = place->patterns(*problem.op);
  return [problem = std::move(problem), files = std::move(files),
          setup = watch.seconds()](const RunSettings& s) { return run(problem, s, files, setup); };
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

std::vector<std::string> phase_files(const PhaseInput& input) {
  std::vector<std::string> files = output_names();
  files.insert(files.end(), {signal_file, image_file, phase_file});
  std::vector<std::string> of_a_scan = ptychography_files(input);
  files.insert(files.end(), of_a_scan.begin(), of_a_scan.end());
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
  require_device_name(input.device);
  if (settings.rank > 1) {
    throw InputError(
        fmt::format("--rank: found {}, expected 1 for phase retrieval", settings.rank));
  }
  require_name("--loss", input.loss, phase_loss_names());
  require_option(input.target_error >= 0 && std::isfinite(input.target_error), "--target-error",
                 input.target_error, ">= 0 and finite");
  if (input.stage) input.stage("reading the data");
  const Listening listening = listen_to_user(settings);
  InputFiles files = settings.inputs();
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
