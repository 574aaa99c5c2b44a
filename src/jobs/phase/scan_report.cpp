#include "jobs/phase/scan_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "jobs/phase/files.hpp"
#include "jobs/phase/pictures.hpp"
#include "jobs/phase/report.hpp"
#include "projfgd/io/charts.hpp"

namespace projfgd {
namespace {

using Complex = std::complex<double>;

constexpr const char *probe_image = "probe.png", *probe_phase = "probe_phase.png",
                     *scan_file = "scan.png";

constexpr int stored_bits = 16;

/// The object where it is well lit, and 0 elsewhere: pixels that hardly a frame sees hold noise
/// alone, and the brightest of them would make the others dark.
Matrix<Complex> lit_part(const ScanImages& images) {
  return (images.illumination.array() >= well_lit).select(images.object, Complex(0));
}

/// Modulus and, where it is not real and nonnegative, phase of a wave: grey for other programs in
/// files, and with what colours mean in the report.
void show_wave(const char* title, const Matrix<Complex>& wave, Index height, Index width,
               const char* modulus_file, const char* phase_name, Section& section,
               RunRecord& record) {
  const Matrix<double> moduli = wave.cwiseAbs(), phases = phases_of(wave);
  const double white = brightest(moduli);
  section.blocks.emplace_back(modulus_picture(title, "Modulus", moduli, height, width, white));
  record.files.emplace_back(modulus_file,
                            png_bytes(to_image(moduli, height, width, white), stored_bits));
  if (phases.size() == 0) return;
  section.blocks.emplace_back(
      phase_picture(fmt::format("{}, phase", title), phases, height, width, moduli));
  record.files.emplace_back(phase_name,
                            png_bytes(to_phase_image(phases, height, width), stored_bits));
}

using Colour = std::array<double, 3>;

/// From blue, the least, over white to orange, the most: also told apart by those who see few
/// colours.
Colour residual_colour(double part) {
  constexpr Colour least{0.2, 0.5, 1.0}, middle{1, 1, 1}, most{1.0, 0.5, 0.0};
  const Colour& end = part < 0.5 ? least : most;
  const double away = std::abs(2 * part - 1);
  Colour mixed{};
  for (std::size_t c = 0; c < mixed.size(); ++c) mixed[c] = middle[c] + away * (end[c] - middle[c]);
  return mixed;
}

std::string css(const Colour& c) {
  return fmt::format("rgb({:.0f},{:.0f},{:.0f})", 255 * c[0], 255 * c[1], 255 * c[2]);
}

/// The light that falls on the object, with a dot in the middle of each frame whose colour is the
/// frame's residual.
Picture scan_picture(const ScanImages& images) {
  constexpr Index least_side = 400;   // pixels of the picture, so that dots are round
  constexpr double background = 0.5;  // brightness of the most light
  constexpr double dot_of_frame = 0.05, least_dot = 3;  // radius, part of a frame and pixels
  const ScanGeometry& g = images.geometry;
  const Index zoom =
      std::max<Index>(1, (least_side + std::max(g.object_height, g.object_width) - 1) /
                             std::max(g.object_height, g.object_width));
  const Index height = zoom * g.object_height, width = zoom * g.object_width;
  Image image{height, width, 3, {}};
  image.values.reserve(static_cast<std::size_t>(3 * height * width));
  for (Index i = 0; i < height; ++i) {
    for (Index k = 0; k < width; ++k) {
      const double light = images.illumination(i / zoom * g.object_width + k / zoom, 0);
      image.values.insert(image.values.end(), 3, background * std::sqrt(light));
    }
  }
  const auto [low, high] = std::ranges::minmax(images.frame_misfits);
  const double scale = static_cast<double>(zoom);
  const double radius =
      std::max(least_dot, dot_of_frame * scale * static_cast<double>(std::min(g.height, g.width)));
  for (std::size_t j = 0; j < g.positions.size(); ++j) {
    const double row = scale * (g.positions[j].row + static_cast<double>(g.height) / 2);
    const double column = scale * (g.positions[j].column + static_cast<double>(g.width) / 2);
    const Colour colour =
        residual_colour(high > low ? (images.frame_misfits[j] - low) / (high - low) : 0);
    const auto first = [&](double x) { return std::max<Index>(0, std::lround(x - radius)); };
    const auto end = [&](double x, Index n) { return std::min(n, Index{std::lround(x + radius)}); };
    for (Index i = first(row); i < end(row, height); ++i) {
      for (Index k = first(column); k < end(column, width); ++k) {
        const double away =
            std::hypot(static_cast<double>(i) + 0.5 - row, static_cast<double>(k) + 0.5 - column);
        if (away > radius) continue;
        std::ranges::copy(colour, image.values.begin() + 3 * (i * width + k));
      }
    }
  }
  ColourBar bar{{css(residual_colour(0)), css(residual_colour(0.5)), css(residual_colour(1))},
                format_number(low, 2),
                format_number(high, 2)};
  return {
      "Scan",
      "Where the light falls. Each dot is a frame, coloured by its relative amplitude residual.",
      png_bytes(image, 8), std::move(bar)};
}

Section frame_section(const std::vector<double>& misfits) {
  const auto step = static_cast<std::size_t>(selection_step(std::ssize(misfits)));
  charts::Line line{.name = "residual"};
  for (std::size_t j = 0; j < misfits.size(); j += step) {
    line.x.push_back(static_cast<double>(j));
    line.y.push_back(misfits[j]);
  }
  Section section{.title = "Frames", .columns = Columns::one};
  section.blocks.emplace_back(
      charts::lines("Relative amplitude residual of each frame", {line}, {"Frame"}, {"Residual"}));
  return section;
}

}  // namespace

std::vector<std::string> scan_pictures() { return {probe_image, probe_phase, scan_file}; }

void show_scan(ScanImages images, RunRecord& record) {
  const ScanGeometry& g = images.geometry;
  Section pictures{.title = "Images"};
  show_wave("Object", lit_part(images), g.object_height, g.object_width, image_file, phase_file,
            pictures, record);
  show_wave("Probe", images.probe, g.height, g.width, probe_image, probe_phase, pictures, record);
  Picture scan = scan_picture(images);
  record.files.emplace_back(scan_file, scan.png);
  pictures.blocks.emplace_back(std::move(scan));
  record.report = [pictures = std::move(pictures), images = std::move(images)](Report& report) {
    const ScanGeometry& geometry = images.geometry;
    report.title = "Ptychography";
    report.subtitle = fmt::format("{} of {} x {} pixels, an object of {} x {}",
                                  format_count(geometry.frames(), "frame"), geometry.height,
                                  geometry.width, geometry.object_height, geometry.object_width);
    report.sections.push_back(pictures);
    report.sections.push_back(frame_section(images.frame_misfits));
    if (!images.shown.measured.empty()) report.sections.push_back(fit_section(images.shown));
  };
}

}  // namespace projfgd
