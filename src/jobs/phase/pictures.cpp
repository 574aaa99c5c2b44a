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

using Colour = std::array<double, 3>;

/// The colours of -pi, -pi/2, 0 and pi/2. Neighbours differ in lightness, opposite ones in blue and
/// yellow too, so that they are told apart by who does not tell red from green.
constexpr std::array<Colour, 4> quarters = {
    {{0.11, 0.08, 0.29}, {0.29, 0.64, 0.87}, {0.96, 0.91, 0.69}, {0.84, 0.37, 0.0}}};

Colour blend(const Colour& a, const Colour& b, double part_of_b) {
  Colour colour{};
  for (std::size_t c = 0; c < colour.size(); ++c) colour[c] = std::lerp(a[c], b[c], part_of_b);
  return colour;
}

Colour colour_of(double angle) {
  const double turned = std::clamp((angle / std::numbers::pi + 1) * 2, 0.0, 4.0);
  const auto k = std::min(static_cast<std::size_t>(turned), quarters.size() - 1);
  return blend(quarters[k], quarters[(k + 1) % quarters.size()], turned - static_cast<double>(k));
}

ColourBar circle() {
  constexpr int steps = 12;
  ColourBar bar{{}, "−π", "π"};
  for (int k = 0; k <= steps; ++k) {
    const auto [r, g, b] = colour_of((2.0 * k / steps - 1) * std::numbers::pi);
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
  constexpr double full_colour = 0.25;  // part of the largest modulus from which colours are full
  constexpr Colour grey = {0.5, 0.5, 0.5};
  const double full = full_colour * brightest(moduli);
  Image image{height, width, 3, {}};
  image.values.reserve(static_cast<std::size_t>(3 * height * width));
  for (Index i = 0; i < height * width; ++i) {
    const Colour colour = blend(grey, colour_of(phases(i, 0)), std::min(1.0, moduli(i, 0) / full));
    image.values.insert(image.values.end(), colour.begin(), colour.end());
  }
  return {std::move(title), "Grey where the modulus is small", png_bytes(image, shown_bits),
          circle()};
}

}  // namespace projfgd
