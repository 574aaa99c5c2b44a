#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <system_error>
#include <utility>
#include <vector>

#include "jobs/common/simulated.hpp"
#include "jobs/phase/files.hpp"
#include "jobs/phase/report.hpp"
#include "jobs/phase/scene.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/memory.hpp"
#include "projfgd/core/random.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/io/listening.hpp"
#include "projfgd/io/npy.hpp"
#include "projfgd/io/text.hpp"
#include "projfgd/jobs/simulate_cdp.hpp"
#include "projfgd/operators/coded_diffraction.hpp"

namespace projfgd {
namespace {

using Complex = std::complex<double>;

void validate(const CdpSimulation& s) {
  require_option(s.patterns >= 1, "--patterns", static_cast<double>(s.patterns), "at least 1");
  if (s.stars) {
    require_option(*s.stars > 0 && *s.stars <= 1, "--lit", *s.stars,
                   "a fraction of the pixels in (0, 1]");
    if (s.image != stars_name) {
      throw InputError(fmt::format("--lit: found the image {}, expected stars", s.image));
    }
  }
  require_option(s.snr > -std::numeric_limits<double>::infinity(), "--snr", s.snr,
                 "a finite number of decibels");
  require_option(s.photons > 0, "--photons", s.photons, "a number above 0");
}

/// Adds the noise that was asked for; never below 0.
void add_noise(const CdpSimulation& s, Index channel, Vector<double>& y) {
  if (y.maxCoeff() == 0) return;  // a colour that the image does not have
  const RandomStream random(s.seed, 0x4015E + static_cast<std::uint64_t>(channel));
  if (std::isfinite(s.photons)) {
    y /= count_photons(s.photons, s.patterns, random, y);
  }
  if (std::isfinite(s.snr)) {
    const double deviation =
        y.norm() / std::sqrt(static_cast<double>(y.size())) * std::pow(10.0, -s.snr / 20);
    for (Index i = 0; i < y.size(); ++i) {
      y[i] = std::max(0.0, y[i] + deviation * random.normal(i + (std::uint64_t{1} << 40)));
    }
  }
  if (!(y.maxCoeff() <= largest_magnitude)) {
    throw InputError(fmt::format(
        "noise: found intensities above {} with --snr {} and --photons {}, expected less noise",
        largest_magnitude, s.snr, s.photons));
  }
}

SimulatedFiles mask_files(const MaskDraw& draw, const std::vector<Index>& shape) {
  if (draw.codes.empty()) return {{masks_file, npy_bytes(complex_array(shape, draw.values))}};
  const auto meanings = static_cast<Index>(draw.table.size());
  return {{masks_file, npy_bytes(shape, draw.codes)},
          {mask_values_file, npy_bytes(complex_array({meanings}, draw.table))}};
}

}  // namespace

std::vector<std::string> simulated_mask_names() { return mask_family_names(); }

Json simulate_cdp(const CdpSimulation& s, const std::filesystem::path& folder) {
  validate(s);
  const std::vector<std::string> names = {intensities_file, masks_file,  mask_values_file,
                                          truth_file,       truth_image, simulation_file};
  require_place_for_folder(folder, names);
  const MaskFamily family = mask_family(s.masks);
  constexpr double bytes_of_pixel = 40;  // with its intensity, its mask and their files
  SceneSource source{s.image, s.height, s.width, s.stars.value_or(s.usual_stars), s.seed};
  source.bytes_of_pixel = bytes_of_pixel * static_cast<double>(s.patterns);
  require_size_of(source);
  const Listening listening(s.interrupt);
  InputFiles inputs = simulation_inputs(folder, names);
  const Scene scene = read_scene(source, inputs);
  const Index n = scene.height * scene.width;
  std::vector<Index> shape{s.patterns, scene.height, scene.width};
  if (scene.truth.shape.size() == 1) shape = {s.patterns, n};
  stop_if(s.interrupt);
  MaskDraw draw = draw_masks(family, s.patterns, n, s.seed);
  stop_if(s.interrupt);
  const bool has_codes = !draw.codes.empty();
  SimulatedFiles files = mask_files(draw, shape);  // written when all of them are made
  const CodedDiffractionOperator<Complex> op(
      scene.height, scene.width,
      draw.codes.empty() ? Masks<Complex>(s.patterns, n, std::move(draw.values))
                         : Masks<Complex>(s.patterns, n, std::move(draw.codes), draw.table));
  Matrix<Complex> image(n, scene.channels);
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < scene.channels; ++c) {
      image(i, c) = scene.truth.entry(static_cast<std::size_t>(i * scene.channels + c));
    }
  }
  Array intensities{shape, false, {}};
  if (scene.channels > 1) intensities.shape.insert(intensities.shape.begin(), scene.channels);
  for (Index c = 0; c < scene.channels; ++c) {
    Vector<double> y;
    stop_if(s.interrupt);
    op.forward(image.col(c), y);
    stop_if(s.interrupt);
    add_noise(s, c, y);
    intensities.values.insert(intensities.values.end(), y.begin(), y.end());
  }
  const Matrix<double> moduli = image.cwiseAbs();
  const double white = std::max(1.0, moduli.maxCoeff());
  files.emplace_back(intensities_file, npy_bytes(intensities));
  files.emplace_back(truth_file, npy_bytes(scene.truth));
  files.emplace_back(truth_image,
                     png_bytes(to_image(moduli, scene.height, scene.width, white), 16));
  stop_if(s.interrupt);
  Json summary = {{"data", (folder / intensities_file).string()},
                  {"mask_data", (folder / masks_file).string()},
                  {"truth", (folder / truth_file).string()},
                  {"image", s.image},
                  {"shape", {scene.height, scene.width}},
                  {"channels", scene.channels},
                  {"patterns", s.patterns},
                  {"masks", s.masks}};
  if (has_codes) summary["mask_values"] = (folder / mask_values_file).string();
  if (std::isfinite(s.snr)) summary["snr"] = s.snr;
  if (std::isfinite(s.photons)) summary["photons"] = s.photons;
  summary["seed"] = s.seed;
  publish_simulation(folder, files, s.command, summary, inputs);
  return summary;
}

}  // namespace projfgd
