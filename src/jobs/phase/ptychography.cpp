#include "jobs/phase/ptychography.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "jobs/common/magnitudes.hpp"
#include "jobs/common/make_record.hpp"
#include "jobs/phase/errors.hpp"
#include "jobs/phase/files.hpp"
#include "jobs/phase/scan_axes.hpp"
#include "jobs/phase/scan_fit.hpp"
#include "jobs/phase/scan_judge.hpp"
#include "jobs/phase/scan_report.hpp"
#include "projfgd/constraints/within.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/memory.hpp"
#include "projfgd/core/threads.hpp"
#include "projfgd/jobs/constraints.hpp"
#include "projfgd/operators/fourier.hpp"

namespace projfgd {
namespace {

using Complex = std::complex<double>;

/// The wave whose pattern is the mean of all, with equal phases: narrow, and of the right power.
Vector<Complex> estimated_probe(const ScanData& scan) {
  const ScanGeometry& g = scan.geometry;
  Vector<double> mean = Vector<double>::Zero(g.frame_size());
  for (Index j = 0; j < g.frames(); ++j) {
    mean += scan.intensities.segment(j * g.frame_size(), g.frame_size());
  }
  const double frames = static_cast<double>(g.frames()), size = static_cast<double>(g.frame_size());
  const Vector<Complex> wave = (mean / frames).cwiseSqrt().cast<Complex>() / size;
  Vector<Complex> probe(g.frame_size());
  FourierTransform<double>(g.height, g.width)
      .backward(wave.data(), [&](Index i, const Complex* row) {  // from the corner to the middle
        Complex* to = probe.data() + (i + g.height / 2) % g.height * g.width;
        std::rotate_copy(row, row + (g.width + 1) / 2, row + g.width, to);
      });
  return probe;
}

template <class S>
Matrix<S> read_object(const std::filesystem::path& path, Dataset what, const ScanGeometry& g,
                      InputFiles& files) {
  const Array array = read_image(path, what, files, g.object_size());
  std::vector<Index> shape = array.shape;
  if (shape.size() == 3 && shape[2] == 1) shape.pop_back();
  if (shape != std::vector<Index>{g.object_height, g.object_width} &&
      shape != std::vector<Index>{g.object_size(), 1}) {
    throw InputError(fmt::format("{}: found shape {}, expected {} x {} as the object has",
                                 path.string(), shape_text(array.shape), g.object_height,
                                 g.object_width));
  }
  Matrix<S> z(g.object_size(), 1);
  for (Index k = 0; k < z.rows(); ++k) z(k, 0) = S(array.entry(static_cast<std::size_t>(k)));
  return z;
}

/// The data are divided by the intensity of one photon, or where they are no counts by a power of 4
/// near their mean, as in other phase retrieval.
template <class S>
ScanProblem<S> make_problem(ScanData& data, const PhaseInput& input, const RunSettings& settings,
                            InputFiles& files) {
  constexpr bool single = std::is_same_v<S, std::complex<float>>;
  require_magnitude(data.intensities.maxCoeff(), intensity_magnitudes(single), input.data.string());
  const double photon = photon_unit({data.intensities.begin(), data.intensities.end()});
  using Real = RealOf<S>;
  ScanProblem<S> problem{.scan = std::make_shared<Scan<S>>(data.geometry)};
  const ScanGeometry& g = problem.scan->geometry();
  problem.refine = input.refine_probe || data.probe.size() == 0;
  if (data.probe.size() == 0) data.probe = estimated_probe(data);
  const double usual = std::exp2(std::floor(std::log2(data.intensities.mean()) / 2));
  problem.counts = photon > 0;
  problem.unit = problem.counts ? std::sqrt(photon) : usual;
  require_magnitude(data.probe.cwiseAbs().maxCoeff() / usual, probe_magnitudes(single),
                    (input.probe.empty() ? input.data : input.probe).string(),
                    "largest number of the probe over the root of the mean intensity");
  problem.y = (data.intensities / (problem.unit * problem.unit)).template cast<Real>();
  problem.amplitude = problem.y.cwiseSqrt();
  problem.probe = (data.probe / problem.unit).template cast<S>();
  problem.left_out = std::move(data.left_out);
  const auto with_image = [&](ConstraintSpec spec) {
    if (!spec.mask.empty()) {
      spec.support = read_object<Complex>(spec.mask, Dataset::support, g, files).cwiseAbs();
    }
    return make_constraint<S>(spec, g.object_size());
  };
  if (!settings.constraint.empty()) {
    const ConstraintSpec spec = parse_constraint(settings.constraint);
    problem.set = with_image(spec);
    problem.unconstrained = spec.name == "none";
  }
  if (!input.support.empty()) {
    problem.set = Within(with_image({"support", 0, input.support}), problem.set);
    problem.unconstrained = false;
  }
  problem.loss = input.loss;
  problem.target_error = input.target_error;
  if (!data.truth.empty()) {
    InputFiles apart = settings.inputs();  // the answer does not depend on it
    problem.truth = read_object<S>(data.truth, Dataset::truth, g, apart);
  }
  const std::vector<std::string> named = phase_start_names();
  if (!settings.init.empty() && std::ranges::find(named, settings.init) == named.end()) {
    problem.start = read_object<S>(settings.init, Dataset::start, g, files);
  }
  // Refuses what cannot be before long work.
  PtychographyOperator<S>(problem.scan, problem.probe);
  return problem;
}

/// What the report shows of the fit, with the amplitudes of the data.
template <class S>
ScanImages images_of(const ScanProblem<S>& problem, const ScanAnswer<S>& found) {
  const Vector<double> measured = problem.amplitude.template cast<double>() * problem.unit;
  const Vector<double> predicted = found.predicted.template cast<double>() * problem.unit;
  ScanImages images{.geometry = problem.scan->geometry()};
  images.illumination = found.illumination.template cast<double>();
  images.frame_misfits = pattern_misfits(measured, predicted, images.geometry.frames());
  images.shown.quantity = "amplitude";
  images.shown.all = static_cast<std::size_t>(found.measured);
  const Index each = selection_step(found.measured);
  for (Index k = 0, seen = 0; k < measured.size(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    if (!problem.left_out.empty() && problem.left_out[i] != 0) continue;
    if (seen++ % each != 0) continue;
    images.shown.measured.push_back(measured[k]);
    images.shown.predicted.push_back(predicted[k]);
  }
  return images;
}

template <class S>
RunRecord solve(const ScanProblem<S>& problem, double pixel, const RunSettings& settings,
                const InputFiles& files, double setup) {
  const ScanGeometry& g = problem.scan->geometry();
  ScanAnswer<S> found = fit_scan(problem, settings);
  if (!all_finite(found.answer.result.factor)) found.answer.result.status = Status::diverged;
  ScanImages images = images_of(problem, found);
  images.object = found.answer.result.factor.template cast<Complex>();
  images.probe = found.probe.template cast<Complex>() * problem.unit;
  RunRecord record = make_record(g.object_size(), problem.y.size(), settings,
                                 std::move(found.answer), setup, files);
  Json& summary = record.summary;
  summary["rank"] = 1;
  summary["device"] = device_name::cpu;
  summary["transforms"] = found.transforms;
  summary["frames"] = g.frames();
  summary["frame_shape"] = {g.height, g.width};
  summary["shape"] = {g.object_height, g.object_width};
  summary["loss"] = to_string(found.loss);
  summary["constraint"] = settings.constraint.empty() ? "none" : settings.constraint;
  summary["channels"] = 1;
  summary["refined_probe"] = problem.refine;
  if (pixel > 0) summary["pixel_size"] = pixel;
  judge_scan(problem, found, images.object, record.status, settings.options.tolerance,
             images.frame_misfits, summary);
  if (record.status == Status::converged && !summary["fits_data"].get<bool>()) {
    const std::string line = better_axes(problem, found.misfit, settings, found.transforms);
    Json& warnings = summary["warnings"];  // there are some, of the misfit
    if (!line.empty()) warnings.insert(warnings.begin(), line);
    summary["transforms"] = found.transforms;
  }
  const auto add = [&](const char* name, const Matrix<Complex>& z, Index height, Index width) {
    Array array = to_array(z);
    array.shape = {height, width};
    record.files.emplace_back(name, npy_bytes(array));
    return array;
  };
  add(object_file, images.object, g.object_height, g.object_width);
  record.arrays.emplace_back("probe", add(found_probe_file, images.probe, g.height, g.width));
  show_scan(std::move(images), record);
  return record;
}

template <class S>
PreparedPhase prepare_scan(ScanData data, const PhaseInput& input, const RunSettings& settings,
                           InputFiles files, const Stopwatch& watch) {
  set_threads(settings.threads);
  auto problem =
      std::make_shared<const ScanProblem<S>>(make_problem<S>(data, input, settings, files));
  return [problem, pixel = data.pixel, files = std::move(files),
          setup = watch.seconds()](const RunSettings& s) {
    if (s.method != phase_settings().method) {
      throw InputError(fmt::format("--method: found \"{}\" for a scan, expected {}", s.method,
                                   phase_settings().method));
    }
    return solve(*problem, pixel, s, files, setup);
  };
}

}  // namespace

PreparedPhase prepare_ptychography(const PhaseInput& input, const RunSettings& settings,
                                   InputFiles files) {
  const Stopwatch watch;
  find_place(input.device, 0, "ptychographic scans");  // which refuses what cannot be
  ScanData data = read_scan(input, settings.truth, files);
  const double numbers = static_cast<double>(data.intensities.size());
  require_memory(80.0 * numbers + 1000.0 * static_cast<double>(data.geometry.object_size()),
                 fmt::format("ptychography of {} frames", data.geometry.frames()));
  const auto make = settings.single_precision ? prepare_scan<std::complex<float>>
                                              : prepare_scan<std::complex<double>>;
  return make(std::move(data), input, settings, std::move(files), watch);
}

std::vector<std::string> ptychography_files(const PhaseInput& input) {
  if (!input.masks.empty() || !input.vectors.empty()) return {};
  std::vector<std::string> names = scan_pictures();
  names.insert(names.end(), {object_file, found_probe_file});
  return names;
}

}  // namespace projfgd
