#include "projfgd/jobs/simulate_ptychography.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "jobs/common/simulated.hpp"
#include "jobs/phase/files.hpp"
#include "jobs/phase/report.hpp"
#include "jobs/phase/scene.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/memory.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/io/listening.hpp"
#include "projfgd/jobs/simulate_cdp.hpp"
#include "projfgd/operators/ptychography.hpp"

namespace projfgd {
namespace {

using Complex = std::complex<double>;

constexpr Index smallest_probe = 8;
constexpr double probe_width = 0.5;    ///< part of a frame that is lit: patterns are oversampled
constexpr double edge = 0.15;          ///< part of the probe's radius over which it fades
constexpr double steepest = 0.25;      ///< turns a pixel of its curved wave front, at its edge
constexpr double displacement = 0.15;  ///< of positions from their grid, as a part of its step

void validate(const PtychographySimulation& s) {
  require_option(s.probe_size >= smallest_probe, "--probe-size", static_cast<double>(s.probe_size),
                 fmt::format("at least {} pixels", smallest_probe));
  require_option(s.overlap >= 0 && s.overlap < 1, "--overlap", s.overlap, "a fraction in [0, 1)");
  require_option(s.photons > 0, "--photons", s.photons, "a number above 0");
  require_option(std::isfinite(s.delay), "--delay", s.delay, "a finite number of radians");
}

/// A disk that fades at its edge, with the curved wave front of a beam out of focus.
Vector<Complex> make_probe(Index size) {
  Vector<Complex> probe(size * size);
  const double middle = static_cast<double>(size - 1) / 2;
  const double radius = probe_width * static_cast<double>(size) / 2;
  for (Index i = 0; i < size; ++i) {
    for (Index k = 0; k < size; ++k) {
      const double r =
          std::hypot(static_cast<double>(i) - middle, static_cast<double>(k) - middle) / radius;
      const double modulus = 0.5 * std::erfc((r - 1) / edge);
      probe[i * size + k] = std::polar(modulus, std::numbers::pi * steepest * radius * r * r);
    }
  }
  return probe;
}

/// A grid of steps with a part of them at random, so that no period of the grid stays unseen.
ScanGeometry make_scan(const PtychographySimulation& s, Index height, Index width) {
  ScanGeometry scan{height, width, s.probe_size, s.probe_size, {}};
  if (height < s.probe_size || width < s.probe_size) {
    throw InputError(
        fmt::format("--probe-size: found {}, expected no more than the object's {} x {}",
                    s.probe_size, height, width));
  }
  const double step = (1 - s.overlap) * probe_width * static_cast<double>(s.probe_size);
  const auto places = [&](Index length) {
    const double room = static_cast<double>(length - s.probe_size);
    return std::pair(std::max(1.0, std::ceil(room / std::max(step, 1.0)) + 1), room);
  };
  const auto [rows, tall] = places(height);
  const auto [columns, wide] = places(width);
  require_memory(40.0 * rows * columns * static_cast<double>(scan.frame_size()),
                 fmt::format("{} frames of {} x {}", rows * columns, s.probe_size, s.probe_size));
  const RandomStream random(s.seed, 0x5CA4);
  std::uint64_t number = 0;
  const auto place = [&](double k, double count, double room) {
    const double spacing = count > 1 ? room / (count - 1) : 0;
    const double at = k * spacing + displacement * spacing * (2 * random.uniform(number++) - 1);
    const double inside = std::clamp(at, 0.0, room);
    return s.whole_pixels ? std::round(inside) : inside;
  };
  for (double i = 0; i < rows; ++i) {
    for (double k = 0; k < columns; ++k) {
      const double row = place(i, rows, tall), column = place(k, columns, wide);
      scan.positions.push_back({row, column});
    }
  }
  return scan;
}

Matrix<Complex> make_object(const PtychographySimulation& s, const Scene& scene) {
  if (scene.channels != 1 || scene.truth.shape.size() != 2) {
    throw InputError(fmt::format("{}: found shape {}, expected the height x width of an object",
                                 s.image, shape_text(scene.truth.shape)));
  }
  Matrix<Complex> object(scene.truth.size(), 1);
  const double white =
      scene.truth.complex ? 1 : std::max(1.0, std::ranges::max(scene.truth.values));
  for (Index k = 0; k < object.rows(); ++k) {
    const Complex x = scene.truth.entry(static_cast<std::size_t>(k));
    const double part = x.real() / white;
    object(k, 0) = scene.truth.complex ? x : std::polar(1 - part / 2, s.delay * part);
  }
  return object;
}

Array as_array(std::vector<Index> shape, const Complex* values, Index count) {
  return complex_array(std::move(shape), std::vector<Complex>(values, values + count));
}

}  // namespace

Json simulate_ptychography(const PtychographySimulation& s, const std::filesystem::path& folder) {
  validate(s);
  const std::vector<std::string> names = {intensities_file, positions_file, probe_file,
                                          truth_file,       truth_image,    simulation_file};
  require_place_for_folder(folder, names);
  const SceneSource source{s.image, s.height, s.width, CdpSimulation::usual_stars, s.seed};
  require_size_of(source);
  const Listening listening(s.interrupt);
  InputFiles inputs = simulation_inputs(folder, names);
  const Scene scene = read_scene(
      source.is_drawn() ? source : SceneSource{s.image, 0, 0, CdpSimulation::usual_stars, s.seed},
      inputs);
  const Matrix<Complex> object = make_object(s, scene);
  const ScanGeometry scan = make_scan(s, scene.height, scene.width);
  stop_if(s.interrupt);
  Vector<Complex> probe = make_probe(s.probe_size);
  PtychographyOperator<Complex> op(std::make_shared<Scan<Complex>>(scan), probe);
  Vector<double> y;
  op.forward(object, y);
  stop_if(s.interrupt);
  if (std::isfinite(s.photons)) {  // in photons, and the probe with them
    probe *= std::sqrt(count_photons(s.photons, scan.frames(), RandomStream(s.seed, 0x4015E), y));
  }
  Array positions{{scan.frames(), 2}, false, {}};
  for (const ScanPosition& at : scan.positions) {
    positions.values.insert(positions.values.end(), {at.row, at.column});
  }
  const Matrix<double> moduli = object.cwiseAbs();
  const double white = std::max(1.0, moduli.maxCoeff());
  const SimulatedFiles files = {
      {intensities_file, npy_bytes({{scan.frames(), scan.height, scan.width},
                                    false,
                                    std::vector<double>(y.begin(), y.end())})},
      {positions_file, npy_bytes(positions)},
      {probe_file, npy_bytes(as_array({scan.height, scan.width}, probe.data(), probe.size()))},
      {truth_file, npy_bytes(as_array({scene.height, scene.width}, object.data(), object.size()))},
      {truth_image, png_bytes(to_image(moduli, scene.height, scene.width, white), 16)}};
  Json summary = {{"data", (folder / intensities_file).string()},
                  {"positions", (folder / positions_file).string()},
                  {"probe", (folder / probe_file).string()},
                  {"truth", (folder / truth_file).string()},
                  {"image", s.image},
                  {"shape", {scene.height, scene.width}},
                  {"frames", scan.frames()},
                  {"frame_shape", {scan.height, scan.width}},
                  {"overlap", s.overlap}};
  if (std::isfinite(s.photons)) summary["photons"] = s.photons;
  summary["seed"] = s.seed;
  publish_simulation(folder, files, s.command, summary, inputs);
  return summary;
}

}  // namespace projfgd
