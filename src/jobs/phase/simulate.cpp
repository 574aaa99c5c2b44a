#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <numbers>
#include <system_error>
#include <utility>
#include <vector>

#include "jobs/phase/files.hpp"
#include "jobs/phase/report.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/memory.hpp"
#include "projfgd/core/random.hpp"
#include "projfgd/core/require.hpp"
#include "projfgd/io/file_kind.hpp"
#include "projfgd/io/files.hpp"
#include "projfgd/io/npy.hpp"
#include "projfgd/io/text.hpp"
#include "projfgd/jobs/simulate_cdp.hpp"
#include "projfgd/operators/coded_diffraction.hpp"

namespace projfgd {
namespace {

using Complex = std::complex<double>;

constexpr const char *stars_name = "stars", *phantom_name = "phantom", *truth_image = "truth.png";

void validate(const CdpSimulation& s) {
  require_option(s.patterns >= 1, "patterns", static_cast<double>(s.patterns), "at least 1");
  if (s.stars) {
    require_option(*s.stars > 0 && *s.stars <= 1, "lit", *s.stars,
                   "a part of the pixels in (0, 1]");
    if (s.image != stars_name) {
      throw InputError(fmt::format(
          "option lit: found it with the image {}, expected it with stars alone", s.image));
    }
  }
  require_option(s.snr > -std::numeric_limits<double>::infinity(), "snr", s.snr,
                 "decibel, a finite number");
  require_option(s.photons > 0, "photons", s.photons, "a number above 0");
}

/// A Poisson number of this mean, from the uniform and normal numbers at one index.
double poisson(double mean, const RandomStream& random, std::uint64_t index) {
  if (mean > 200) {  // the Anscombe transform is normal enough there
    const double root = 2 * std::sqrt(mean + 0.375) + random.normal(index);
    return std::max(0.0, std::round(root * root / 4 - 0.375));
  }
  const double u = random.uniform(index);
  double term = std::exp(-mean), sum = term, count = 0;
  while (u > sum && count < 1000) sum += term *= mean / ++count;
  return count;
}

/// What the patterns are of.
struct Scene {
  Array truth;  ///< height x width (x channels), or the n numbers of a signal
  Index height, width, channels;
};

Scene scene_of(const Image& image) {
  Scene scene{{{image.height, image.width}, false, image.values},
              image.height,
              image.width,
              image.channels};
  if (image.channels > 1) scene.truth.shape.push_back(image.channels);
  return scene;
}

/// Of an NPY file: a signal, or an image that is complex or >= 0.
Scene scene_of(Array array, const std::string& path) {
  constexpr Index most_channels = 16;  // more are rather channels x height x width
  const std::vector<Index> shape = array.shape;
  const Index channels = shape.size() == 3 ? shape[2] : 1;
  if (array.size() == 0 || shape.empty() || shape.size() > 3 || channels > most_channels) {
    throw InputError(
        fmt::format("{}: found shape {}, expected height x width numbers, those with up to {} "
                    "channels behind, or the n of a signal",
                    path, shape_text(shape), most_channels));
  }
  require_finite(array, path);
  if (shape.size() == 1) return {std::move(array), 1, shape[0], 1};
  const auto& values = array.values;
  const auto low = std::ranges::find_if(values, [](double v) { return v < 0; });
  if (!array.complex && low != values.end()) {
    throw InputError(fmt::format("{}: found {} at {}, expected numbers >= 0", path, *low,
                                 position(array, static_cast<std::size_t>(low - values.begin()))));
  }
  return {std::move(array), shape[0], shape[1], channels};
}

Scene read_scene(const std::string& path) {
  const std::string bytes = read_file(path);
  return file_kind(bytes) == FileKind::npy ? scene_of(parse_npy(bytes, path), path)
                                           : scene_of(parse_png(bytes, path));
}

Scene source_scene(const CdpSimulation& s) {
  if (s.image == stars_name || s.image == phantom_name) {
    if (s.height == 0 && s.width == 0) {
      throw InputError(fmt::format(
          "option size: found none, expected the height and width of {}, as in 128x96", s.image));
    }
    if (s.height < 1 || s.width < 1) {
      throw InputError(
          fmt::format("size: found {} x {}, expected at least 1 x 1", s.height, s.width));
    }
    require_memory(40.0 * static_cast<double>(s.height) * static_cast<double>(s.width) *
                       static_cast<double>(s.patterns),
                   fmt::format("{} patterns of {} x {}", s.patterns, s.height, s.width));
    if (s.image == phantom_name) return scene_of(head_phantom(s.height, s.width));
    return scene_of(star_field(s.height, s.width, s.stars.value_or(s.usual_stars), s.seed));
  }
  Scene scene = read_scene(s.image);
  const bool any = s.height == 0 && s.width == 0;
  if (!any && (s.height != scene.height || s.width != scene.width)) {
    throw InputError(fmt::format("{}: found {} x {} pixels, expected the size {} x {}", s.image,
                                 scene.height, scene.width, s.height, s.width));
  }
  if (std::ranges::all_of(scene.truth.values, [](double x) { return x == 0; })) {
    throw InputError(
        fmt::format("{}: found an image that is black everywhere, expected some light", s.image));
  }
  return scene;
}

/// Adds the noise that was asked for; never below 0.
void add_noise(const CdpSimulation& s, Index channel, Vector<double>& y) {
  if (y.maxCoeff() == 0) return;  // a colour that the image does not have
  const RandomStream random(s.seed, 0x4015E + static_cast<std::uint64_t>(channel));
  if (std::isfinite(s.photons)) {
    const double unit = s.photons * static_cast<double>(s.patterns) / y.sum();
    for (Index i = 0; i < y.size(); ++i) y[i] = poisson(unit * y[i], random, i) / unit;
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

using NamedBytes = std::pair<std::string, std::string>;

Array complex_array(std::vector<Index> shape, const std::vector<Complex>& values) {
  Array array{std::move(shape), true, {}};
  array.values.reserve(2 * values.size());
  for (const Complex d : values) array.values.insert(array.values.end(), {d.real(), d.imag()});
  return array;
}

std::vector<NamedBytes> mask_files(const MaskDraw& draw, const std::vector<Index>& shape) {
  if (draw.codes.empty()) return {{masks_file, npy_bytes(complex_array(shape, draw.values))}};
  const auto meanings = static_cast<Index>(draw.table.size());
  return {{masks_file, npy_bytes(shape, draw.codes)},
          {mask_values_file, npy_bytes(complex_array({meanings}, draw.table))}};
}

}  // namespace

std::vector<std::string> drawn_image_names() { return {stars_name, phantom_name}; }

std::vector<std::string> simulated_mask_names() { return mask_family_names(); }

Image star_field(Index height, Index width, double lit, std::uint64_t seed) {
  Image image{height, width, 1, std::vector<double>(static_cast<std::size_t>(height * width))};
  const RandomStream random(seed, 0x57A5);
  const auto wanted = static_cast<Index>(std::ceil(lit * static_cast<double>(height * width)));
  Index count = 0;
  for (std::uint64_t k = 0; count < wanted; k += 4) {
    const auto row = static_cast<Index>(random.below(height, k));
    const auto column = static_cast<Index>(random.below(width, k + 1));
    const double brightness = 0.05 + 0.95 * std::pow(random.uniform(k + 2), 3);
    const Index radius = random.uniform(k + 3) < 0.3 ? 2 : 1;
    for (Index i = std::max<Index>(0, row - radius); i <= std::min(height - 1, row + radius); ++i) {
      for (Index j = std::max<Index>(0, column - radius);
           j <= std::min(width - 1, column + radius) && count < wanted; ++j) {
        const Index square = (i - row) * (i - row) + (j - column) * (j - column);
        if (square > radius * radius + 1) continue;
        double& pixel = image.values[static_cast<std::size_t>(i * width + j)];
        if (pixel == 0) ++count;
        pixel = std::min(1.0, pixel + brightness * std::exp(-static_cast<double>(square)));
      }
    }
  }
  return image;
}

Image head_phantom(Index height, Index width) {
  struct Ellipse {
    double value, a, b, x, y, degrees;
  };
  constexpr Ellipse ellipses[] = {{1, .69, .92, 0, 0, 0},        {-.8, .6624, .874, 0, -.0184, 0},
                                  {-.2, .11, .31, .22, 0, -18},  {-.2, .16, .41, -.22, 0, 18},
                                  {.1, .21, .25, 0, .35, 0},     {.1, .046, .046, 0, .1, 0},
                                  {.1, .046, .046, 0, -.1, 0},   {.1, .046, .023, -.08, -.605, 0},
                                  {.1, .023, .023, 0, -.606, 0}, {.1, .023, .046, .06, -.605, 0}};
  Image image{height, width, 1, {}};
  image.values.reserve(static_cast<std::size_t>(height * width));
  for (Index i = 0; i < height; ++i) {
    for (Index j = 0; j < width; ++j) {
      const double x = (2.0 * static_cast<double>(j) + 1) / static_cast<double>(width) - 1;
      const double y = 1 - (2.0 * static_cast<double>(i) + 1) / static_cast<double>(height);
      double value = 0;
      for (const Ellipse& e : ellipses) {
        const double turn = e.degrees * std::numbers::pi / 180;
        const double u = (x - e.x) * std::cos(turn) + (y - e.y) * std::sin(turn);
        const double v = (y - e.y) * std::cos(turn) - (x - e.x) * std::sin(turn);
        if (u * u / (e.a * e.a) + v * v / (e.b * e.b) <= 1) value += e.value;
      }
      image.values.push_back(std::clamp(value, 0.0, 1.0));
    }
  }
  return image;
}

Json simulate_cdp(const CdpSimulation& s, const std::filesystem::path& folder) {
  validate(s);
  require_place_for_folder(
      folder, {intensities_file, masks_file, mask_values_file, truth_file, truth_image});
  const MaskFamily family = mask_family(s.masks);
  const Scene scene = source_scene(s);
  const Index n = scene.height * scene.width;
  require_memory(40.0 * static_cast<double>(n) * static_cast<double>(s.patterns),
                 fmt::format("{} patterns of {} x {}", s.patterns, scene.height, scene.width));
  std::vector<Index> shape{s.patterns, scene.height, scene.width};
  if (scene.truth.shape.size() == 1) shape = {s.patterns, n};
  stop_if(s.interrupt);
  MaskDraw draw = draw_masks(family, s.patterns, n, s.seed);
  stop_if(s.interrupt);
  const bool has_codes = !draw.codes.empty();
  std::vector<NamedBytes> files = mask_files(draw, shape);  // written when all of them are made
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
  make_folder(folder);
  for (const auto& [name, bytes] : files) write_file(folder / name, bytes);
  std::error_code ignored;
  if (!has_codes) std::filesystem::remove(folder / mask_values_file, ignored);  // of other masks
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
  return summary;
}

}  // namespace projfgd
