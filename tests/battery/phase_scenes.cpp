#include "battery/phase_scenes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "projfgd/jobs/simulate_cdp.hpp"
#include "projfgd/operators/coded_diffraction.hpp"
#include "projfgd/operators/fourier.hpp"

namespace projfgd::battery {
namespace {

double uniform(Generator& random) { return std::uniform_real_distribution<>()(random); }

}  // namespace

std::vector<double> smooth(Index height, Index width, double fall, Generator& random) {
  const FourierTransform<double> transform(height, width);
  std::normal_distribution<> normal;
  std::vector<S> waves(static_cast<std::size_t>(height * width));
  for (Index i = 0; i < height; ++i) {
    for (Index j = 0; j < width; ++j) {
      const double u = static_cast<double>(std::min(i, height - i)) / static_cast<double>(height);
      const double v = static_cast<double>(std::min(j, width - j)) / static_cast<double>(width);
      const double size = std::pow(std::hypot(u, v) + 1.0 / static_cast<double>(height), -fall);
      waves[static_cast<std::size_t>(i * width + j)] = S(normal(random), normal(random)) * size;
    }
  }
  std::vector<double> field(waves.size());
  transform.backward(waves.data(), [&](Index i, const S* row) {
    for (Index j = 0; j < width; ++j)
      field[static_cast<std::size_t>(i * width + j)] = row[j].real();
  });
  const auto [least, most] = std::ranges::minmax(field);
  for (double& x : field) x = (x - least) / (most - least);
  return field;
}

namespace {

/// Smooth light and shade with sharp boxes and discs in it.
std::vector<S> drawn_photograph(Index height, Index width, Generator& random) {
  const std::vector<double> ground = smooth(height, width, 1.3, random);
  std::vector<S> image(ground.begin(), ground.end());
  for (int shape = 0; shape < 6; ++shape) {
    const auto top = static_cast<Index>(uniform(random) * static_cast<double>(height));
    const auto left = static_cast<Index>(uniform(random) * static_cast<double>(width));
    const auto tall = 3 + static_cast<Index>(uniform(random) * static_cast<double>(height) / 4);
    const auto wide = 3 + static_cast<Index>(uniform(random) * static_cast<double>(width) / 4);
    const double grey = uniform(random);
    const bool disc = uniform(random) < 0.5;
    for (Index i = 0; i < tall && top + i < height; ++i) {
      for (Index j = 0; j < wide && left + j < width; ++j) {
        const double u = 2.0 * static_cast<double>(i) / static_cast<double>(tall) - 1;
        const double v = 2.0 * static_cast<double>(j) / static_cast<double>(wide) - 1;
        if (disc && u * u + v * v > 1) continue;
        S& pixel = image[static_cast<std::size_t>((top + i) * width + left + j)];
        pixel = (pixel + grey) / 2.0;
      }
    }
  }
  return image;
}

}  // namespace

std::vector<S> photograph(const Recipe& recipe, Index height, Index width, Generator& random) {
  if (recipe.pictures.empty()) return drawn_photograph(height, width, random);
  const std::vector<double> picture = recipe.pictures.draw(height, width, random);
  return {picture.begin(), picture.end()};
}

namespace {

/// The brightest tenth of a picture on a dark ground.
void darken(std::vector<double>& picture) {
  std::vector<double> sorted = picture;
  const auto dark = sorted.begin() + std::ssize(sorted) * 9 / 10;
  std::ranges::nth_element(sorted, dark);
  for (double& x : picture) x = std::max(0.0, x - *dark);
}

std::vector<S> image_of(const Recipe& recipe, Index height, Index width, Generator& random) {
  if (recipe.image == "stars") {
    std::vector<double> stars;
    if (recipe.pictures.empty()) {
      stars = star_field(height, width, 0.1, random()).values;
    } else {
      darken(stars = recipe.pictures.draw(height, width, random));
    }
    return {stars.begin(), stars.end()};
  }
  std::vector<S> image = photograph(recipe, height, width, random);
  if (recipe.image == "complex") {
    const std::vector<double> angles = recipe.pictures.empty()
                                           ? smooth(height, width, 1.0, random)
                                           : recipe.pictures.draw(height, width, random);
    for (std::size_t k = 0; k < image.size(); ++k) {
      image[k] *= std::polar(1.0, 2 * std::numbers::pi * angles[k]);
    }
  }
  return image;
}

}  // namespace

std::vector<double> support_of(const std::string& shape, Index height, Index width) {
  std::vector<double> inside(static_cast<std::size_t>(height * width), shape.empty() ? 1 : 0);
  if (shape.empty()) return inside;
  const Index tall = height / 2, wide = width / 2;
  for (Index i = 0; i < tall; ++i) {
    const Index end = shape == "triangle" ? wide - i * wide / tall : wide;
    for (Index j = 0; j < end; ++j) inside[static_cast<std::size_t>(i * width + j)] = 1;
  }
  return inside;
}

std::vector<S> truth_of(const Recipe& recipe, const std::vector<double>& inside,
                        Generator& random) {
  const Index height = recipe.height, width = recipe.width;
  if (recipe.support.empty()) return image_of(recipe, height, width, random);
  const std::vector<S> corner = image_of(recipe, height / 2, width / 2, random);
  std::vector<S> image(inside.size());
  for (Index i = 0; i < height / 2; ++i) {
    for (Index j = 0; j < width / 2; ++j) {
      const auto k = static_cast<std::size_t>(i * width + j);
      image[k] = inside[k] * corner[static_cast<std::size_t>(i * (width / 2) + j)];
    }
  }
  return image;
}

std::vector<S> masks_of(const Recipe& recipe, Generator& random) {
  std::vector<S> masks(static_cast<std::size_t>(recipe.patterns * recipe.height * recipe.width), 1);
  constexpr S turns[] = {S(1, 0), S(-1, 0), S(0, 1), S(0, -1)};
  for (S& d : masks) {
    if (recipe.masks == "stencil") d = uniform(random) < 0.5 ? 0 : 1;
    if (recipe.masks == "phases") d = std::polar(1.0, 2 * std::numbers::pi * uniform(random));
    if (recipe.masks == "coded") {
      d = turns[random() % 4] * (uniform(random) < 0.2 ? std::sqrt(3.0) : std::sqrt(0.5));
    }
  }
  return masks;
}

Vector<double> intensities_of(const Recipe& recipe, const std::vector<S>& masks,
                              const Matrix<S>& image, Generator& random) {
  const Index n = recipe.height * recipe.width;
  const CodedDiffractionOperator<S> op(recipe.height, recipe.width,
                                       Masks<S>(recipe.patterns, n, masks));
  Vector<double> y;
  op.forward(image, y);
  if (recipe.mistake == "background") y.array() += 0.1 * y.mean();
  if (recipe.snr > 0) {
    std::normal_distribution<> normal;
    const double level =
        y.norm() / std::sqrt(static_cast<double>(y.size())) * std::pow(10.0, -recipe.snr / 20);
    for (double& value : y) value = std::max(0.0, value + level * normal(random));
  }
  if (recipe.photons > 0) {
    const double scale = recipe.photons * static_cast<double>(recipe.patterns) / y.sum();
    for (double& value : y) {
      const double mean = value * scale;
      value =
          mean > 0 ? static_cast<double>(std::poisson_distribution<long>(mean)(random)) / scale : 0;
    }
  }
  return y;
}

Vector<double> centred(const Vector<double>& y, Index height, Index width) {
  Vector<double> out(y.size());
  for (Index first = 0; first < y.size(); first += height * width) {
    for (Index i = 0; i < height; ++i) {
      for (Index j = 0; j < width; ++j) {
        out[first + (i + height / 2) % height * width + (j + width / 2) % width] =
            y[first + i * width + j];
      }
    }
  }
  return out;
}

}  // namespace projfgd::battery
