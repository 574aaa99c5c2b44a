#include "phase_warnings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>

#include "phase_methods.hpp"
#include "projfgd/operators/fourier.hpp"

namespace projfgd {
namespace {

/// What may be behind an answer that explains too little.
std::string likely_causes(const PhaseData& data, const std::string& set, bool support) {
  std::vector<std::string> causes;
  if (set != "none" && set != "support") {
    causes.push_back(fmt::format("a set ({}) that does not hold the image", set));
  }
  if (data.open) {
    causes.emplace_back("--masks left out");
  } else if (data.vectors.size() > 0) {
    causes.emplace_back("vectors of other data");
  } else {
    causes.emplace_back("masks of other patterns or in another order");
    causes.emplace_back("masks where their complex conjugates are meant");
  }
  if (support) causes.emplace_back("a --support that does not hold the image");
  if (data.vectors.size() == 0) {
    causes.emplace_back(data.centred ? "--centred for patterns that begin with the zero frequency"
                                     : "--centred left out");
  }
  causes.emplace_back("amplitudes given as intensities");
  return fmt::format("the likely cause is {}", fmt::join(causes, ", or "));
}

bool leaves_much(const PhaseOutcome& outcome) {
  return outcome.misfit > (outcome.attempts > 1 ? doubtful_phase_misfit : largest_phase_misfit);
}

/// Real numbers that an image in the set has free; 0 where the set does not tell.
Index free_numbers(const std::string& set, Index n) {
  if (set == "none") return 2 * n;
  return set == "real" || set == "nonnegative" ? n : 0;
}

}  // namespace

bool explains(const PhaseOutcome& outcome) { return !leaves_much(outcome) && !outcome.amplitudes; }

bool seem_amplitudes(const Eigen::Ref<const Vector<double>>& y) {
  constexpr double of_amplitudes = 4 / std::numbers::pi, nearness = 0.12;
  const double mean = y.mean();
  return std::abs(y.squaredNorm() / static_cast<double>(y.size()) / (mean * mean) - of_amplitudes) <
         nearness;
}

std::vector<std::string> phase_warnings(const PhaseData& data, const PhaseOutcome& outcome) {
  std::vector<std::string> warnings;
  const bool support = outcome.support;
  if ((support || outcome.set != "none") && !phase_method_has_sets(outcome.method)) {
    warnings.push_back(
        fmt::format("method {} knows no set: the one given was not used", outcome.method));
  }
  if (data.codes_as_numbers) {
    warnings.emplace_back(
        "the masks are whole numbers from 0 up, as codes are, and were taken as they stand: "
        "--mask-values names the table of what codes mean");
  }
  if (data.open && data.patterns == 1 && !support) {
    warnings.emplace_back(
        "one pattern without masks does not tell one image from another: give its --masks, or a "
        "--support around the image");
  }
  if (outcome.dark > 0) {
    warnings.push_back(fmt::format(
        "{} of {} pixels are dark in every mask: nothing was measured of them, and they are 0 in "
        "the answer",
        outcome.dark, outcome.unknowns));
  }
  if (leaves_much(outcome)) {
    warnings.push_back(fmt::format(
        "the answer leaves {} of the amplitudes unexplained: {} {}{}",
        outcome.misfit <= 1 ? fmt::format("{:.0f}%", 100 * outcome.misfit) : "more than all",
        outcome.ended ? "unless the data are that noisy it is wrong;"
                      : "the run was stopped before its end, and if a longer one does "
                        "not help,",
        likely_causes(data, outcome.set, support),
        data.open ? "" : "; else more patterns, a set or another seed may help"));
  }
  if (outcome.amplitudes) {
    warnings.emplace_back(
        "the data vary as amplitudes do, not as intensities: square them if that is what they are");
  }
  return warnings;
}

std::optional<std::string> undetermined_line(const PhaseOutcome& outcome) {
  const Index numbers = free_numbers(outcome.set, outcome.unknowns);
  if (outcome.support || outcome.measurements >= numbers) return std::nullopt;
  return fmt::format(
      "{} intensities do not determine the {} numbers of {} {} pixels: the answer is one of many, "
      "and more patterns or a set tell them apart",
      outcome.measurements, numbers, outcome.unknowns, outcome.set == "none" ? "complex" : "real");
}

template <class S>
Symmetry nearest_symmetry(const Matrix<S>& z, const Matrix<S>& truth, Index height, Index width) {
  const FourierTransform<RealOf<S>> transform(height, width);
  const auto forward = [&](const Matrix<S>& image) {
    std::vector<S> v(static_cast<std::size_t>(image.size()));
    transform.forward([&](Index i, S* row) { std::copy_n(image.data() + i * width, width, row); },
                      v.data());
    return v;
  };
  const std::vector<S> found = forward(z), known = forward(truth);
  const double size = static_cast<double>(truth.norm());
  const double sum = static_cast<double>(z.squaredNorm()) + size * size;
  Symmetry best;
  double most = -1;
  for (const bool twin : {false, true}) {
    std::vector<S> product(found);
    for (std::size_t k = 0; k < product.size(); ++k) {
      product[k] *= twin ? known[k] : std::conj(known[k]);
    }
    std::vector<S> overlap(product.size());
    transform.backward(product.data(), [&](Index i, const S* row) {
      std::copy_n(row, width, overlap.begin() + i * width);
    });
    const auto nearest = std::ranges::max_element(overlap, {}, [](S x) { return std::norm(x); });
    const double here = static_cast<double>(std::abs(*nearest)) / static_cast<double>(z.size());
    if (here <= most) continue;
    most = here;
    const Index at = nearest - overlap.begin();
    best = {twin, at / width, at % width, std::sqrt(std::max(sum - 2 * here, 0.0)) / size};
  }
  return best;
}

std::optional<std::string> symmetry_line(const Symmetry& symmetry, double error) {
  constexpr double explained = 0.5;  // of the error, at most left
  if (!(symmetry.error < explained * error)) return std::nullopt;
  const std::string what = symmetry.twin ? "twin of the truth, turned by 180 degrees and conjugated"
                                         : fmt::format("truth shifted by {} rows and {} columns",
                                                       symmetry.down, symmetry.right);
  constexpr auto line =
      "the answer is the {}, which has the same pattern: its relative error from that is {:.2g}";
  return fmt::format(line, what, symmetry.error);
}

template Symmetry nearest_symmetry(const Matrix<std::complex<float>>&,
                                   const Matrix<std::complex<float>>&, Index, Index);
template Symmetry nearest_symmetry(const Matrix<std::complex<double>>&,
                                   const Matrix<std::complex<double>>&, Index, Index);

}  // namespace projfgd
