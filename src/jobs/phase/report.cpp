#include "jobs/phase/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "jobs/phase/pictures.hpp"
#include "projfgd/io/charts.hpp"

namespace projfgd {
namespace {

Section image_section(const PhaseImages& images) {
  Section section{.title = "Images"};
  const auto show = [&](const char* title, const char* what, const Matrix<double>& moduli,
                        double white) {
    if (moduli.size() == 0) return;
    section.blocks.emplace_back(
        modulus_picture(title, what, moduli, images.height, images.width, white));
  };
  const double white = brightest(images.truth.size() > 0 ? images.truth : images.found);
  show("Result", "Modulus", images.found, white);
  show("Truth", "Modulus", images.truth, white);
  show("Error", "Distance from the truth", images.error, brightest(images.error));
  const auto show_phases = [&](const char* title, const Matrix<double>& phases,
                               const Matrix<double>& moduli) {
    if (phases.size() == 0) return;
    section.blocks.emplace_back(phase_picture(title, phases, images.height, images.width, moduli));
  };
  show_phases("Phase of the result", images.phases, images.found);
  show_phases("Phase of the truth", images.true_phases, images.truth);
  show("Start", "Modulus", images.start, brightest(images.start));
  return section;
}

charts::Line line_of(const char* name, const Matrix<double>& values, bool dashed) {
  charts::Line line{.name = name, .dashed = dashed};
  for (Index k = 0; k < values.rows(); ++k) {
    line.x.push_back(static_cast<double>(k));
    line.y.push_back(values(k, 0));
  }
  return line;
}

Section signal_section(const PhaseImages& images) {
  std::vector<charts::Line> lines;
  const auto show = [&](const char* name, const Matrix<double>& moduli, bool dashed) {
    if (moduli.size() > 0) lines.push_back(line_of(name, moduli, dashed));
  };
  show("start", images.start, false);
  show("truth", images.truth, false);
  show("result", images.found, images.truth.size() > 0);  // so that what is below it can be seen
  Section section{.title = "Signal", .columns = Columns::one};
  for (const charts::Line& line : lines) section.legend.push_back(line.name);
  section.blocks.emplace_back(charts::lines("Modulus", lines, {"Entry"}, {"Modulus"}));
  if (images.phases.size() > 0) {
    std::vector<charts::Line> phases;
    const bool known = images.true_phases.size() > 0;
    if (known) phases.push_back(line_of("truth", images.true_phases, false));
    phases.push_back(line_of("result", images.phases, known));
    section.blocks.emplace_back(
        charts::lines(known ? "Phase" : "Phase of the result", phases, {"Entry"}, {"Phase"}));
  }
  return section;
}

/// How fine the details are that the result shares with the truth.
Section detail_section(const RingCorrelation& rings) {
  Section section{.title = "Details", .columns = Columns::one};
  section.text = fmt::format(
      "The correlation of result and truth at each spatial frequency: 1 where they agree, below "
      "one half where details are lost. Details are resolved down to {:.2g} {}.",
      rings.resolution(), rings.resolution() == 1 ? "pixel" : "pixels");
  Chart chart = charts::lines("Fourier ring correlation",
                              {{"correlation", rings.frequency, rings.correlation}},
                              {"Cycles per pixel"}, {"Correlation"});
  constexpr double lowest = -0.05, highest = 1.05;
  chart.layout["yaxis"]["range"] = {lowest, highest};
  section.blocks.emplace_back(std::move(chart));
  return section;
}

/// Up to so many bars; browsers draw no more with profit.
Section pattern_section(const std::vector<double>& misfits) {
  constexpr std::size_t most = 200;
  Section section{.title = "Patterns", .columns = Columns::one};
  std::vector<std::string> labels;
  for (std::size_t l = 0; l < std::min(misfits.size(), most); ++l) {
    labels.push_back(std::to_string(l));
  }
  section.blocks.emplace_back(charts::bars("Relative amplitude residual of each pattern", labels,
                                           {misfits.begin(), misfits.begin() + labels.size()},
                                           {"Pattern"}, {"Residual"}));
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

Matrix<double> phases_of(const Matrix<std::complex<double>>& z) {
  constexpr double visible = 1e-3, half_turn = std::numbers::pi;
  const Matrix<double> nearest = z.real().cwiseMax(0);
  if ((z - nearest.cast<std::complex<double>>()).norm() <= visible * z.norm()) return {};
  const double dark = visible * z.cwiseAbs().maxCoeff();
  return z.unaryExpr([&](std::complex<double> x) {
    if (std::abs(x) <= dark) return 0.0;
    const double angle = std::arg(x);
    return angle < visible - half_turn ? half_turn : angle;  // so that -1 and -1 - 0i are alike
  });
}

Image to_phase_image(const Matrix<double>& phases, Index height, Index width) {
  return to_image((phases.array() + std::numbers::pi).matrix(), height, width,
                  2 * std::numbers::pi);
}

std::function<void(Report&)> phase_report(PhaseImages images, PhaseFit fit) {
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
    if (!images.rings.correlation.empty()) {
      report.sections.push_back(detail_section(images.rings));
    }
    if (!fit.shown.measured.empty()) report.sections.push_back(fit_section(fit.shown));
    if (!fit.patterns.empty()) report.sections.push_back(pattern_section(fit.patterns));
  };
}

}  // namespace projfgd
