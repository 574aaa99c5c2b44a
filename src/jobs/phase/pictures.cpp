#include "jobs/phase/pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "jobs/phase/report.hpp"

namespace projfgd {
namespace {

constexpr int shown_bits = 8;  // a screen shows no more

/// Red, green and blue of an angle, each a third of a turn from the other two.
std::array<double, 3> hue(double angle) {
  constexpr double third = 2 * std::numbers::pi / 3;
  std::array<double, 3> colour{};
  for (std::size_t c = 0; c < colour.size(); ++c) {
    colour[c] = 0.5 + 0.5 * std::cos(angle - static_cast<double>(c) * third);
  }
  return colour;
}

ColourBar hues() {
  constexpr int steps = 12;
  ColourBar bar{{}, "−π", "π"};
  for (int k = 0; k <= steps; ++k) {
    const auto [r, g, b] = hue((2.0 * k / steps - 1) * std::numbers::pi);
    bar.colours.push_back(fmt::format("rgb({:.0f},{:.0f},{:.0f})", 255 * r, 255 * g, 255 * b));
  }
  return bar;
}

}  // namespace

Picture modulus_picture(std::string title, std::string caption, const Matrix<double>& moduli,
                        Index height, Index width, double white) {
  Picture picture{std::move(title), std::move(caption),
                  png_bytes(to_image(moduli, height, width, white), shown_bits)};
  if (moduli.cols() == 1) picture.colours = {{"#000", "#fff"}, "0", format_number(white)};
  return picture;
}

Picture phase_picture(std::string title, const Matrix<double>& phases, Index height, Index width,
                      const Matrix<double>& moduli) {
  constexpr double full_light = 0.25;  // part of the largest modulus from which hues are bright
  const double white = full_light * brightest(moduli);
  Image image{height, width, 3, {}};
  image.values.reserve(static_cast<std::size_t>(3 * height * width));
  for (Index i = 0; i < height * width; ++i) {
    std::array<double, 3> colour = hue(phases(i, 0));
    if (moduli.size() > 0) {
      for (double& part : colour) part *= std::min(1.0, moduli(i, 0) / white);
    }
    image.values.insert(image.values.end(), colour.begin(), colour.end());
  }
  return {std::move(title), "", png_bytes(image, shown_bits), hues()};
}

}  // namespace projfgd
