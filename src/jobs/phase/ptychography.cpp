#include "jobs/phase/ptychography.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "jobs/common/make_record.hpp"
#include "jobs/phase/errors.hpp"
#include "jobs/phase/files.hpp"
#include "jobs/phase/report.hpp"
#include "jobs/phase/scan_fit.hpp"
#include "projfgd/constraints/within.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/memory.hpp"
#include "projfgd/core/threads.hpp"
#include "projfgd/io/png.hpp"
#include "projfgd/jobs/constraints.hpp"
#include "projfgd/operators/fourier.hpp"

namespace projfgd {
namespace {

using Complex = std::complex<double>;

constexpr const char *image_file = "image.png", *phase_file = "phase.png",
                     *probe_image = "probe.png", *probe_phase = "probe_phase.png";

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

/// The data are divided by a power of 4 near their mean, as in other phase retrieval.
template <class S>
ScanProblem<S> make_problem(ScanData& data, const PhaseInput& input, const RunSettings& settings,
                            InputFiles& files) {
  const double photon = photon_unit({data.intensities.begin(), data.intensities.end()});
  using Real = RealOf<S>;
  ScanProblem<S> problem{.scan = std::make_shared<Scan<S>>(data.geometry)};
  const ScanGeometry& g = problem.scan->geometry();
  problem.refine = input.refine_probe || data.probe.size() == 0;
  if (data.probe.size() == 0) data.probe = estimated_probe(data);
  problem.unit = std::exp2(std::floor(std::log2(data.intensities.mean()) / 2));
  problem.photon = photon / (problem.unit * problem.unit);
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

/// Part of the amplitudes that photon noise leaves unexplained: the variance of the root of a count
/// is 1/4, and less where hardly any are counted.
template <class S>
double photon_misfit(const ScanProblem<S>& problem, const ScanAnswer<S>& found) {
  double variance = 0, total = 0;
  for (Index k = 0; k < problem.y.size(); ++k) {
    const double count = std::pow(static_cast<double>(found.predicted[k]) * problem.unit, 2);
    variance += count > 1 ? 0.25 : count * (1 - 0.75 * count);
    total += static_cast<double>(problem.y[k]) * problem.unit * problem.unit;
  }
  return std::sqrt(variance / total);
}

bool are_counts(const Vector<double>& y) {
  return std::ranges::all_of(y, [](double x) { return x == std::floor(x); });
}

template <class S>
void judge(const ScanProblem<S>& problem, const ScanAnswer<S>& found, bool counts,
           RunRecord& record) {
  constexpr double doubtful = 0.05, of_noise = 1.2;
  const double expected = counts ? photon_misfit(problem, found) : 0;
  Json& summary = record.summary;
  summary["misfit"] = found.misfit;
  if (counts) summary["noise_misfit"] = expected;
  const bool ended = record.status == Status::converged;
  const bool fits = found.misfit <= std::max(doubtful, of_noise * expected);
  summary["fits_data"] = ended && fits;
  if (problem.truth.size() > 0) summary["relative_error"] = found.relative_error;
  const Index dark = (found.illumination.array() == 0).count();
  if (dark > 0) summary["unseen_pixels"] = dark;
  if (!fits) {
    add_warnings({fmt::format("relative amplitude residual {:.2g}, more than noise explains: the "
                              "{} or the positions may be wrong",
                              found.misfit, problem.refine ? "frames" : "probe (--refine-probe)")},
                 summary);
  }
}

template <class S>
Matrix<Complex> in_data_units(const Matrix<S>& z, double unit) {
  return z.template cast<Complex>() * unit;
}

/// Pictures of object and probe, as files and in the report.
void show(const ScanGeometry& g, const Matrix<Complex>& object, const Matrix<Complex>& probe,
          RunRecord& record) {
  const auto picture = [](const Matrix<double>& moduli, Index height, Index width, double white) {
    return png_bytes(to_image(moduli, height, width, white), 16);
  };
  const Matrix<double> modulus = object.cwiseAbs(), light = probe.cwiseAbs();
  const double white = brightest(modulus);
  Section section{.title = "Images"};
  const auto add = [&](const char* name, const char* title, const char* words, std::string bytes) {
    section.blocks.emplace_back(Picture{title, words, bytes});
    record.files.emplace_back(name, std::move(bytes));
  };
  add(image_file, "Object", "Modulus", picture(modulus, g.object_height, g.object_width, white));
  if (const Matrix<double> phases = phases_of(object); phases.size() > 0) {
    add(phase_file, "Phase of the object", "From −π, black, to π, white; grey is 0.",
        png_bytes(to_phase_image(phases, g.object_height, g.object_width), 16));
  }
  add(probe_image, "Probe", "Modulus", picture(light, g.height, g.width, brightest(light)));
  if (const Matrix<double> phases = phases_of(probe); phases.size() > 0) {
    add(probe_phase, "Phase of the probe", "From −π, black, to π, white; grey is 0.",
        png_bytes(to_phase_image(phases, g.height, g.width), 16));
  }
  record.report = [section = std::move(section), frames = g.frames(), h = g.object_height,
                   w = g.object_width](Report& report) {
    report.title = "Ptychography";
    report.subtitle =
        fmt::format("{}, an object of {} x {} pixels", format_count(frames, "frame"), h, w);
    report.sections.push_back(section);
  };
}

template <class S>
RunRecord solve(const ScanProblem<S>& problem, bool counts, double pixel,
                const RunSettings& settings, const InputFiles& files, double setup) {
  const ScanGeometry& g = problem.scan->geometry();
  ScanAnswer<S> found = fit_scan(problem, settings);
  if (!all_finite(found.answer.result.factor)) found.answer.result.status = Status::diverged;
  const Matrix<Complex> object = in_data_units(found.answer.result.factor, 1);
  const Matrix<Complex> probe = in_data_units(Matrix<S>(found.probe), problem.unit);
  RunRecord record = make_record(g.object_size(), problem.y.size(), settings,
                                 std::move(found.answer), setup, files);
  Json& summary = record.summary;
  summary["rank"] = 1;
  summary["transforms"] = found.transforms;
  summary["frames"] = g.frames();
  summary["frame_shape"] = {g.height, g.width};
  summary["shape"] = {g.object_height, g.object_width};
  summary["loss"] = to_string(found.loss);
  summary["constraint"] = settings.constraint.empty() ? "none" : settings.constraint;
  summary["channels"] = 1;
  summary["refined_probe"] = problem.refine;
  if (pixel > 0) summary["pixel_size"] = pixel;
  judge(problem, found, counts, record);
  const auto add = [&](const char* name, const Matrix<Complex>& z, Index height, Index width) {
    Array array = to_array(z);
    array.shape = {height, width};
    record.files.emplace_back(name, npy_bytes(array));
    return array;
  };
  add(object_file, object, g.object_height, g.object_width);
  record.arrays.emplace_back("probe", add(found_probe_file, probe, g.height, g.width));
  show(g, object, probe, record);
  return record;
}

template <class S>
PreparedPhase prepare(ScanData data, const PhaseInput& input, const RunSettings& settings,
                      InputFiles files, const Stopwatch& watch) {
  set_threads(settings.threads);
  const bool counts = are_counts(data.intensities);
  auto problem =
      std::make_shared<const ScanProblem<S>>(make_problem<S>(data, input, settings, files));
  return [problem, counts, pixel = data.pixel, files = std::move(files),
          setup = watch.seconds()](const RunSettings& s) {
    if (s.method != phase_settings().method) {
      throw InputError(fmt::format("method: found \"{}\" for the data of a scan, expected {}",
                                   s.method, phase_settings().method));
    }
    return solve(*problem, counts, pixel, s, files, setup);
  };
}

}  // namespace

PreparedPhase prepare_ptychography(const PhaseInput& input, const RunSettings& settings,
                                   InputFiles files) {
  const Stopwatch watch;
  ScanData data = read_scan(input, settings.truth, files);
  const double numbers = static_cast<double>(data.intensities.size());
  require_memory(80.0 * numbers + 1000.0 * static_cast<double>(data.geometry.object_size()),
                 fmt::format("ptychography of {} frames", data.geometry.frames()));
  const auto make =
      settings.single_precision ? prepare<std::complex<float>> : prepare<std::complex<double>>;
  return make(std::move(data), input, settings, std::move(files), watch);
}

std::vector<std::string> ptychography_files(const PhaseInput& input) {
  if (!input.masks.empty() || !input.vectors.empty()) return {};
  return {object_file, found_probe_file, probe_image, probe_phase};
}

}  // namespace projfgd
