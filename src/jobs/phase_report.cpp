#include "phase_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "projfgd/io/charts.hpp"

namespace projfgd {
namespace {

Section image_section(const PhaseImages& images) {
  Section section{.title = "Images"};
  const auto show = [&](const char* title, const char* what, const Matrix<double>& moduli,
                        double white) {
    if (moduli.size() == 0) return;
    const Image image = to_image(moduli, images.height, images.width, white);
    section.blocks.emplace_back(Picture{
        title, fmt::format("{}; white is {}.", what, format_number(white)), png_bytes(image, 8)});
  };
  const double white = brightest(images.truth.size() > 0 ? images.truth : images.found);
  show("Truth", "Modulus", images.truth, white);
  show("Start", "Modulus", images.start, brightest(images.start));
  show("Result", "Modulus", images.found, white);
  show("Error", "Distance from the truth", images.error, brightest(images.error));
  return section;
}

Section signal_section(const PhaseImages& images) {
  std::vector<charts::Line> lines;
  const auto show = [&](const char* name, const Matrix<double>& moduli, bool dashed) {
    if (moduli.size() == 0) return;
    charts::Line line{.name = name, .dashed = dashed};
    for (Index k = 0; k < moduli.rows(); ++k) {
      line.x.push_back(static_cast<double>(k));
      line.y.push_back(moduli(k, 0));
    }
    lines.push_back(std::move(line));
  };
  show("start", images.start, false);
  show("truth", images.truth, false);
  show("result", images.found, images.truth.size() > 0);  // so that what is below it can be seen
  Section section{.title = "Signal", .columns = Columns::one};
  for (const charts::Line& line : lines) section.legend.push_back(line.name);
  section.blocks.emplace_back(charts::lines("Modulus", lines, {"entry"}, {"modulus"}));
  return section;
}

}  // namespace

double brightest(const Matrix<double>& moduli) {
  return std::max(moduli.size() > 0 ? moduli.maxCoeff() : 0.0, 1e-300);
}

Image to_image(const Matrix<double>& moduli, Index height, Index width, double white) {
  Image image{height, width, moduli.cols() == 3 ? 3 : 1, {}};
  image.values.reserve(static_cast<std::size_t>(moduli.rows() * image.channels));
  for (Index i = 0; i < moduli.rows(); ++i) {
    for (Index c = 0; c < image.channels; ++c) image.values.push_back(moduli(i, c) / white);
  }
  return image;
}

std::function<void(Report&)> phase_report(PhaseImages images, Fit fit) {
  return [images = std::move(images), fit = std::move(fit)](Report& report) {
    report.title = "Phase retrieval";
    const Index n = images.height * images.width;
    report.subtitle =
        images.vectors ? fmt::format("A signal of {} entries", n)
        : images.height > 1
            ? fmt::format("{}, {} x {} pixels", format_count(images.patterns, "pattern"),
                          images.height, images.width)
            : fmt::format("{}, a signal of {} entries", format_count(images.patterns, "pattern"),
                          n);
    report.sections.push_back(images.height > 1 ? image_section(images) : signal_section(images));
    if (!fit.measured.empty()) report.sections.push_back(fit_section(fit));
  };
}

}  // namespace projfgd
