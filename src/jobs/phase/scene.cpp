#include "jobs/phase/scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "jobs/common/start_file.hpp"
#include "projfgd/core/did_you_mean.hpp"
#include "projfgd/core/error.hpp"
#include "projfgd/core/memory.hpp"
#include "projfgd/io/file_kind.hpp"
#include "projfgd/io/png.hpp"
#include "projfgd/jobs/simulate_cdp.hpp"

namespace projfgd {
namespace {

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
        fmt::format("{}: found shape {}, expected height x width, the same with up to {} channels "
                    "as the last axis, or n for a signal",
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

void require_room(double pixels, const SceneSource& s) {
  require_memory(s.bytes_of_pixel * pixels,
                 fmt::format("patterns of {:.0f} pixels of {}", pixels, s.image));
}

Scene read_scene_file(const SceneSource& s, InputFiles& inputs) {
  if (is_unknown_word(s.image, inputs)) {
    throw InputError(unknown_name("--image", s.image, drawn_image_names(), "a PNG or NPY file"));
  }
  const std::string bytes = inputs.read(s.image);
  if (file_kind(bytes) == FileKind::npy) {
    Scene scene = scene_of(parse_npy(bytes, s.image), s.image);
    require_room(static_cast<double>(scene.height) * static_cast<double>(scene.width), s);
    return scene;
  }
  if (const auto [height, width] = png_size(bytes); height > 0) {
    require_room(static_cast<double>(height) * static_cast<double>(width), s);
  }
  return scene_of(parse_png(bytes, s.image));
}

}  // namespace

/// A Poisson number of this mean, from the uniform and normal numbers at one index.
Array complex_array(std::vector<Index> shape, const std::vector<std::complex<double>>& values) {
  Array array{std::move(shape), true, {}};
  array.values.reserve(2 * values.size());
  for (const std::complex<double> d : values)
    array.values.insert(array.values.end(), {d.real(), d.imag()});
  return array;
}

std::vector<std::string> drawn_image_names() { return {stars_name, phantom_name}; }

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

void require_size_of(const SceneSource& s) {
  if (!s.is_drawn()) return;
  if (s.height == 0 && s.width == 0) {
    throw InputError(fmt::format(
        "--size: found none, expected the height and width of {}, as in 128x96", s.image));
  }
  if (s.height < 1 || s.width < 1) {
    throw InputError(
        fmt::format("--size: found {} x {}, expected at least 1 x 1", s.height, s.width));
  }
}

Scene read_scene(const SceneSource& s, InputFiles& inputs) {
  require_size_of(s);
  if (s.is_drawn()) require_room(static_cast<double>(s.height) * static_cast<double>(s.width), s);
  if (s.image == phantom_name) return scene_of(head_phantom(s.height, s.width));
  if (s.image == stars_name) return scene_of(star_field(s.height, s.width, s.lit, s.seed));
  Scene scene = read_scene_file(s, inputs);
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

double count_photons(double photons, Index patterns, const RandomStream& random,
                     Vector<double>& y) {
  const double unit = photons * static_cast<double>(patterns) / y.sum();
  for (Index i = 0; i < y.size(); ++i) y[i] = poisson_number(unit * y[i], random, i);
  if (y.maxCoeff() > 0) return unit;
  throw InputError(fmt::format("--photons: found {:g}, expected more: none was counted", photons));
}

}  // namespace projfgd
